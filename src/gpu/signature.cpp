#include "gpu/signature.h"

#include <fmt/format.h>

#include "base/error.h"
#include "shader/captures.h"

namespace driftwood::gpu {
namespace {

// The least that a storage or uniform binding must hold: a fixed type whole, a runtime-sized array nothing.
std::uint64_t storage_bytes(const shader::TypePtr& type) {
  const auto* array = type->as<shader::ArrayType>();
  if (array != nullptr && !array->count) return 0;
  if (const auto* structure = type->as<shader::StructType>(); structure != nullptr && !structure->fields.empty()) {
    const auto& last = structure->fields.back();
    const auto* tail = last.type->as<shader::ArrayType>();
    if (tail != nullptr && !tail->count) return last.offset;
  }
  return shader::size_of(type);
}

}  // namespace

Signature signature_of(const shader::Module& module) {
  Signature signature;
  signature.workgroup_size = module.entry_point->workgroup_size;
  for (const auto& resource : module.resources) {
    Parameter parameter{.name = resource->name,
                        .is_uniform = resource->kind == shader::Resource::Kind::Uniform,
                        .writes = resource->access != shader::Access::Read};
    switch (resource->kind) {
      case shader::Resource::Kind::Storage:
      case shader::Resource::Kind::Uniform: parameter.min_bytes = storage_bytes(resource->type); break;
      case shader::Resource::Kind::Object:
        parameter.kind = resource->storage;
        parameter.texel = resource->texel;
        parameter.extent = resource->extent;
        if (resource->storage == StorageKind::Buffer) {
          parameter.min_bytes = std::uint64_t{4} * info(resource->texel).block_bytes * resource->extent[0];
        }
        break;
      default:
        throw InternalError(
            fmt::format("The resource '{}' reaches a device before it is virtualised.", resource->name));
    }
    signature.parameters.push_back(std::move(parameter));
  }
  for (const shader::ArrayLengthArgument& argument : shader::array_length_arguments(module)) {
    for (std::size_t i = 0; i < module.resources.size(); ++i) {
      if (module.resources[i].get() == argument.resource) {
        signature.lengths.push_back({i, argument.offset, argument.stride});
      }
    }
  }
  return signature;
}

}  // namespace driftwood::gpu
