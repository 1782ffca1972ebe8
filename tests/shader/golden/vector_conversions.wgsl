var<storage, read_write> f: array<vec4f>;
var<storage, read_write> i: array<vec4i>;
var<storage, read_write> u: array<vec4u>;

@compute @workgroup_size(1)
fn conversions() {
  i[0] = vec4i(f[0]);
  u[0] = vec4u(f[1]);
  f[2] = vec4f(i[1]);
  f[3] = vec4f(u[1]);
  i[2] = vec4i(u[2]);
  f[4] = vec4f(f[0] > vec4f(0.0));
  i[4] = vec4i(i[0] == vec4i(3));
  u[4] = vec4u(u[5] != vec4u());
  f[5] = select(f[0], f[1], vec4<bool>(i[5]));
  f[8] = bitcast<vec4f>(u[5]);
  u[6] = bitcast<vec4u>(f[9]);
}
