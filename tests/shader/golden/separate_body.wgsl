// target: separate_bodies
// A kernel of one invocation as a function of its own; see OpenClDialect::separate_bodies.
var<private> calls: u32 = 1u;
var<storage, read> a: array<f32>;
var<storage, read_write> b: array<f32>;

fn bump() -> u32 {
  calls += 2u;
  return calls;
}

@compute @workgroup_size(1)
fn separate_body(@builtin(workgroup_id) at: vec3u, @builtin(num_workgroups) groups: vec3u) {
  if (at.x < arrayLength(&a)) {
    b[at.x] = a[at.x] * f32(bump());
  }
}
