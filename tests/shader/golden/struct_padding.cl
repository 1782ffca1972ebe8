typedef struct {
  uint a;
  uint b;
  float3 c;
  float4 d;
} Head;

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void padding(__global Head* h, ulong h_offset) {
  h = (__global Head*)((__global uchar*)h + h_offset);
  h[1].c = h[0].c + h[0].d.xyz * (float)(h[0].a + h[0].b);
}
