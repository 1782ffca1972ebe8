__attribute__((reqd_work_group_size(8, 1, 1)))
__kernel void folding(__global const float* restrict x, __global float* y) {
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float v = x[id.x];
  y[id.x + 3u] = v;
  y[id.x * 8u] = v;
  y[id.x] = v + 5.0f;
  y[id.x] = 8.5f;
  y[id.x] = v;
}
