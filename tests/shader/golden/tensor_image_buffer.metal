#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void double_(texture_buffer<float, access::read> x [[texture(0)]],
                    texture_buffer<float, access::write> y [[texture(1)]], uint3 id [[thread_position_in_grid]]) {
  y.write(x.read((id.x * 3u + id.z) * 5u + id.y) * 2.0f, (id.x * 3u + id.z) * 5u + id.y);
}
