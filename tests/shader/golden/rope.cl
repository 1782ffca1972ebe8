typedef struct {
  uint start;
} Parameters;

__attribute__((reqd_work_group_size(8, 8, 1)))
__kernel void rotate_pairs(__global const half* restrict x, __global half* y,
                           __constant Parameters* restrict parameters, ulong x_offset, ulong y_offset,
                           ulong parameters_offset) {
  x = (__global const half*)((__global const uchar*)x + x_offset);
  y = (__global half*)((__global uchar*)y + y_offset);
  parameters = (__constant Parameters*)((__constant uchar*)parameters + parameters_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  if (id.x >= 8u || id.y >= 8u) {
    return;
  }
  const float position = (float)(parameters->start + id.y);
  const float4 channel = convert_float4((uint4)(id.x * 4u) + (uint4)(0u, 1u, 2u, 3u));
  const float4 angle = position * pow((float4)(10000.0f), -2.0f * channel / 64.0f);
  const float4 low = vload_half4(id.x * 8u + id.y, x);
  const float4 high = vload_half4((id.x + 8u) * 8u + id.y, x);
  vstore_half4_rte(low * cos(angle) - high * sin(angle), id.x * 8u + id.y, y);
  vstore_half4_rte(low * sin(angle) + high * cos(angle), (id.x + 8u) * 8u + id.y, y);
}
