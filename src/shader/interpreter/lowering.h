// From the typed tree to instructions. Function calls are spliced in (the language has no recursion), so pointers are
// known places and every register has a fixed number. Registers are handed out like a stack: the temporaries of a
// statement are free again after it, those of a block after the block.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "shader/interpreter/address_use.h"
#include "shader/interpreter/executable.h"
#include "shader/interpreter/handlers.h"

namespace driftwood::shader::interpreter {

/// Whether a user's function is called: it may change variables that were read before.
bool has_call(const Expression& e);

class Lowering {
 public:
  Lowering(const Module& module, Executable& executable);
  void run();

 private:
  /// Who else may see the registers of a value: nobody; holders of immutable values; a variable that may change.
  enum class Ownership : std::uint8_t { Fresh, Immutable, Mutable };

  struct Value {
    std::vector<Register> registers;  // one for each component
    std::vector<Register> taints;     // empty: none can be tainted; else for each component, or no_register
    Ownership ownership = Ownership::Fresh;

    Register taint(std::size_t k) const { return k < taints.size() ? taints[k] : no_register; }
  };

  /// What a reference or pointer refers to.
  struct Place {
    enum class Space : std::uint8_t { Registers, Workgroup, Storage };
    Space space = Space::Registers;
    TypePtr type;
    std::uint32_t slot = 0;         // of memory
    std::uint32_t base = 0;         // first register, or bytes
    Register offset = no_register;  // what each lane adds: registers, or bytes
    Register taints = no_register;  // of a variable in registers: the first of its taint registers
    std::string name;               // quoted, for messages
  };

  struct Binding {
    Value value;  // of let and parameters
    Place place;  // of var, and of pointers
    bool is_place = false;
  };

  struct Frame {
    const Function* function = nullptr;
    Value result;
    bool tracked = false;
  };
  struct Target {
    Register left = no_register;       // lanes that broke out
    Register continued = no_register;  // lanes that wait for the next iteration; a switch has none
  };

  // lowering.cpp
  Register allocate(std::uint64_t count);
  Register constant(std::uint32_t word);
  Instruction& emit(Handler handler, Register r = no_register, Register a = no_register, Register b = no_register,
                    Register c = no_register);
  std::uint32_t here() const { return static_cast<std::uint32_t>(executable_.code_.size()); }
  void jump_here(std::size_t instruction) { executable_.code_[instruction].target = here(); }
  std::uint32_t add_range(SourceRange range);
  std::uint32_t add_operands(const std::vector<Register>& registers);
  void add_resources();
  void add_variables();
  void add_parameters();
  void number_constants();
  Value fresh(std::uint64_t count, bool with_taints = false);
  Value copied(const Value& value, bool with_taints);
  bool is_contiguous(const Value& value) const;

  // lower_statement.cpp
  void lower(const Block& block);
  void lower_scoped(const Block& block);
  void lower(const Statement& statement);
  void lower_node(const Declare& s, SourceRange range);
  void lower_node(const Assign& s, SourceRange range);
  void lower_node(const CompoundAssign& s, SourceRange range);
  void lower_node(const If& s, SourceRange range);
  void lower_node(const For& s, SourceRange range);
  void lower_node(const Loop& s, SourceRange range);
  void lower_node(const Switch& s, SourceRange range);
  void lower_node(const Break& s, SourceRange range);
  void lower_node(const Continue& s, SourceRange range);
  void lower_node(const Return& s, SourceRange range);
  void lower_node(const CallStatement& s, SourceRange range);
  void lower_node(const BlockStatement& s, SourceRange range);
  void lower_node(const ObjectStore& s, SourceRange range);

  // lower_expression.cpp: `tracked` asks for the taint of integers on their way into an address
  Value eval(const Expression& e, bool tracked = false);
  std::vector<Value> eval_all(const std::vector<ExpressionPtr>& list, bool tracked = false);
  Value eval_node(const Literal& n, const Expression& e, bool tracked);
  Value eval_node(const VariableExpression& n, const Expression& e, bool tracked);
  Value eval_node(const ResourceExpression& n, const Expression& e, bool tracked);
  Value eval_node(const Unary& n, const Expression& e, bool tracked);
  Value eval_node(const Binary& n, const Expression& e, bool tracked);
  Value eval_node(const BuiltinCall& n, const Expression& e, bool tracked);
  Value eval_node(const FunctionCall& n, const Expression& e, bool tracked);
  Value eval_node(const Construct& n, const Expression& e, bool tracked);
  Value eval_node(const Convert& n, const Expression& e, bool tracked);
  Value eval_node(const Bitcast& n, const Expression& e, bool tracked);
  Value eval_node(const Index& n, const Expression& e, bool tracked);
  Value eval_node(const Member& n, const Expression& e, bool tracked);
  Value eval_node(const Swizzle& n, const Expression& e, bool tracked);
  Value eval_node(const AddressOf& n, const Expression& e, bool tracked);
  Value eval_node(const Dereference& n, const Expression& e, bool tracked);
  Value eval_node(const ObjectLoad& n, const Expression& e, bool tracked);
  Value short_circuit(const Binary& n);
  /// Components of a binary operation on values of scalar type `scalar`; one of them may be a single component.
  void emit_binary(BinaryOp op, Scalar scalar, const Value& a, const Value& b, const Value& result, SourceRange range);
  void emit_conversion(Scalar from, Scalar to, Register a, Register r);
  Register merged(Register taint, Register other);

  // lower_memory.cpp
  Place place_of(const Expression& e);
  Place pointee_of(const Expression& pointer);
  Place indexed(Place place, const Expression& index, SourceRange range);
  Place member(Place place, std::uint32_t field);
  Value load_from(const Place& place, SourceRange range, bool tracked);
  void store_to(const Place& place, const Value& value, SourceRange range);
  /// Address of a texel: the bytes that are known, and the register of the rest.
  Place texel(const Resource& object, const std::vector<ExpressionPtr>& coordinates);
  void add_index(Place& place, const Value& index, const IndexInfo& info);
  AccessInfo access(const Place& place, std::uint32_t offset, Element element, std::uint32_t count, SourceRange range);
  std::uint32_t slot_of(const Resource* resource) const;

  // lower_builtin.cpp
  Value component_wise(const BuiltinCall& n, const Expression& e, bool tracked);
  Value geometric(const BuiltinCall& n, const Expression& e);
  Value packing(const BuiltinCall& n, const Expression& e);
  Value atomic(const BuiltinCall& n, const Expression& e);
  Value subgroup(const BuiltinCall& n, const Expression& e);
  Value matrix(const BuiltinCall& n, const Expression& e);
  Register emit_dot(const Value& a, const Value& b, Scalar scalar, bool round_steps);

  const Module& module_;
  Executable& executable_;
  AddressUse address_use_;
  std::unordered_map<const Variable*, Binding> bindings_;
  std::unordered_map<const Resource*, std::uint32_t> slots_;
  std::map<std::uint32_t, Register> constant_of_word_;
  std::unordered_map<const Literal*, Register> tables_;
  Register next_ = mask_register + 1;
  Register highest_ = mask_register + 1;
  std::vector<Frame> frames_;
  std::vector<Target> targets_;
};

}  // namespace driftwood::shader::interpreter
