@group(0) @binding(0) var<storage, read_write> i: array<i32>;
@group(0) @binding(1) var<storage, read_write> f: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn unary() {
  i[0] = -i[1] - -i[2];
  i[3] = ~i[1] & ~(i[2] | 1i);
  i[4] = i[1] - -5i;
  i[5] = i[1] + i32(-2147483648);
  f[0] = -f[1] * -f[2] - -2.5f;
  f[3] = -(f[1] + f[2]);
  i[6] = -(i[1] & 7i);
  f[4] = select(1.0f, 2.0f, !(f[1] < f[2]));
  f[5] = select(1.0f, 2.0f, (i[1] >= i[2]));
}
