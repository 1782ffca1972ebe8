#include "shader/address.h"

#include <algorithm>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"

namespace driftwood::shader::address {
namespace {

Scalar scalar_of(const Expression& expression) { return *shader::scalar_of(expression.type); }

std::optional<std::uint32_t> value_of(const Expression& expression) {
  const auto value = integer_value(expression);
  if (!value) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

// e op literal, as most address arithmetic is.
struct WithConstant {
  Expression* left;
  std::uint32_t right;
};
std::optional<WithConstant> as_operation(Expression& expression, BinaryOp op) {
  auto* const node = std::get_if<Binary>(&expression.node);
  if (node == nullptr || node->op != op) return std::nullopt;
  const auto right = value_of(*node->right);
  if (!right) return std::nullopt;
  return WithConstant{node->left.get(), *right};
}

ExpressionPtr take_left(Expression& expression) { return std::move(std::get<Binary>(expression.node).left); }

// Products may wrap only as the kernel's own arithmetic would; joined constants must not.
bool fits(std::uint64_t value) { return value <= 0x7FFFFFFF; }

// (e * a + c) as a and c; c is 0 for e * a alone.
struct Linear {
  std::uint32_t factor, offset;
};
std::optional<Linear> as_linear(Expression& expression) {
  if (const auto product = as_operation(expression, BinaryOp::Multiply)) return Linear{product->right, 0};
  const auto sum = as_operation(expression, BinaryOp::Add);
  if (!sum) return std::nullopt;
  const auto product = as_operation(*sum->left, BinaryOp::Multiply);
  if (!product) return std::nullopt;
  return Linear{product->right, sum->right};
}

// The e of e * a or e * a + c.
ExpressionPtr take_variable(Expression& expression) {
  if (as_operation(expression, BinaryOp::Multiply)) return take_left(expression);
  return take_left(*as_operation(expression, BinaryOp::Add)->left);
}

ExpressionPtr component_of(const Expression& vector, int component);

ExpressionPtr component_of_construct(const Expression& vector, const Construct& node, int component) {
  if (node.arguments.empty()) return constant(scalar_of(vector), 0);
  if (node.arguments.size() == 1 && width_of(node.arguments[0]->type) == 1) return clone(*node.arguments[0]);
  for (const ExpressionPtr& argument : node.arguments) {
    const int width = width_of(argument->type);
    if (component < width) return width == 1 ? clone(*argument) : component_of(*argument, component);
    component -= width;
  }
  throw InternalError("A vector is constructed of fewer components than it has.");
}

ExpressionPtr component_of(const Expression& vector, int component) {
  if (const Literal* const literal = as_literal(vector)) {
    return build::literal(scalar_type(scalar_of(vector)), {literal->components[static_cast<std::size_t>(component)]},
                          vector.range);
  }
  if (const auto* const node = std::get_if<Construct>(&vector.node)) {
    return component_of_construct(vector, *node, component);
  }
  if (const auto* const node = std::get_if<Swizzle>(&vector.node)) {
    return component_of(*node->base, node->components[static_cast<std::size_t>(component)]);
  }
  if (const auto* const node = std::get_if<Convert>(&vector.node)) {
    return build::convert(scalar_type(scalar_of(vector)), component_of(*node->operand, component));
  }
  if (const auto* const node = std::get_if<Binary>(&vector.node)) {
    const auto side = [&](const Expression& operand) {
      return width_of(operand.type) == 1 ? clone(operand) : component_of(operand, component);
    };
    return build::binary(node->op, side(*node->left), side(*node->right));
  }
  return build::component(clone(vector), component);
}

}  // namespace

ExpressionPtr constant(Scalar scalar, std::uint32_t value) {
  return scalar == Scalar::U32 ? build::literal_u32(value) : build::literal_i32(static_cast<std::int32_t>(value));
}

ExpressionPtr add(ExpressionPtr left, ExpressionPtr right) {
  const auto a = value_of(*left), b = value_of(*right);
  if (a && b) return constant(scalar_of(*left), *a + *b);
  if (a == 0u) return right;
  if (b == 0u) return left;
  if (a) return add(std::move(right), std::move(left));  // constants stand on the right
  if (b) {
    if (const auto sum = as_operation(*left, BinaryOp::Add); sum && fits(std::uint64_t{sum->right} + *b)) {
      right = constant(scalar_of(*left), sum->right + *b);
      left = take_left(*left);
    }
  }
  return build::binary(BinaryOp::Add, std::move(left), std::move(right));
}

ExpressionPtr multiply(ExpressionPtr left, std::uint32_t right) {
  const Scalar scalar = scalar_of(*left);
  if (const auto a = value_of(*left)) return constant(scalar, *a * right);
  if (right == 0) return constant(scalar, 0);
  if (right == 1) return left;
  if (const auto linear = as_linear(*left);
      linear && fits(std::uint64_t{linear->factor} * right) && fits(std::uint64_t{linear->offset} * right)) {
    auto product = build::binary(BinaryOp::Multiply, take_variable(*left), constant(scalar, linear->factor * right));
    return add(std::move(product), constant(scalar, linear->offset * right));
  }
  return build::binary(BinaryOp::Multiply, std::move(left), constant(scalar, right));
}

ExpressionPtr divide(ExpressionPtr left, std::uint32_t right) {
  const Scalar scalar = scalar_of(*left);
  if (const auto a = value_of(*left)) return constant(scalar, *a / right);
  if (right == 1) return left;
  if (const auto linear = as_linear(*left); linear && linear->factor % right == 0 && linear->offset < right) {
    return multiply(take_variable(*left), linear->factor / right);
  }
  return build::binary(BinaryOp::Divide, std::move(left), constant(scalar, right));
}

ExpressionPtr remainder(ExpressionPtr left, std::uint32_t right) {
  const Scalar scalar = scalar_of(*left);
  if (const auto a = value_of(*left)) return constant(scalar, *a % right);
  if (right == 1) return constant(scalar, 0);
  if (const auto linear = as_linear(*left); linear && linear->factor % right == 0) {
    return constant(scalar, linear->offset % right);
  }
  return build::binary(BinaryOp::Remainder, std::move(left), constant(scalar, right));
}

ExpressionPtr as(Scalar scalar, ExpressionPtr expression) {
  if (scalar_of(*expression) == scalar) return expression;
  if (const auto value = value_of(*expression)) return constant(scalar, *value);
  if (auto* const node = std::get_if<Convert>(&expression->node); node && scalar_of(*node->operand) == scalar) {
    return std::move(node->operand);
  }
  return build::convert(scalar_type(scalar), std::move(expression));
}

std::vector<ExpressionPtr> flatten(std::span<const ExpressionPtr> arguments) {
  std::vector<ExpressionPtr> scalars;
  for (const ExpressionPtr& argument : arguments) {
    const int width = width_of(argument->type);
    if (width == 1) scalars.push_back(clone(*argument));
    for (int i = 0; width > 1 && i < width; ++i) scalars.push_back(component_of(*argument, i));
  }
  return scalars;
}

bool is_movable(const Expression& argument) { return !has_side_effects(argument); }

bool is_cheap(const Expression& argument) {
  bool cheap = true;
  visit_expressions(argument, [&](const Expression& each) {
    cheap &= std::holds_alternative<Literal>(each.node) || std::holds_alternative<VariableExpression>(each.node) ||
             std::holds_alternative<Swizzle>(each.node) || std::holds_alternative<Convert>(each.node) ||
             std::holds_alternative<Construct>(each.node);
  });
  return cheap;
}

Scalar common_type(std::span<const ExpressionPtr> scalars) {
  bool has_u32 = false;
  for (const ExpressionPtr& each : scalars) {
    const bool is_u32 = scalar_of(*each) == Scalar::U32;
    if (!is_u32 && as_literal(*each) == nullptr) return Scalar::I32;
    has_u32 |= is_u32;
  }
  return has_u32 ? Scalar::U32 : Scalar::I32;
}

ExpressionPtr substitute(const CoordinateExpression& expression, const std::array<ExpressionPtr, 5>& position,
                         Scalar scalar) {
  using Operation = CoordinateExpression::Operation;
  const auto operand = [&](const CoordinateExpression& side) { return substitute(side, position, scalar); };
  switch (expression.operation()) {
    case Operation::Constant: return constant(scalar, expression.constant());
    case Operation::Variable: {
      const ExpressionPtr& value = position[static_cast<std::size_t>(expression.axis())];
      return value ? as(scalar, clone(*value)) : constant(scalar, 0);
    }
    case Operation::Add: return add(operand(expression.left()), operand(expression.right()));
    case Operation::Multiply: return multiply(operand(expression.left()), expression.right().constant());
    case Operation::Divide: return divide(operand(expression.left()), expression.right().constant());
    case Operation::Remainder: return remainder(operand(expression.left()), expression.right().constant());
  }
  throw InternalError("A coordinate expression has an unknown operation.");
}

}  // namespace driftwood::shader::address
