static float2 unpack_2x16_float(uint bits) {
  float x, y;
  asm("{ .reg .b16 l, h; mov.b32 {l, h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h; }"
      : "=f"(x), "=f"(y) : "r"(bits));
  return (float2)(x, y);
}

static float4 unpack_4x16_float(uint2 bits) {
  return (float4)(unpack_2x16_float(bits.x), unpack_2x16_float(bits.y));
}

static uint pack_2x16_float(float2 v) {
  uint bits;
  asm("{ .reg .b16 l, h; cvt.rn.f16.f32 l, %1; cvt.rn.f16.f32 h, %2; mov.b32 %0, {l, h}; }" : "=r"(bits) : "f"(v.x), "f"(v.y));
  return bits;
}

static uint2 pack_4x16_float(float4 v) {
  return (uint2)(pack_2x16_float(v.xy), pack_2x16_float(v.zw));
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void halves_by_ptx(__global const half* restrict x, __global half* y, ulong x_offset, ulong y_offset) {
  x = (__global const half*)((__global const uchar*)x + x_offset);
  y = (__global half*)((__global uchar*)y + y_offset);
  const uint3 at = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  ((__global uint2*)y)[at.x * 9u + at.y] = pack_4x16_float(unpack_4x16_float(((__global const uint2*)x)[at.x * 9u + at.y]) * 2.0f);
}
