struct Item { weight: f32, parts: array<vec4f, 2>, count: atomic<u32> }
var<storage, read_write> items: array<Item>;
var<private> total: f32 = 1;

fn add(p: ptr<private, f32>, amount: f32) {
  *p += amount;
}

fn fill(p: ptr<function, array<f32, 4>>) {
  for (var i = 0; i < 4; i++) {
    (*p)[i] = f32(i);
  }
  p[0] = 9;
}

@compute @workgroup_size(1)
fn main() {
  add(&total, items[2].weight);
  var a: array<f32, 4>;
  fill(&a);
  let second = &items[1].parts;
  (*second)[1].y = a[2];
  second[0] = vec4f();
  atomicAdd(&items[0].count, 1);
  let before = atomicExchange(&items[0].count, 5);
  let n = arrayLength(&items);
}
