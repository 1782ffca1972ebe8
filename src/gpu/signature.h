// How a compiled module is called: what each binding must be, for every back end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "shader/ir.h"
#include "tensor/data_type.h"
#include "tensor/layout.h"

namespace driftwood::gpu {

/// What one argument of a kernel is bound to, and how much it must hold.
struct Parameter {
  std::string name;
  StorageKind kind = StorageKind::Buffer;
  bool is_uniform = false;                          // a buffer in the address space `uniform`
  bool writes = false;                              // the kernel may write it
  std::uint64_t min_bytes = 0;                      // Buffer
  DataType texel = DataType::F32;                   // images
  std::array<std::uint32_t, 3> extent = {1, 1, 1};  // images, in texels
};

/// A trailing `uint` argument: the elements of the runtime-sized array in binding `parameter`,
/// (bytes of the binding - offset) / stride.
struct LengthArgument {
  std::size_t parameter = 0;
  std::uint32_t offset = 0;
  std::uint32_t stride = 1;
};

/// How a kernel is called.
struct Signature {
  std::vector<Parameter> parameters;
  std::vector<LengthArgument> lengths;
  std::array<std::uint32_t, 3> workgroup_size = {1, 1, 1};
};

/// The signature of a module's entry point.
Signature signature_of(const shader::Module& module);

}  // namespace driftwood::gpu
