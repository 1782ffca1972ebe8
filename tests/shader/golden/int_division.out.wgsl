@group(0) @binding(0) var<storage, read_write> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> u: array<u32>;
@group(0) @binding(2) var<storage, read_write> v: array<vec4<i32>>;
@group(0) @binding(3) var<storage, read_write> w: array<vec4<u32>>;

@compute @workgroup_size(1, 1, 1)
fn division() {
  x[2] = x[0] / x[1];
  x[3] = x[0] % x[1];
  x[4] = x[0] / 7i;
  x[5] = x[0] / -1i;
  x[6] = x[0] % 8i;
  u[2] = u[0] / u[1];
  u[3] = u[0] % max(u[1], 1u);
  u[4] = u[0] / (u[1] | 1u);
  v[2] = v[0] / v[1];
  v[3] = v[0] % 5i;
  v[4] = v[0] % x[1];
  w[2] = w[0] / w[1];
  x[6] /= x[1];
  u[5] %= u[1];
}
