#include "shader/ir_build.h"

#include "shader/ir_walk.h"

namespace driftwood::shader {

FreshNames::FreshNames(const Module& module) {
  for (const auto& type : module.structs) {
    if (const auto* structure = type->as<StructType>()) taken_.insert(structure->name);
  }
  for (const auto& resource : module.resources) taken_.insert(resource->name);
  for (const auto& variable : module.variables) taken_.insert(variable->name);
  for (const auto& function : module.functions) {
    taken_.insert(function->name);
    for (const auto& parameter : function->parameters) taken_.insert(parameter->name);
    visit_statements(function->body, [&](const Statement& each) {
      if (const auto* declare = std::get_if<Declare>(&each.node)) taken_.insert(declare->variable->name);
    });
  }
}

std::string FreshNames::make(std::string_view wanted) {
  std::string name(wanted);
  if (taken_.insert(name).second) return name;
  const std::string stem = name + "_";
  int& suffix = next_.try_emplace(std::move(name), 1).first->second;
  while (true) {
    name = stem + std::to_string(suffix++);
    if (taken_.insert(name).second) return name;
  }
}

namespace {

std::string without_suffix(const std::string& name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string::npos || last + 1 == name.size() || last == 0 || name[last] != '_') return name;
  return name.substr(0, last);
}

}  // namespace

ExpressionPtr clone(const Expression& expression, const VariableMap& variables) {
  const auto copy = [&](const ExpressionPtr& each) { return each ? clone(*each, variables) : nullptr; };
  const auto copy_all = [&](const std::vector<ExpressionPtr>& list) {
    std::vector<ExpressionPtr> result;
    for (const ExpressionPtr& each : list) result.push_back(copy(each));
    return result;
  };
  auto result = std::make_unique<Expression>();
  result->type = expression.type;
  result->is_reference = expression.is_reference;
  result->range = expression.range;
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, VariableExpression>) {
          const auto found = variables.find(node.variable);
          result->node = VariableExpression{found == variables.end() ? node.variable : found->second};
        } else if constexpr (std::is_same_v<Node, Literal> || std::is_same_v<Node, ResourceExpression>) {
          result->node = node;
        } else if constexpr (std::is_same_v<Node, Unary>) {
          result->node = Unary{node.op, copy(node.operand)};
        } else if constexpr (std::is_same_v<Node, Binary>) {
          result->node = Binary{node.op, copy(node.left), copy(node.right)};
        } else if constexpr (std::is_same_v<Node, BuiltinCall>) {
          result->node = BuiltinCall{node.builtin, copy_all(node.arguments)};
        } else if constexpr (std::is_same_v<Node, FunctionCall>) {
          result->node = FunctionCall{node.function, copy_all(node.arguments)};
        } else if constexpr (std::is_same_v<Node, Construct>) {
          result->node = Construct{copy_all(node.arguments)};
        } else if constexpr (std::is_same_v<Node, Convert> || std::is_same_v<Node, Bitcast>) {
          result->node = Node{copy(node.operand)};
        } else if constexpr (std::is_same_v<Node, Index>) {
          result->node = Index{copy(node.base), copy(node.index)};
        } else if constexpr (std::is_same_v<Node, Member>) {
          result->node = Member{copy(node.base), node.field};
        } else if constexpr (std::is_same_v<Node, Swizzle>) {
          result->node = Swizzle{copy(node.base), node.components, node.count};
        } else if constexpr (std::is_same_v<Node, AddressOf>) {
          result->node = AddressOf{copy(node.reference)};
        } else if constexpr (std::is_same_v<Node, Dereference>) {
          result->node = Dereference{copy(node.pointer)};
        } else {
          static_assert(std::is_same_v<Node, ObjectLoad>);
          result->node = ObjectLoad{node.object, copy_all(node.coordinates)};
        }
      },
      expression.node);
  return result;
}

StatementPtr clone(const Statement& statement, VariableMap& variables, FreshNames& names) {
  const auto copy = [&](const ExpressionPtr& each) { return each ? clone(*each, variables) : nullptr; };
  const auto copy_statement = [&](const StatementPtr& each) { return each ? clone(*each, variables, names) : nullptr; };
  const auto copy_block = [&](const Block& block) { return clone(block, variables, names); };
  auto result = std::make_unique<Statement>();
  result->range = statement.range;
  std::visit(
      [&](const auto& node) {
        using Node = std::decay_t<decltype(node)>;
        if constexpr (std::is_same_v<Node, Declare>) {
          ExpressionPtr initializer = copy(node.initializer);
          const Variable& original = *node.variable;
          auto variable = std::make_unique<Variable>();
          variable->name = names.make(without_suffix(original.name));
          variable->type = original.type;
          variable->space = original.space;
          variable->is_mutable = original.is_mutable;
          variable->range = original.range;
          variables[&original] = variable.get();
          result->node = Declare{std::move(variable), std::move(initializer)};
        } else if constexpr (std::is_same_v<Node, Assign>) {
          result->node = Assign{copy(node.target), copy(node.value)};
        } else if constexpr (std::is_same_v<Node, CompoundAssign>) {
          result->node = CompoundAssign{node.op, copy(node.target), copy(node.value)};
        } else if constexpr (std::is_same_v<Node, If>) {
          ExpressionPtr condition = copy(node.condition);
          Block then_block = copy_block(node.then_block);
          result->node = If{std::move(condition), std::move(then_block), copy_block(node.else_block)};
        } else if constexpr (std::is_same_v<Node, For>) {
          For loop;
          loop.init = copy_statement(node.init);
          loop.condition = copy(node.condition);
          loop.update = copy_statement(node.update);
          loop.body = copy_block(node.body);
          loop.unroll = node.unroll;
          result->node = std::move(loop);
        } else if constexpr (std::is_same_v<Node, Loop>) {
          Loop loop;
          loop.body = copy_block(node.body);
          loop.continuing = copy_block(node.continuing);
          loop.break_if = copy(node.break_if);
          result->node = std::move(loop);
        } else if constexpr (std::is_same_v<Node, Switch>) {
          Switch choice;
          choice.selector = copy(node.selector);
          for (const Switch::Case& each : node.cases) {
            choice.cases.push_back({each.selectors, each.is_default, copy_block(each.body)});
          }
          result->node = std::move(choice);
        } else if constexpr (std::is_same_v<Node, Return>) {
          result->node = Return{copy(node.value)};
        } else if constexpr (std::is_same_v<Node, CallStatement>) {
          result->node = CallStatement{copy(node.call)};
        } else if constexpr (std::is_same_v<Node, BlockStatement>) {
          result->node = BlockStatement{copy_block(node.body)};
        } else if constexpr (std::is_same_v<Node, ObjectStore>) {
          ObjectStore store{node.object, {}, nullptr};
          for (const ExpressionPtr& each : node.coordinates) store.coordinates.push_back(copy(each));
          store.value = copy(node.value);
          result->node = std::move(store);
        } else {
          static_assert(std::is_same_v<Node, Break> || std::is_same_v<Node, Continue>);
          result->node = node;
        }
      },
      statement.node);
  return result;
}

Block clone(const Block& block, VariableMap& variables, FreshNames& names) {
  Block result;
  for (const StatementPtr& each : block) result.push_back(clone(*each, variables, names));
  return result;
}

const Literal* as_literal(const Expression& expression) { return std::get_if<Literal>(&expression.node); }

std::optional<std::int64_t> integer_value(const Expression& expression) {
  const Literal* literal = as_literal(expression);
  if (literal == nullptr || literal->components.size() != 1 || expression.type->as<ScalarType>() == nullptr) return {};
  if (is_float(literal->components[0].scalar)) return {};
  return literal->components[0].i;
}

namespace build {

ExpressionPtr expression(TypePtr type, decltype(Expression::node) node, SourceRange range, bool is_reference) {
  auto result = std::make_unique<Expression>();
  result->type = std::move(type);
  result->is_reference = is_reference;
  result->range = range;
  result->node = std::move(node);
  return result;
}

ExpressionPtr literal(TypePtr type, std::vector<ConstantScalar> components, SourceRange range) {
  return expression(std::move(type), Literal{std::move(components)}, range);
}
ExpressionPtr literal_i32(std::int32_t value, SourceRange range) {
  return literal(scalar_type(Scalar::I32), {ConstantScalar::of_int(Scalar::I32, value)}, range);
}
ExpressionPtr literal_u32(std::uint32_t value, SourceRange range) {
  return literal(scalar_type(Scalar::U32), {ConstantScalar::of_int(Scalar::U32, value)}, range);
}
ExpressionPtr literal_f32(float value, SourceRange range) {
  return literal(scalar_type(Scalar::F32), {ConstantScalar::of_float(Scalar::F32, value)}, range);
}
ExpressionPtr literal_bool(bool value, SourceRange range) {
  return literal(scalar_type(Scalar::Bool), {ConstantScalar::of_int(Scalar::Bool, value)}, range);
}

ExpressionPtr read(Variable& variable, SourceRange range) {
  return expression(variable.type, VariableExpression{&variable}, range, variable.is_mutable);
}

ExpressionPtr unary(UnaryOp op, ExpressionPtr operand) {
  TypePtr type = operand->type;
  const SourceRange range = operand->range;
  return expression(std::move(type), Unary{op, std::move(operand)}, range);
}

ExpressionPtr binary(BinaryOp op, ExpressionPtr left, ExpressionPtr right) {
  TypePtr type = width_of(left->type) >= width_of(right->type) ? left->type : right->type;
  if (op >= BinaryOp::LogicalAnd) {
    const int width = width_of(type);
    type = width > 1 ? vector_type(Scalar::Bool, width) : scalar_type(Scalar::Bool);
  }
  const SourceRange range = left->range;
  return expression(std::move(type), Binary{op, std::move(left), std::move(right)}, range);
}

ExpressionPtr call(Builtin builtin, TypePtr type, std::vector<ExpressionPtr> arguments) {
  const SourceRange range = arguments.empty() ? SourceRange{} : arguments[0]->range;
  return expression(std::move(type), BuiltinCall{builtin, std::move(arguments)}, range);
}

ExpressionPtr call(Function& function, std::vector<ExpressionPtr> arguments) {
  return expression(function.result, FunctionCall{&function, std::move(arguments)});
}

ExpressionPtr convert(TypePtr type, ExpressionPtr operand) {
  const SourceRange range = operand->range;
  return expression(std::move(type), Convert{std::move(operand)}, range);
}

ExpressionPtr words_one_by_one(const Expression& call) {
  std::vector<ExpressionPtr> words;
  for (const ExpressionPtr& word : std::get<BuiltinCall>(call.node).arguments) words.push_back(clone(*word));
  return expression(call.type, Construct{std::move(words)}, call.range);
}

ExpressionPtr index(ExpressionPtr base, ExpressionPtr at) {
  const auto* array = base->type->as<ArrayType>();
  TypePtr type = array != nullptr ? array->element : scalar_type(*scalar_of(base->type));
  const bool is_reference = base->is_reference;
  const SourceRange range = base->range;
  return expression(std::move(type), Index{std::move(base), std::move(at)}, range, is_reference);
}

ExpressionPtr component(ExpressionPtr vector, int component) {
  TypePtr type = scalar_type(*scalar_of(vector->type));
  const bool is_reference = vector->is_reference;
  const SourceRange range = vector->range;
  return expression(std::move(type), Swizzle{std::move(vector), {static_cast<std::uint8_t>(component)}, 1}, range,
                    is_reference);
}

StatementPtr statement(decltype(Statement::node) node, SourceRange range) {
  auto result = std::make_unique<Statement>();
  result->range = range;
  result->node = std::move(node);
  return result;
}

StatementPtr declare(std::unique_ptr<Variable> variable, ExpressionPtr initializer, SourceRange range) {
  return statement(Declare{std::move(variable), std::move(initializer)}, range);
}

StatementPtr assign(ExpressionPtr target, ExpressionPtr value, SourceRange range) {
  return statement(Assign{std::move(target), std::move(value)}, range);
}

std::unique_ptr<Variable> variable(std::string name, TypePtr type, bool is_mutable, AddressSpace space) {
  auto result = std::make_unique<Variable>();
  result->name = std::move(name);
  result->type = std::move(type);
  result->space = space;
  result->is_mutable = is_mutable;
  return result;
}

}  // namespace build

}  // namespace driftwood::shader
