@group(0) @binding(0) var<storage, read_write> y: array<u32>;
var<private> seed: u32 = 12345u;
var<private> history: array<u32, 4>;

fn next() -> u32 {
  for (var i = 3u; i > 0u; i--) {
    if (history[i] == 7u) {
      return seed;
    }
    history[i] = history[i - 1u];
  }
  seed = seed * 1664525u + 1013904223u;
  history[0] = seed;
  return seed;
}

@compute @workgroup_size(32, 1, 1)
fn random(@builtin(global_invocation_id) id: vec3<u32>) {
  seed += id.x;
  let next_value = next();
  let next_value_1 = next();
  y[id.x] = next_value ^ next_value_1 ^ history[id.x % 4u];
}
