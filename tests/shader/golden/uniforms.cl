typedef struct {
  uint count;
  uint start;
  float4 scale;
} Parameters;

__attribute__((reqd_work_group_size(32, 1, 1)))
__kernel void uniforms(__constant Parameters* restrict parameters, __global float4* y, ulong parameters_offset,
                       ulong y_offset) {
  parameters = (__constant Parameters*)((__constant uchar*)parameters + parameters_offset);
  y = (__global float4*)((__global uchar*)y + y_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  if (id.x >= parameters->count + parameters->start) {
    return;
  }
  y[id.x] *= parameters->scale;
}
