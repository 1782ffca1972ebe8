static float2 unpack_2x16_float(uint bits) {
  return vload_half2(0, (const half*)&bits);
}

static uint pack_2x16_float(float2 v) {
  uint bits;
  vstore_half2_rte(v, 0, (half*)&bits);
  return bits;
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void scales(__global const uint* restrict words, __global float* y, __global uint* back, ulong words_offset,
                     ulong y_offset, ulong back_offset) {
  words = (__global const uint*)((__global const uchar*)words + words_offset);
  y = (__global float*)((__global uchar*)y + y_offset);
  back = (__global uint*)((__global uchar*)back + back_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float2 pair = unpack_2x16_float(words[id.x]);
  y[id.x] = pair.x * (float)(words[id.x + 1u] & 15u) + pair.y;
  back[id.x] = pack_2x16_float(pair * 2.0f);
  const float4 four = (float4)(unpack_2x16_float(words[0]), unpack_2x16_float(words[1]));
  y[0] = four.w;
}
