#include <metal_stdlib>

using namespace metal;

struct Inner {
  float scale;
  float2 offset;
};

struct Outer {
  Inner first;
  Inner list[3];
  float4 last;
};

static Inner doubled(Inner x) {
  Inner r = x;
  for (int i = 0; i < 2; i++) {
    r.scale += x.scale;
    r.offset.x += r.scale;
    r.offset += float2(1.0f);
    r.offset.y = 3.0f;
    r.offset.y *= 2.0f;
  }
  return r;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void structs(device const Outer* input [[buffer(0)]], device Outer* result [[buffer(1)]],
                    uint3 id [[thread_position_in_grid]]) {
  result->first = doubled(input[id.x].first);
  result->list[1] = doubled(input[id.x].list[id.y]);
  result->list[2].offset.y = input[0].list[1].offset.x;
  result->last = float4(2.0f, result->last.x, 0.0f, 0.0f);
  const Outer whole = input[id.y];
  result->first = whole.first;
}
