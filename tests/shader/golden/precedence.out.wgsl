@group(0) @binding(0) var<storage, read_write> u: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn precedence() {
  let a = u[0];
  let b = u[1];
  let c = u[2];
  u[3] = (a + b) * c;
  u[4] = a + b * c;
  u[5] = a - b - c;
  u[6] = a - (b - c);
  u[7] = (a & b) | c;
  u[8] = a & (b | c);
  u[9] = (a << (b & 7u)) + c;
  u[10] = ~(a ^ b);
  u[11] = a << 3u;
  u[12] = select(0u, 1u, ((a < b && b < c) || a == c));
  u[13] = select(0u, 1u, ((a < b) == (b < c)));
  u[14] = a * (b / 3u);
  u[15] = a * b / 3u;
}
