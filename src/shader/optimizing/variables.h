// How the variables of a function are used.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "shader/ir.h"

namespace driftwood::shader::optimizing {

struct VariableUses {
  explicit VariableUses(const Block& body);

  std::unordered_map<const Variable*, int> mentions;  // every occurrence, targets of assignments included
  std::unordered_map<const Variable*, int> writes;    // occurrences at the root of an assignment's target
  std::unordered_set<const Variable*> addressed;      // those whose address, or that of a part, is taken
};

bool mentions(const Expression& expression, const Variable& variable);
bool mentions(const Statement& statement, const Variable& variable);

/// Whether the value may stand in every place where a let bound to it is read: literals, immutable names, their single
/// components, and addresses of places that stay the same.
bool is_replaceable(const Expression& value);

/// Sets is_reference anew after variables became mutable or immutable.
void refresh_references(Block& body);

}  // namespace driftwood::shader::optimizing
