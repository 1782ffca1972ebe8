// WGSL evaluates operands from left to right; C does not say.
var<private> state: u32;
var<storage, read_write> y: array<u32>;
var<storage, read_write> tickets: atomic<u32>;

fn next() -> u32 {
  for (var i = 0u; i < 2u; i++) {
    if (state > 100u) {
      return 7u;
    }
    state += y[i];
  }
  return state;
}

@compute @workgroup_size(1)
fn order() {
  y[0] = state - next() * 2u;
  y[1] = next() - next();
  y[2] = select(next(), next(), y[3] == 0u);
  y[atomicAdd(&tickets, 1u)] = atomicAdd(&tickets, 2u);
  if (y[5] > 3u && next() > 4u) {
    y[6] = 1u;
  }
}
