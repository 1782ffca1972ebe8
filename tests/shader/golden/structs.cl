typedef struct {
  float scale;
  float2 offset;
} Inner;

typedef struct {
  Inner first;
  Inner list[3];
  float4 last;
} Outer;

static Inner doubled(Inner x) {
  Inner r = x;
  for (int i = 0; i < 2; i++) {
    r.scale += x.scale;
    r.offset.x += r.scale;
    r.offset += (float2)(1.0f);
    r.offset.y = 3.0f;
    r.offset.y *= 2.0f;
  }
  return r;
}

__attribute__((reqd_work_group_size(1, 1, 1)))
__kernel void structs(__global const Outer* restrict input, __global Outer* result, ulong input_offset,
                      ulong result_offset) {
  input = (__global const Outer*)((__global const uchar*)input + input_offset);
  result = (__global Outer*)((__global uchar*)result + result_offset);
  const uint3 id = (uint3)(get_global_id(0), get_global_id(1), get_global_id(2));
  result->first = doubled(input[id.x].first);
  result->list[1] = doubled(input[id.x].list[id.y]);
  result->list[2].offset.y = input[0].list[1].offset.x;
  result->last = (float4)(2.0f, result->last.x, 0.0f, 0.0f);
  const Outer whole = input[id.y];
  result->first = whole.first;
}
