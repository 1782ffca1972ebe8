@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
const table_0 = array<f32, 16>(-127.0f, -104.0f, -83.0f, -65.0f, -49.0f, -35.0f, -22.0f, -10.0f, 1.0f, 13.0f, 25.0f, 38.0f, 53.0f, 69.0f, 89.0f, 113.0f);
const table_1 = array<vec2<f32>, 3>(vec2<f32>(0.0f), vec2<f32>(1.0f, 0.0f), vec2<f32>(0.0f, 1.0f));

@compute @workgroup_size(32, 1, 1)
fn decode(@builtin(global_invocation_id) id: vec3<u32>) {
  let word = words[id.x];
  y[id.x * 2u] = table_0[word & 15u];
  y[id.x * 2u + 1u] = table_0[(word >> 4u) & 15u] + table_1[word % 3u].y;
  y[0] = -65.0f;
}
