// Fewer than 32 invocations are one subgroup; the operation is in a function.
var<storage, read_write> y: array<vec4f>;

fn total(v: vec4f, scale: f32) -> vec4f {
  var sum = subgroupAdd(v);
  for (var i = 0u; i < u32(scale); i++) {
    if (sum.x > 3.0) {
      return sum;
    }
    sum *= scale;
  }
  return sum;
}

@compute @workgroup_size(16)
fn subgroups(@builtin(local_invocation_id) local: vec3u) {
  y[local.x] = total(y[local.x], 2.0) - total(y[local.x], 3.0);
}
