// Kernel sources with their specialisation in one file, for tests of the front end.
//
//   // set: lanes=64                    an override
//   // tensor: x f32 1,2,3,1,8          texel type and b,h,w,d,c, in a plain buffer
//   // weights: w q4_1 64 32            format, rows, columns
//   ... the kernel ...
//   //// package::a                     what follows is the module package::a
//   //// fusion epilogue                ... the text for a fusion point
//   //// alias act                      ... the value of an alias
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shader/compile.h"

namespace driftwood::test {

struct SourceCase {
  std::map<std::string, std::string, std::less<>> modules;  // by module path; the kernel is "package::main"
  shader::Specialization specialization;
  std::string name;

  shader::SourceProvider provider() const;
};

SourceCase source_case(const std::string& name, const std::string& text);

/// Names (without extension) of the .wgsl files in tests/shader/FOLDER, sorted.
std::vector<std::string> case_names(const std::string& folder);
SourceCase read_source_case(const std::string& folder, const std::string& name);

/// Compares with tests/shader/FOLDER/NAME.txt; DRIFTWOOD_REGENERATE_GOLDEN=1 writes it instead.
void expect_golden_text(const std::string& folder, const std::string& name, const std::string& actual);

}  // namespace driftwood::test
