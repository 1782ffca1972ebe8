#include <metal_stdlib>

using namespace metal;

[[max_total_threads_per_threadgroup(8)]]
kernel void values(texture_buffer<int, access::read> ids [[texture(0)]],
                   texture2d<int, access::read> bytes [[texture(1)]],
                   texture2d<uint, access::read> flags [[texture(2)]],
                   texture2d<uint, access::write> y [[texture(3)]], texture2d<int, access::write> z [[texture(4)]],
                   uint3 id [[thread_position_in_grid]]) {
  const int4 v = as_type<int4>(as_type<uint4>(ids.read(id.x * 5u)) + as_type<uint4>(bytes.read(uint2(0u, id.x))));
  y.write(uint4(uchar4(uint4(v) + flags.read(uint2(0u, id.x)))), uint2(0u, id.x));
  z.write(int4(char4(v)), uint2(0u, id.x));
}
