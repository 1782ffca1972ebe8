#include <algorithm>
#include <map>
#include <unordered_set>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/fold_scalars.h"

namespace driftwood::shader {

namespace {

using namespace build;

const TypePtr& u32() {
  static const TypePtr type = scalar_type(Scalar::U32);
  return type;
}

bool is_subgroup_builtin(Builtin builtin) {
  return builtin >= Builtin::SubgroupAdd && builtin <= Builtin::SubgroupElect;
}

// "f32", "vec4_f32": part of a name.
std::string name_of(const TypePtr& type) {
  const std::string scalar(to_string(*scalar_of(type)));
  return width_of(type) > 1 ? "vec" + std::to_string(width_of(type)) + "_" + scalar : scalar;
}

// "subgroupShuffleXor" as "subgroup_shuffle_xor".
std::string snake_case(std::string_view camel) {
  std::string result;
  for (const char c : camel) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper) result += '_';
    result += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

class SubgroupLowering {
 public:
  explicit SubgroupLowering(Module& module) : module_(module), names_(module) {
    const auto& size = module.entry_point->workgroup_size;
    invocations_ = size[0] * size[1] * size[2];
    size_ = std::min(emulated_subgroup_size, invocations_);
  }

  void run() {
    lower_inputs();
    if (invocations_ == 1) {
      rewrite_expressions(module_, [&](ExpressionPtr& each) { lower_alone(each); });
      return;
    }
    find_users();
    for (auto& function : module_.functions) {
      if (!users_.contains(function.get())) continue;
      if (!function->is_entry_point) indices_[function.get()] = add_parameter(*function, BuiltinInput::None);
    }
    std::vector<Function*> existing;
    for (auto& function : module_.functions) existing.push_back(function.get());
    for (Function* function : existing) {
      if (!users_.contains(function)) continue;
      rewrite_expressions(function->body, [&](ExpressionPtr& each) { lower_call(each, *function); });
    }
    // Helpers call nothing, so they may come first.
    module_.functions.insert(module_.functions.begin(), std::make_move_iterator(helpers_.begin()),
                             std::make_move_iterator(helpers_.end()));
  }

 private:
  Variable* add_parameter(Function& function, BuiltinInput builtin) {
    auto parameter = variable(names_.make("subgroup_index"), u32(), false);
    parameter->is_parameter = true;
    parameter->builtin = builtin;
    function.parameters.push_back(std::move(parameter));
    return function.parameters.back().get();
  }

  Variable& index_of(const Function& function) {
    Variable*& index = indices_[&function];
    if (index != nullptr) return *index;
    for (auto& parameter : module_.entry_point->parameters) {
      if (parameter->builtin == BuiltinInput::LocalInvocationIndex) index = parameter.get();
    }
    if (index == nullptr) index = add_parameter(*module_.entry_point, BuiltinInput::LocalInvocationIndex);
    return *index;
  }

  // The builtin inputs of subgroups follow from the index in the workgroup.
  void lower_inputs() {
    Function& entry = *module_.entry_point;
    std::vector<std::unique_ptr<Variable>> inputs;
    std::erase_if(entry.parameters, [&](auto& parameter) {
      if (parameter->builtin < BuiltinInput::SubgroupInvocationId) return false;
      inputs.push_back(std::move(parameter));
      return true;
    });
    if (inputs.empty()) return;
    rewrite_expressions(entry.body, [&](ExpressionPtr& each) {
      const auto* found = std::get_if<VariableExpression>(&each->node);
      if (found == nullptr) return;
      for (const auto& input : inputs) {
        if (found->variable == input.get()) {
          each = input_value(input->builtin);
          return;
        }
      }
    });
  }

  ExpressionPtr input_value(BuiltinInput builtin) {
    switch (builtin) {
      case BuiltinInput::SubgroupSize: return literal_u32(size_);
      case BuiltinInput::NumSubgroups: return literal_u32((invocations_ + size_ - 1) / size_);
      case BuiltinInput::SubgroupId:
        if (invocations_ <= size_) return literal_u32(0);
        return binary(BinaryOp::Divide, read(index_of(*module_.entry_point)), literal_u32(size_));
      default:
        if (invocations_ == 1) return literal_u32(0);
        if (invocations_ <= size_) return read(index_of(*module_.entry_point));
        return binary(BinaryOp::Remainder, read(index_of(*module_.entry_point)), literal_u32(size_));
    }
  }

  // A workgroup of one invocation.
  static void lower_alone(ExpressionPtr& expression) {
    auto* node = std::get_if<BuiltinCall>(&expression->node);
    if (node == nullptr || !is_subgroup_builtin(node->builtin)) return;
    if (node->builtin == Builtin::SubgroupElect) {
      expression = literal_bool(true, expression->range);
    } else if (node->builtin == Builtin::SubgroupExclusiveAdd) {
      std::vector<ConstantScalar> zeroes;
      optimizing::append_zeroes(expression->type, zeroes);
      expression = literal(expression->type, std::move(zeroes), expression->range);
    } else {
      ExpressionPtr own = std::move(node->arguments[0]);
      expression = std::move(own);
    }
  }

  void find_users() {
    for (const auto& function : module_.functions) {
      visit_expressions(function->body, [&](const Expression& each) {
        const auto* builtin = std::get_if<BuiltinCall>(&each.node);
        const auto* called = std::get_if<FunctionCall>(&each.node);
        const bool uses = (builtin != nullptr && is_subgroup_builtin(builtin->builtin)) ||
                          (called != nullptr && users_.contains(called->function));
        if (uses) users_.insert(function.get());
      });
    }
  }

  void lower_call(ExpressionPtr& expression, const Function& caller) {
    if (auto* called = std::get_if<FunctionCall>(&expression->node)) {
      if (users_.contains(called->function)) called->arguments.push_back(read(index_of(caller)));
      return;
    }
    auto* node = std::get_if<BuiltinCall>(&expression->node);
    if (node == nullptr || !is_subgroup_builtin(node->builtin)) return;
    if (node->builtin == Builtin::SubgroupElect) {
      expression = binary(BinaryOp::Equal, lane(read(index_of(caller))), literal_u32(0));
      return;
    }
    Function& helper = helper_for(node->builtin, expression->type);
    std::vector<ExpressionPtr> arguments = std::move(node->arguments);
    if (arguments.size() > 1 && scalar_of(arguments[1]->type) == Scalar::I32) {
      arguments[1] = convert(u32(), std::move(arguments[1]));
    }
    arguments.push_back(read(index_of(caller)));
    const SourceRange range = expression->range;
    expression = call(helper, std::move(arguments));
    expression->range = range;
  }

  ExpressionPtr lane(ExpressionPtr index) {
    return invocations_ <= size_ ? std::move(index) : binary(BinaryOp::Remainder, std::move(index), literal_u32(size_));
  }

  Variable& scratch_for(const TypePtr& type) {
    Variable*& scratch = scratch_[name_of(type)];
    if (scratch != nullptr) return *scratch;
    auto made = variable(names_.make("subgroup_values_" + name_of(type)), array_type(type, invocations_), true,
                         AddressSpace::Workgroup);
    made->needs_zeroes = false;  // every invocation writes its own element first
    scratch = made.get();
    module_.variables.push_back(std::move(made));
    return *scratch;
  }

  Function& helper_for(Builtin builtin, const TypePtr& type) {
    const std::string wanted = snake_case(to_string(builtin)) + "_" + name_of(type);
    Function*& helper = helper_table_[wanted];
    if (helper == nullptr) {
      helpers_.push_back(make_helper(builtin, type, names_.make(wanted)));
      helper = helpers_.back().get();
    }
    return *helper;
  }

  // values[index] = value; barrier; result = ...; barrier; return result
  std::unique_ptr<Function> make_helper(Builtin builtin, const TypePtr& type, std::string name) {
    auto function = std::make_unique<Function>();
    function->name = std::move(name);
    function->result = type;
    const auto parameter = [&](const char* wanted, const TypePtr& parameter_type) -> Variable& {
      auto made = variable(names_.make(wanted), parameter_type, false);
      made->is_parameter = true;
      function->parameters.push_back(std::move(made));
      return *function->parameters.back();
    };
    const bool takes_lane = builtin >= Builtin::SubgroupBroadcast && builtin <= Builtin::SubgroupShuffleDown &&
                            builtin != Builtin::SubgroupBroadcastFirst;
    Variable& value = parameter("value", type);
    Variable* argument = takes_lane ? &parameter("lane", u32()) : nullptr;
    Variable& index = parameter("index", u32());
    Variable& values = scratch_for(type);
    Block& body = function->body;
    const auto barrier = [&] {
      body.push_back(statement(CallStatement{call(Builtin::WorkgroupBarrier, void_type(), {})}));
    };
    body.push_back(assign(build::index(read(values), read(index)), read(value)));
    barrier();
    ExpressionPtr first = literal_u32(0);
    ExpressionPtr end = literal_u32(invocations_);
    if (invocations_ > size_) {
      auto made = variable(names_.make("first"), u32(), false);
      Variable& first_variable = *made;
      body.push_back(declare(std::move(made), binary(BinaryOp::Subtract, read(index), lane(read(index)))));
      first = read(first_variable);
      end = binary(BinaryOp::Add, read(first_variable), literal_u32(size_));
      if (invocations_ % size_ != 0) {
        end = call(Builtin::Min, u32(), list(std::move(end), literal_u32(invocations_)));
      }
    }
    auto made = variable(names_.make("result"), type, true);
    Variable& result = *made;
    if (takes_lane || builtin == Builtin::SubgroupBroadcastFirst) {
      ExpressionPtr from = source_of(builtin, argument, index, std::move(first), std::move(end));
      made->is_mutable = false;
      body.push_back(declare(std::move(made), build::index(read(values), std::move(from))));
    } else {
      add_reduction(body, builtin, std::move(made), values, index, std::move(first), std::move(end));
    }
    barrier();
    body.push_back(statement(Return{read(result)}));
    return function;
  }

  // The element a shuffle reads. Where WGSL leaves the value open, any element of the array will do.
  ExpressionPtr source_of(Builtin builtin, Variable* argument, Variable& index, ExpressionPtr first,
                          ExpressionPtr end) {
    const auto bounded = [&](ExpressionPtr at) {
      return call(Builtin::Min, u32(), list(std::move(at), literal_u32(invocations_ - 1)));
    };
    switch (builtin) {
      case Builtin::SubgroupBroadcastFirst: return first;
      case Builtin::SubgroupShuffleXor: return bounded(binary(BinaryOp::Xor, read(index), read(*argument)));
      case Builtin::SubgroupShuffleUp:
        return call(Builtin::Select, u32(),
                    list(read(index), binary(BinaryOp::Subtract, read(index), read(*argument)),
                         binary(BinaryOp::GreaterEqual, lane(read(index)), read(*argument))));
      case Builtin::SubgroupShuffleDown: {
        ExpressionPtr at = binary(BinaryOp::Add, read(index), read(*argument));
        ExpressionPtr inside = binary(BinaryOp::Less, clone(*at), std::move(end));
        return call(Builtin::Select, u32(), list(read(index), std::move(at), std::move(inside)));
      }
      default: return bounded(binary(BinaryOp::Add, std::move(first), read(*argument)));
    }
  }

  void add_reduction(Block& body, Builtin builtin, std::unique_ptr<Variable> made, Variable& values, Variable& index,
                     ExpressionPtr first, ExpressionPtr end) {
    Variable& result = *made;
    const bool is_exclusive = builtin == Builtin::SubgroupExclusiveAdd;
    ExpressionPtr begin = clone(*first);
    if (is_exclusive) {
      body.push_back(declare(std::move(made), nullptr));
    } else {
      body.push_back(declare(std::move(made), build::index(read(values), std::move(first))));
      begin = binary(BinaryOp::Add, std::move(begin), literal_u32(1));
    }
    auto counter = variable(names_.make("i"), u32(), true);
    Variable& i = *counter;
    For loop;
    loop.init = declare(std::move(counter), std::move(begin));
    const bool is_scan = is_exclusive || builtin == Builtin::SubgroupInclusiveAdd;
    loop.condition = is_scan ? binary(is_exclusive ? BinaryOp::Less : BinaryOp::LessEqual, read(i), read(index))
                             : binary(BinaryOp::Less, read(i), std::move(end));
    loop.update = statement(CompoundAssign{BinaryOp::Add, read(i), literal_u32(1)});
    ExpressionPtr next = build::index(read(values), read(i));
    loop.body.push_back(assign(read(result), combine(builtin, read(result), std::move(next))));
    body.push_back(statement(std::move(loop)));
  }

  static ExpressionPtr combine(Builtin builtin, ExpressionPtr a, ExpressionPtr b) {
    const TypePtr type = a->type;
    switch (builtin) {
      case Builtin::SubgroupMul: return binary(BinaryOp::Multiply, std::move(a), std::move(b));
      case Builtin::SubgroupMax: return call(Builtin::Max, type, list(std::move(a), std::move(b)));
      case Builtin::SubgroupMin: return call(Builtin::Min, type, list(std::move(a), std::move(b)));
      case Builtin::SubgroupAll: return binary(BinaryOp::LogicalAnd, std::move(a), std::move(b));
      case Builtin::SubgroupAny: return binary(BinaryOp::LogicalOr, std::move(a), std::move(b));
      default: return binary(BinaryOp::Add, std::move(a), std::move(b));
    }
  }

  Module& module_;
  FreshNames names_;
  std::uint32_t invocations_ = 1;
  std::uint32_t size_ = 1;
  std::unordered_set<const Function*> users_;
  std::unordered_map<const Function*, Variable*> indices_;
  std::map<std::string, Variable*> scratch_;
  std::map<std::string, Function*> helper_table_;
  std::vector<std::unique_ptr<Function>> helpers_;
};

}  // namespace

void lower_subgroups(Module& module) {
  SubgroupLowering(module).run();
  module.uses_subgroups = false;
}

}  // namespace driftwood::shader
