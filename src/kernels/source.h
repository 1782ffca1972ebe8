// The kernel files, embedded in the binary when it is built.
//
//   shader::compile(kernels::source, "package::matvec", specialization, traits);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shader/source.h"

namespace driftwood::kernels {

/// The file of a module path: "package::formats::q4_1" (the "package::" may be left out) is the file
/// kernels/formats/q4_1.wgsl. Nothing where there is none.
std::optional<shader::SourceFile> source(std::string_view module_path);

/// Every module path, sorted: "package::formats::f16", ...
std::vector<std::string> module_paths();

}  // namespace driftwood::kernels
