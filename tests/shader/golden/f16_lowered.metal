#include <metal_stdlib>

using namespace metal;

struct Block {
  half scale;
  half offset;
  uint words[4];
};

[[max_total_threads_per_threadgroup(64)]]
kernel void halves(device const half* x [[buffer(0)]], device const Block* blocks [[buffer(1)]],
                   device half4* y [[buffer(2)]], device half* z [[buffer(3)]], uint3 id [[thread_position_in_grid]]) {
  const float a = float(x[id.x]) * float(x[id.x + 1u]) + 0.5f;
  const float s = float(blocks[id.x].scale) * float(blocks[id.x].words[1]) + float(blocks[id.x].offset);
  y[id.x] = half4(float4(a, s, 1.0f, 2.0f));
  y[id.x + 1u].y = half(s);
  y[id.x + 2u] = half4(float4(y[id.x]) * a);
  z[id.x] = half(float(z[id.x]) + a);
  z[0] = half(float(half(s)) + 1.0f);
  z[1] = half(float(y[3].z) + float(((device half*)&y[id.x])[id.x % 4u]));
}
