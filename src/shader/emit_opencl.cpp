#include "shader/emit_opencl.h"

#include "base/error.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader {

std::vector<ArrayLengthArgument> array_length_arguments(const Module& module) {
  std::vector<ArrayLengthArgument> arguments;
  opencl::CaptureTable captures = opencl::find_captures(module);
  for (const Resource* resource : captures[module.entry_point].lengths) {
    TypePtr type = resource->type;
    std::uint32_t offset = 0;
    if (const auto* structure = type->as<StructType>()) {
      offset = structure->fields.back().offset;
      type = structure->fields.back().type;
    }
    const TypePtr element = type->as<ArrayType>()->element;
    const std::uint32_t alignment = alignment_of(element);
    arguments.push_back({resource, offset, (size_of(element) + alignment - 1) / alignment * alignment});
  }
  return arguments;
}

std::string opencl_kernel_name(const Module& module) { return opencl::Printer(module, {}).kernel_name(); }

std::string emit_opencl(const Module& module, const OpenClDialect& dialect) {
  if (module.entry_point == nullptr) throw InternalError("A module without an entry point has nothing to emit.");
  return opencl::Printer(module, dialect).print();
}

}  // namespace driftwood::shader
