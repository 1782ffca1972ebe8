@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> b: array<f32>;
var<private> calls: u32 = 1u;

fn bump() -> u32 {
  calls += 2u;
  return calls;
}

@compute @workgroup_size(1, 1, 1)
fn separate_body(@builtin(workgroup_id) at: vec3<u32>) {
  if (at.x < arrayLength(&a)) {
    let value = a[at.x];
    let value_1 = f32(bump());
    b[at.x] = value * value_1;
  }
}
