@binding(0) var<storage, read_write> y: array<u32>;
@binding(1) var<storage, read_write> tickets: atomic<u32>;
var<private> state: u32;

fn next() -> u32 {
  for (var i: u32 = 0u; i < 2u; i = i + 1u) {
    if (state > 100u) {
      return 7u;
    }
    state = state + y[i];
  }
  return state;
}

@compute @workgroup_size(1, 1, 1)
fn order() {
  let value: u32 = state;
  let value_1: u32 = next() * 2u;
  y[0i] = value - value_1;
  let next_value: u32 = next();
  let next_value_1: u32 = next();
  y[1i] = next_value - next_value_1;
  let next_value_2: u32 = next();
  let next_value_3: u32 = next();
  y[2i] = select(next_value_2, next_value_3, y[3i] == 0u);
  let value_2: u32 = atomicAdd(&tickets, 1u);
  y[value_2] = atomicAdd(&tickets, 2u);
  if ((y[5i] > 3u) && (next() > 4u)) {
    y[6i] = 1u;
  }
}
