// Which variables and functions feed indices and coordinates, directly or through others. Only their arithmetic is
// watched for overflow: elsewhere wrapping is what the language promises.
#pragma once

#include <unordered_set>

#include "shader/ir.h"

namespace driftwood::shader::interpreter {

class AddressUse {
 public:
  explicit AddressUse(const Module& module);

  bool feeds_address(const Variable* variable) const { return variables_.contains(variable); }
  bool feeds_address(const Function* function) const { return functions_.contains(function); }

 private:
  void visit(const Block& block);
  void visit(const Statement& statement);
  void visit(const Expression* expression);
  /// The value of this expression ends in an address.
  void mark(const Expression* expression);
  void assign(const Expression* target, const Expression* value);

  std::unordered_set<const Variable*> variables_;
  std::unordered_set<const Function*> functions_;
  const Function* current_ = nullptr;
  bool changed_ = false;
};

/// The variable that a reference or pointer leads to, as far as this expression shows; null for resources.
const Variable* root_variable(const Expression& expression);

}  // namespace driftwood::shader::interpreter
