// Functions that return arrays disappear with their arrays.
var<storage, read> words: array<u32>;
var<storage, read> x: array<vec4f>;
var<storage, read_write> y: array<f32>;

fn decode(block: u32) -> array<vec4f, 4> {
  let scale = f32(words[block * 3u]) * 0.125;
  var chunk: array<vec4f, 4>;
  @unroll
  for (var i = 0u; i < 2u; i++) {
    let word = words[block * 3u + 1u + i];
    chunk[i] = (vec4f((vec4u(word) >> vec4u(0u, 8u, 16u, 24u)) & vec4u(15u)) - 8.0) * scale;
    chunk[i + 2u] = (vec4f((vec4u(word) >> vec4u(4u, 12u, 20u, 28u)) & vec4u(15u)) - 8.0) * scale;
  }
  return chunk;
}

@compute @workgroup_size(64)
fn matvec(@builtin(global_invocation_id) id: vec3u) {
  var sum = 0.0;
  for (var block = 0u; block < 16u; block++) {
    let chunk = decode(id.x * 16u + block);
    @unroll
    for (var i = 0u; i < 4u; i++) {
      sum += dot(chunk[i], x[block * 4u + i]);
    }
  }
  y[id.x] = sum;
}
