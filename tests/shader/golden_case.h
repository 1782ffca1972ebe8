// A golden kernel: its file, and the comment lines at its top that say how it is compiled.
//
//   // target: f16 subgroups dot ptx        also f16_functions; what the device has; ptx, khr, intel or arm name the
//                                          dialect (subgroups plain_shuffles, subgroups of_16, dot mixed_dot);
//                                          matrices untyped_memory, of WGSL
//   // set: lanes=64                        an override
//   // alias: act=f16
//   // tensor: x buffer f16 1,4,4,1,32 2    storage kind, texel, b,h,w,d,c, number of objects (1 if left out)
#pragma once

#include <string>
#include <vector>

#include "shader/compile.h"
#include "shader/emit_opencl.h"

namespace driftwood::test {

struct GoldenCase {
  std::string name;
  std::string source;
  shader::Specialization specialization;
  shader::TargetTraits traits;
  shader::OpenClDialect dialect;
  bool has_untyped_matrix_memory = false;  // in WGSL
};

/// The cases of tests/shader/golden, sorted by name.
std::vector<std::string> golden_names();
GoldenCase read_golden_case(const std::string& name);
shader::Module compile(const GoldenCase& golden);

std::string golden_path(const std::string& name, const std::string& extension);
/// The whole file; empty where there is none.
std::string read_text(const std::string& path);

}  // namespace driftwood::test
