// set: lanes=32
// set: scale=0.1
// set: causal=1
// An override is a constant of its value; branches that its value rules out are gone.
override lanes: u32;
override scale: f32;
override causal = false;
override quarter = lanes / 4;
const half = lanes / 2;

var<workgroup> memory: array<f32, half>;

@compute @workgroup_size(lanes, quarter)
fn main(@builtin(local_invocation_index) i: u32) {
  if (causal) {
    memory[i % half] = scale;
  } else {
    memory[64 / (lanes - 32)] = 0;
  }
  if (lanes > 64) {
    memory[0] = 1;
  } else if (i < half) {
    memory[i] = 2;
  }
  if ((causal && i > 3) || lanes == 1) {
    let x = 1;
  }
}
