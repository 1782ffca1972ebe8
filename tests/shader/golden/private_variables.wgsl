var<private> seed: u32 = 12345u;
var<private> history: array<u32, 4>;
var<storage, read_write> y: array<u32>;

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

@compute @workgroup_size(32)
fn random(@builtin(global_invocation_id) id: vec3u) {
  seed += id.x;
  y[id.x] = next() ^ next() ^ history[id.x % 4u];
}
