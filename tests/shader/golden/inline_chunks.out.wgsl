@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn matvec(@builtin(global_invocation_id) id: vec3<u32>) {
  var sum = 0.0f;
  for (var block_1 = 0u; block_1 < 16u; block_1++) {
    let block_2 = id.x * 16u + block_1;
    let scale_1 = f32(words[block_2 * 3u]) * 0.125f;
    let word_4 = words[block_2 * 3u + 1u];
    let chunk_2_0 = (vec4<f32>((vec4<u32>(word_4) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(15u)) - 8.0f) * scale_1;
    let chunk_2_2 = (vec4<f32>((vec4<u32>(word_4) >> vec4<u32>(4u, 12u, 20u, 28u)) & vec4<u32>(15u)) - 8.0f) * scale_1;
    let word_5 = words[block_2 * 3u + 2u];
    let chunk_2_1 = (vec4<f32>((vec4<u32>(word_5) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(15u)) - 8.0f) * scale_1;
    let chunk_2_3 = (vec4<f32>((vec4<u32>(word_5) >> vec4<u32>(4u, 12u, 20u, 28u)) & vec4<u32>(15u)) - 8.0f) * scale_1;
    sum += dot(chunk_2_0, x[block_1 * 4u]);
    sum += dot(chunk_2_1, x[block_1 * 4u + 1u]);
    sum += dot(chunk_2_2, x[block_1 * 4u + 2u]);
    sum += dot(chunk_2_3, x[block_1 * 4u + 3u]);
  }
  y[id.x] = sum;
}
