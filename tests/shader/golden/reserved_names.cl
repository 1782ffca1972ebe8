static float component_float3(float3 v, uint i) {
  return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void names(__global float* global_, ulong global_offset) {
  global_ = (__global float*)((__global uchar*)global_ + global_offset);
  const uint3 local_1 = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  const float length_ = global_[1];
  const float3 local_2 = (float3)(global_[2]);
  float kernel_1 = length_;
  for (int half_1 = 0; half_1 < 3; half_1++) {
    kernel_1 += component_float3(local_2, half_1) * global_[half_1];
  }
  const float fract_ = kernel_1;
  const float3 local_3 = convert_float3(local_1);
  float kernel_2 = fract_;
  for (int half_2 = 0; half_2 < 3; half_2++) {
    kernel_2 += component_float3(local_3, half_2) * global_[half_2];
  }
  global_[local_1.x] = kernel_2 + sqrt(length_);
}
