@group(0) @binding(0) var<storage, read_write> f: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> i: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> u: array<vec4<u32>>;

@compute @workgroup_size(1, 1, 1)
fn conversions() {
  i[0] = vec4<i32>(f[0]);
  u[0] = vec4<u32>(f[1]);
  f[2] = vec4<f32>(i[1]);
  f[3] = vec4<f32>(u[1]);
  i[2] = vec4<i32>(u[2]);
  f[4] = vec4<f32>(f[0] > vec4<f32>(0.0f));
  i[4] = vec4<i32>(i[0] == vec4<i32>(3i));
  u[4] = vec4<u32>(u[5] != vec4<u32>(0u));
  f[5] = select(f[0], f[1], vec4<bool>(i[5]));
  f[8] = bitcast<vec4<f32>>(u[5]);
  u[6] = bitcast<vec4<u32>>(f[9]);
}
