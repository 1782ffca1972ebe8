__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void leaky(__global float* y, ulong y_offset) {
  y = (__global float*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float x_1 = y[id.x];
  float activate_result_1 = 0.0f;
  if (x_1 < 0.0f) {
    activate_result_1 = x_1 * 0.1f;
  } else {
    activate_result_1 = x_1;
  }
  const float x_2 = y[id.x + 1u];
  float activate_result_2 = 0.0f;
  if (x_2 < 0.0f) {
    activate_result_2 = x_2 * 0.2f;
  } else {
    activate_result_2 = x_2;
  }
  y[id.x] = activate_result_1 + activate_result_2;
}
