@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> reduce_scratch: array<f32, 64>;

fn workgroup_sum(value: f32, lane: u32) -> f32 {
  reduce_scratch[lane] = value;
  workgroupBarrier();
  for (var stride = 32u; stride > 0u; stride = stride / 2u) {
    if (lane < stride) {
      reduce_scratch[lane] += reduce_scratch[lane + stride];
    }
    workgroupBarrier();
  }
  let result = reduce_scratch[0];
  workgroupBarrier();
  return result;
}

@compute @workgroup_size(64, 1, 1)
fn sums(@builtin(local_invocation_id) local: vec3<u32>) {
  let a = workgroup_sum(y[local.x], local.x);
  let b = workgroup_sum(y[local.x] * a, local.x);
  y[local.x] = b;
}
