#include <metal_stdlib>

using namespace metal;

struct List {
  uint count;
  float2 items[1];
};

static uint saturated_uint(float x) {
  return select(uint(fmin(fmax(x, float(0.0f)), float(4294967040.0f))), uint(4294967295u), x >= float(4294967296.0f));
}

static uint size_of_list(uint scale, device const List* list, uint list_length) {
  uint total = 0u;
  for (uint i = 0u; i < scale; i++) {
    if (total > 10u) {
      return 0u;
    }
    total += list_length;
  }
  return total;
}

[[max_total_threads_per_threadgroup(1)]]
kernel void lengths(device const float4* x [[buffer(0)]], device const List* list [[buffer(1)]],
                    device uint* y [[buffer(2)]], constant uint* array_lengths [[buffer(30)]]) {
  const uint x_length = array_lengths[0];
  const uint list_length = array_lengths[1];
  y[0] = x_length;
  y[1] = size_of_list(3u, list, list_length) + saturated_uint(list->items[2].x) + list->count;
  y[2] = size_of_list(4u, list, list_length);
}
