@group(0) @binding(0) var<storage, read_write> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> v: array<vec4<i32>>;

@compute @workgroup_size(1, 1, 1)
fn wrapping() {
  let a = x[0];
  let b = x[1];
  let c = x[2];
  x[3] = a + b;
  x[4] = a * b + c;
  x[5] = a + b * c;
  x[6] = a - 1i;
  x[7] = a * 2i;
  x[8] = -a;
  x[9] = (a & 255i) * 3i + (b & 7i);
  x[10] = (a + b) & c;
  x[11] += a;
  x[12]++;
  v[1] = v[0] + v[2] * a;
  v[2] = -v[0];
  v[3] = v[0] * 3i;
}
