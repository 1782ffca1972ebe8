struct List {
  count: u32,
  items: array<vec2<f32>>,
}

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> list: List;
@group(0) @binding(2) var<storage, read_write> y: array<u32>;

fn size_of_list(scale: u32) -> u32 {
  var total = 0u;
  for (var i = 0u; i < scale; i++) {
    if (total > 10u) {
      return 0u;
    }
    total += arrayLength(&list.items);
  }
  return total;
}

@compute @workgroup_size(1, 1, 1)
fn lengths() {
  y[0] = arrayLength(&x);
  y[1] = size_of_list(3u) + u32(list.items[2].x) + list.count;
  y[2] = size_of_list(4u);
}
