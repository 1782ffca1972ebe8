__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void tiles(__global float* y, ulong y_offset) {
  __local float tile[64];
  __local float wide[256];
  __local float total;
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 local_ = (uint3)(get_local_id(0), get_local_id(1), get_local_id(2));
  tile[local_.x] = y[local_.x];
  for (uint i = local_.x; i < 256u; i += 64u) {
    wide[i] = y[i] * 2.0f;
  }
  if (local_.x == 0u) {
    total = y[0];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  y[local_.x] = tile[63u - local_.x] + wide[local_.x * 3u] + total;
}
