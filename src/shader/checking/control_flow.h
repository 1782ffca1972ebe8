// How statements may end: WGSL's behaviour analysis (section 9.7), on the checked tree.
#pragma once

#include "shader/ir.h"

namespace driftwood::shader::checking {

struct Behavior {
  bool next = false;       // goes on after the statement
  bool returns = false;    // leaves the function
  bool breaks = false;     // leaves the loop or switch around it
  bool continues = false;  // goes on with the loop around it
};

Behavior behavior_of(const Block& block);

}  // namespace driftwood::shader::checking
