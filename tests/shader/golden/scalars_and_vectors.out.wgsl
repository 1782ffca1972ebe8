@group(0) @binding(0) var<storage, read_write> f: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> i: array<vec4<i32>>;
@group(0) @binding(2) var<storage, read_write> u: array<vec2<u32>>;

@compute @workgroup_size(64, 1, 1)
fn literals(@builtin(global_invocation_id) id: vec3<u32>) {
  f[id.x] = vec4<f32>(1.0f, -2.5f, 1e-30f, 16777216.0f);
  f[id.x + 1u] = vec4<f32>(f[id.x].x);
  f[id.x + 2u] = vec4<f32>(f[id.x].xy, f[id.x].zw);
  f[id.x + 3u] = vec4<f32>(f[id.x].wzy, 0.1f);
  i[id.x] = vec4<i32>(i32(-2147483648), 2147483647i, 0i, -1i);
  i[id.x + 1u] = vec4<i32>(7i);
  u[id.x] = vec2<u32>(4294967295u, 0u);
  u[id.x + 1u] = vec2<u32>(0u);
}
