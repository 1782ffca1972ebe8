@group(0) @binding(0) var x: texture_2d_array<f32>;
@group(0) @binding(1) var y: texture_storage_2d_array<rgba32float, write>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
  textureStore(y, vec2<i32>(i32(id.y), i32(id.z)), i32(id.x), textureLoad(x, vec2<i32>(i32(id.y), i32(id.z)), i32(id.x), 0) * 2.0f);
}
