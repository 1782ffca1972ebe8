__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void swap(__global float* y, ulong y_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  float p_0 = y[0];
  float p_1 = y[1];
  const float p_0_next = p_1;
  const float p_1_next = p_0;
  p_0 = p_0_next;
  p_1 = p_1_next;
  const float q_0 = p_0;
  const float q_1 = p_1;
  p_0 += q_1;
  y[2] = p_0;
  y[3] = p_1 * q_0;
}
