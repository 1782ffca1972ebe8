#include <metal_stdlib>

using namespace metal;

struct device_counts {
  uint half_;
  uint total;
};

[[max_total_threads_per_threadgroup(4)]]
kernel void visible_(device float* y [[buffer(0)]], device const device_counts* thread_ [[buffer(1)]],
                     constant uint* array_lengths_1 [[buffer(30)]], uint constant_ [[thread_index_in_threadgroup]]) {
  threadgroup float threadgroup_[4];
  const uint thread__length = array_lengths_1[0];
  const uint array_lengths = constant_ + thread__length;
  const float float4x4_1 = y[constant_];
  const float simd_sum_1_ = float4x4_1 * 2.0f;
  threadgroup_[constant_] = simd_sum_1_ + float(array_lengths);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float clz_ = threadgroup_[3u - constant_];
  y[constant_] = thread_[0].half_ > thread_[0].total ? precise::exp(clz_) : clz_;
}
