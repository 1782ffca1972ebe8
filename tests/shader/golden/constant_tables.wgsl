// A literal array that is indexed at run time lies in constant memory.
const codebook = array<f32, 16>(-127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0, 89.0, 113.0);
const corners = array(vec2f(0.0, 0.0), vec2f(1.0, 0.0), vec2f(0.0, 1.0));

var<storage, read> words: array<u32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(32)
fn decode(@builtin(global_invocation_id) id: vec3u) {
  let word = words[id.x];
  y[2u * id.x] = codebook[word & 15u];
  y[2u * id.x + 1u] = codebook[(word >> 4u) & 15u] + corners[word % 3u].y;
  y[0] = codebook[3];
}
