#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(32)]]
kernel void double_(texture3d<float, access::read> x [[texture(0)]],
                    texture3d<float, access::write> y [[texture(1)]], uint3 id [[thread_position_in_grid]]) {
  y.write(x.read(uint3(id.y, id.z, id.x)) * 2.0f, uint3(id.y, id.z, id.x));
}
