// What Metal gives a meaning of its own and WGSL does not.
struct device_counts {
  half: u32,
  total: u32,
}
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
@group(0) @binding(1) var<storage, read> thread: array<device_counts>;
var<workgroup> threadgroup: array<f32, 4>;

fn saturated(float4x4: f32, short: u32) -> f32 {
  let simd_sum = float4x4 * 2.0;
  return simd_sum + f32(short);
}

fn fragment(kernel: u32) -> u32 {
  return kernel + arrayLength(&thread);
}

@compute @workgroup_size(4)
fn visible(@builtin(local_invocation_index) constant: u32) {
  let array_lengths = fragment(constant);
  threadgroup[constant] = saturated(y[constant], array_lengths);
  workgroupBarrier();
  let clz = threadgroup[3u - constant];
  y[constant] = select(clz, exp(clz), thread[0].half > thread[0].total);
}
