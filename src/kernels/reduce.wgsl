// Reductions over a workgroup of `lanes` invocations. Every invocation calls them and gets the result.
override lanes: u32;
override is_subgroup: bool = false;  // the workgroup is one subgroup, and needs no barriers

var<workgroup> reduce_scratch: array<f32, lanes>;

fn workgroup_sum(value: f32, lane: u32) -> f32 {
  if (lanes == 1u) {
    return value;
  }
  if (is_subgroup) {
    return subgroupAdd(value);
  }
  reduce_scratch[lane] = value;
  workgroupBarrier();
  for (var stride = lanes / 2u; stride > 0u; stride = stride / 2u) {
    if (lane < stride) {
      reduce_scratch[lane] += reduce_scratch[lane + stride];
    }
    workgroupBarrier();
  }
  let result = reduce_scratch[0];
  workgroupBarrier();  // the scratch may be used again at once
  return result;
}

fn workgroup_max(value: f32, lane: u32) -> f32 {
  if (lanes == 1u) {
    return value;
  }
  if (is_subgroup) {
    return subgroupMax(value);
  }
  reduce_scratch[lane] = value;
  workgroupBarrier();
  for (var stride = lanes / 2u; stride > 0u; stride = stride / 2u) {
    if (lane < stride) {
      reduce_scratch[lane] = max(reduce_scratch[lane], reduce_scratch[lane + stride]);
    }
    workgroupBarrier();
  }
  let result = reduce_scratch[0];
  workgroupBarrier();
  return result;
}
