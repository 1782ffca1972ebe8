// What must be known of a module before it can be printed in a language whose functions see no module scope, or whose
// arrays are no values.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "shader/ir.h"

namespace driftwood::shader {

/// Declarations that a function needs from module scope, itself or through its callees, in the module's order.
struct Captures {
  std::vector<const Resource*> resources;
  std::vector<const Variable*> variables;
  std::vector<const Resource*> lengths;  // storage buffers whose arrayLength is asked for
};
using CaptureTable = std::unordered_map<const Function*, Captures>;
CaptureTable find_captures(const Module& module);
/// The storage buffer whose length arrayLength gives; null where it is given a pointer value.
const Resource* length_resource(const BuiltinCall& array_length);

/// Names (as to_string gives them) of the array types that are used as values.
std::set<std::string> find_value_arrays(const Module& module);

/// A `uint` that the kernel takes behind its resources: the number of elements of a runtime-sized array whose
/// arrayLength it asks for, (bytes of the binding - offset) / stride.
struct ArrayLengthArgument {
  const Resource* resource;
  std::uint32_t offset;
  std::uint32_t stride;
};

/// In the order of the kernel's trailing arguments (that of the resources); empty for most kernels.
std::vector<ArrayLengthArgument> array_length_arguments(const Module& module);

}  // namespace driftwood::shader
