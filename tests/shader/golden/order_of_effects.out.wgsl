@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@group(0) @binding(1) var<storage, read_write> tickets: atomic<u32>;
var<private> state: u32;

fn next() -> u32 {
  for (var i = 0u; i < 2u; i++) {
    if (state > 100u) {
      return 7u;
    }
    state += y[i];
  }
  return state;
}

@compute @workgroup_size(1, 1, 1)
fn order() {
  let value = state;
  let value_1 = next() * 2u;
  y[0] = value - value_1;
  let next_value = next();
  let next_value_1 = next();
  y[1] = next_value - next_value_1;
  let next_value_2 = next();
  let next_value_3 = next();
  y[2] = select(next_value_2, next_value_3, (y[3] == 0u));
  let value_2 = atomicAdd(&tickets, 1u);
  y[value_2] = atomicAdd(&tickets, 2u);
  if (y[5] > 3u && next() > 4u) {
    y[6] = 1u;
  }
}
