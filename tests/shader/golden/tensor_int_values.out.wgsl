@group(0) @binding(0) var<storage, read> ids: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read> flags: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<u32>>;

@compute @workgroup_size(8, 1, 1)
fn values(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.x * 5u] = vec4<u32>(ids[id.x * 5u]) + flags[id.x * 5u];
}
