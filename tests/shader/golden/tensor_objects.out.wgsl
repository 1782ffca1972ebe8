@group(0) @binding(0) var x_0: texture_2d<f32>;
@group(0) @binding(1) var x_1: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(8, 4, 1)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
  y[id.z * 5u + id.y] = textureLoad(x_1, vec2<i32>(i32(id.y), i32(id.z * 4u)), 0);
  var x_load_result_1 = vec4<f32>();
  if (id.x % 2u == 0u) {
    x_load_result_1 = textureLoad(x_0, vec2<i32>(i32(id.y), i32(id.z * 4u + id.x / 2u)), 0);
  } else {
    x_load_result_1 = textureLoad(x_1, vec2<i32>(i32(id.y), i32(id.z * 4u + id.x / 2u)), 0);
  }
  y[(id.z + 3u) * 5u + id.y] = x_load_result_1;
}
