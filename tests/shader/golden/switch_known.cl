__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void modes(__global float* y, ulong y_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  y[id.x] = 2.0f;
}
