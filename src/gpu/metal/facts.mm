#include "gpu/metal/facts.h"

#include <algorithm>
#include <limits>

#include "gpu/metal/context.h"
#include "gpu/metal/memory.h"
#include "shader/emit_metal.h"
#include "shader/types.h"

namespace driftwood::gpu::metal {
namespace {

// The width of simdgroups, 0 where it cannot be found: a device says it of a compiled kernel alone.
std::uint32_t simd_width(id<MTLDevice> device) {
  NSError* error = nil;
  id<MTLLibrary> library = [device newLibraryWithSource:@"kernel void probe(device uint* out [[buffer(0)]], uint i "
                                                         "[[thread_position_in_grid]]) { out[i] = i; }"
                                                options:nil
                                                  error:&error];
  if (library == nil) return 0;
  id<MTLFunction> function = [library newFunctionWithName:@"probe"];
  if (function == nil) return 0;
  id<MTLComputePipelineState> pipeline = [device newComputePipelineStateWithFunction:function error:&error];
  return pipeline == nil ? 0 : static_cast<std::uint32_t>([pipeline threadExecutionWidth]);
}

std::uint64_t alignment_of(id<MTLDevice> device) {
  // A buffer of the address space `constant` begins at a multiple of 32 bytes on Macs.
  std::uint64_t alignment = 32;
  for (const DataType texel :
       {DataType::F32, DataType::F16, DataType::I8, DataType::U8, DataType::I32, DataType::U32}) {
    const NSUInteger least = [device minimumTextureBufferAlignmentForPixelFormat:pixel_format(texel)];
    alignment = std::max<std::uint64_t>(alignment, least);
  }
  return alignment;
}

}  // namespace

DeviceClass class_of(id<MTLDevice> device) {
#if TARGET_OS_OSX
  if ([device isRemovable]) return DeviceClass::DiscreteGpu;
  if ([device isLowPower]) return DeviceClass::IntegratedGpu;
#endif
  return [device hasUnifiedMemory] ? DeviceClass::IntegratedGpu : DeviceClass::DiscreteGpu;
}

DeviceFacts query_facts(id<MTLDevice> device) {
  DeviceFacts facts;
  facts.name = text_of([device name]);
  const bool is_apple = [device supportsFamily:MTLGPUFamilyApple1];
  facts.vendor = is_apple ? "Apple" : "";
  facts.api = [device supportsFamily:MTLGPUFamilyMetal3] ? "Metal 3" : "Metal 2";
  facts.driver = text_of([[NSProcessInfo processInfo] operatingSystemVersionString]);
  facts.device_class = class_of(device);
  facts.shares_host_memory = [device hasUnifiedMemory];
  facts.compute_units = 8;  // Metal does not tell; the least of Apple's desktop GPUs have seven or eight

  const MTLSize threads = [device maxThreadsPerThreadgroup];
  const auto extent = [](NSUInteger value) {
    return static_cast<std::uint32_t>(std::min<NSUInteger>(value, std::numeric_limits<std::uint32_t>::max()));
  };
  facts.max_workgroup_extent = {extent(threads.width), extent(threads.height), extent(threads.depth)};
  facts.max_workgroup_size = facts.max_workgroup_extent[0];  // Metal has one limit for the product and for x
  constexpr std::uint32_t any = std::numeric_limits<std::int32_t>::max();
  facts.max_workgroup_count = {any, any, any};
  facts.local_memory = [device maxThreadgroupMemoryLength];
  facts.global_memory = [device recommendedMaxWorkingSetSize];
  facts.max_allocation = [device maxBufferLength];
  facts.max_bindings = shader::metal_lengths_buffer;
  facts.buffer_alignment = alignment_of(device);

  // From Apple's table of feature sets.
  const bool is_large = [device supportsFamily:MTLGPUFamilyMac2] || [device supportsFamily:MTLGPUFamilyApple6];
  facts.has_images = true;
  facts.has_3d_image_writes = true;
  facts.max_image_buffer = std::uint64_t{1} << (is_large ? 28 : 26);
  facts.max_image_2d = {16384, 16384};
  facts.max_image_3d = {2048, 2048, 2048};
  facts.max_image_layers = 2048;

  facts.has_f16_arithmetic = true;
  // Sums of simdgroups and their matrices come with family 7. The simdgroups of other makers' GPUs vary in width from
  // kernel to kernel.
  if ([device supportsFamily:MTLGPUFamilyApple7]) {
    facts.subgroup_size = std::max(1u, simd_width(device));
    facts.has_subgroups = facts.subgroup_size > 1;
    facts.has_matrices = facts.subgroup_size == shader::matrix_subgroup_size;
  }
  return facts;
}

}  // namespace driftwood::gpu::metal
