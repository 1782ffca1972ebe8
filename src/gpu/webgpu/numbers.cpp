#include "gpu/webgpu/numbers.h"

#include <fmt/format.h>

#include "base/error.h"

namespace driftwood::gpu::webgpu {
namespace {

constexpr WGPUFeatureName feature(int number) { return static_cast<WGPUFeatureName>(number); }
constexpr WGPUTextureFormat format(int number) { return static_cast<WGPUTextureFormat>(number); }

}  // namespace

const Numbers standard_numbers = {.timestamp_query = WGPUFeatureName_TimestampQuery,
                                  .shader_f16 = WGPUFeatureName_ShaderF16,
                                  .subgroups = WGPUFeatureName_Subgroups,
                                  .dawn_memory_heaps = feature(0x00050014),
                                  .dawn_matrices = feature(0x00050034),
                                  .rgba8_uint = WGPUTextureFormat_RGBA8Uint,
                                  .rgba8_sint = WGPUTextureFormat_RGBA8Sint,
                                  .rgba16_uint = WGPUTextureFormat_RGBA16Uint,
                                  .rgba16_sint = WGPUTextureFormat_RGBA16Sint,
                                  .rgba16_float = WGPUTextureFormat_RGBA16Float,
                                  .rgba32_float = WGPUTextureFormat_RGBA32Float,
                                  .rgba32_uint = WGPUTextureFormat_RGBA32Uint,
                                  .rgba32_sint = WGPUTextureFormat_RGBA32Sint};

const Numbers early_numbers = {.timestamp_query = feature(0x03),
                               .shader_f16 = feature(0x0A),
                               .subgroups = feature(0x11),
                               .dawn_memory_heaps = feature(0x00050015),
                               .dawn_matrices = feature(0x00050037),
                               .rgba8_uint = format(0x15),
                               .rgba8_sint = format(0x16),
                               .rgba16_uint = format(0x20),
                               .rgba16_sint = format(0x21),
                               .rgba16_float = format(0x22),
                               .rgba32_float = format(0x23),
                               .rgba32_uint = format(0x24),
                               .rgba32_sint = format(0x25)};

WGPUTextureFormat texture_format(const Numbers& numbers, DataType texel) {
  switch (texel) {
    case DataType::F32: return numbers.rgba32_float;
    case DataType::F16: return numbers.rgba16_float;
    case DataType::I8: return numbers.rgba8_sint;
    case DataType::U8: return numbers.rgba8_uint;
    case DataType::I16: return numbers.rgba16_sint;
    case DataType::U16: return numbers.rgba16_uint;
    case DataType::I32: return numbers.rgba32_sint;
    case DataType::U32: return numbers.rgba32_uint;
    default: throw Unsupported(fmt::format("Images hold no texels of type {}.", to_string(texel)));
  }
}

}  // namespace driftwood::gpu::webgpu
