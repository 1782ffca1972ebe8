typedef struct {
  ushort scale;
  ushort offset;
  uint words[4];
} Block;

static float quantize_to_f16_float(float x) {
  ushort bits[4];
  vstore_half_rte(x, 0, (half*)bits);
  return vload_half(0, (const half*)bits);
}

__attribute__((reqd_work_group_size(64, 1, 1)))
__kernel void halves(__global const half* restrict x, __global const Block* restrict blocks, __global half* y,
                     __global half* z, ulong x_offset, ulong blocks_offset, ulong y_offset, ulong z_offset) {
  x = (__global const half*)((__global const uchar*)x + x_offset);
  blocks = (__global const Block*)((__global const uchar*)blocks + blocks_offset);
  y = (__global half*)((__global uchar*)y + y_offset);
  z = (__global half*)((__global uchar*)z + z_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  const float a = vload_half(id.x, x) * vload_half(id.x + 1u, x) + 0.5f;
  const float s = vload_half(0, (__global const half*)&blocks[id.x].scale) * (float)blocks[id.x].words[1] + vload_half(0, (__global const half*)&blocks[id.x].offset);
  vstore_half4_rte((float4)(a, s, 1.0f, 2.0f), id.x, y);
  vstore_half_rte(s, (id.x + 1u) * 4 + 1, y);
  vstore_half4_rte(vload_half4(id.x, y) * a, id.x + 2u, y);
  vstore_half_rte(vload_half(id.x, z) + a, id.x, z);
  vstore_half_rte(quantize_to_f16_float(s) + 1.0f, 0, z);
  vstore_half_rte(vload_half(3 * 4 + 2, y) + vload_half(id.x * 4 + id.x % 4u, y), 1, z);
}
