struct device_counts {
  half: u32,
  total: u32,
}

@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read> thread: array<device_counts>;
var<workgroup> threadgroup: array<f32, 4>;

@compute @workgroup_size(4, 1, 1)
fn visible(@builtin(local_invocation_index) constant: u32) {
  let array_lengths = constant + arrayLength(&thread);
  let float4x4_1 = y[constant];
  let simd_sum_1 = float4x4_1 * 2.0f;
  threadgroup[constant] = simd_sum_1 + f32(array_lengths);
  workgroupBarrier();
  let clz = threadgroup[3u - constant];
  y[constant] = select(clz, exp(clz), (thread[0].half > thread[0].total));
}
