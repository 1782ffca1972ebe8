// Unary and binary operators, with folding of what is known.
#include "shader/checking/checker_state.h"
#include "shader/checking/constants.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

namespace {

enum class OperatorClass : std::uint8_t { Arithmetic, Bitwise, Equality, Ordering };

OperatorClass class_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor: return OperatorClass::Bitwise;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual: return OperatorClass::Equality;
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual: return OperatorClass::Ordering;
    default: return OperatorClass::Arithmetic;
  }
}

bool admits(BinaryOp op, Scalar scalar) {
  switch (class_of(op)) {
    case OperatorClass::Arithmetic:
    case OperatorClass::Ordering: return scalar != Scalar::Bool;
    case OperatorClass::Bitwise: return is_integer(scalar) || (scalar == Scalar::Bool && op != BinaryOp::Xor);
    case OperatorClass::Equality: return true;
  }
  return false;
}

bool has_zero(const Expression& expression) {
  const Literal* known = as_literal(expression);
  if (!known) return false;
  for (const ConstantScalar& component : known->components) {
    if (!is_float(component.scalar) && component.i == 0) return true;
  }
  return false;
}

}  // namespace

ExpressionPtr Checker::node(const syntax::Unary& source, SourceRange range) {
  if (source.op == syntax::UnaryOp::AddressOf) return address_of(*source.operand, range);
  if (source.op == syntax::UnaryOp::Dereference) {
    ExpressionPtr pointer = value(*source.operand);
    if (!pointer->type->as<PointerType>()) {
      fail(source.operand->range, "'*' takes a pointer, not " + to_string(pointer->type) + ".");
    }
    return dereference(std::move(pointer), range);
  }
  ExpressionPtr operand = value(*source.operand);
  const int width = width_of(operand->type);
  const auto scalar = width > 0 ? scalar_of(operand->type) : std::nullopt;
  UnaryOp op = UnaryOp::Negate;
  bool fits = scalar.has_value();
  switch (source.op) {
    case syntax::UnaryOp::Not:
      op = UnaryOp::Not;
      fits = fits && *scalar == Scalar::Bool;
      break;
    case syntax::UnaryOp::Complement:
      op = UnaryOp::Complement;
      fits = fits && is_integer(*scalar);
      break;
    default: fits = fits && *scalar != Scalar::Bool && *scalar != Scalar::U32; break;
  }
  if (!fits) {
    fail(range, "The operator '" + std::string(syntax::to_string(source.op)) + "' does not take " +
                    to_string(operand->type) + ".");
  }
  const TypePtr type = operand->type;
  if (const Literal* known = as_literal(*operand)) {
    std::vector<ConstantScalar> components;
    for (const ConstantScalar& component : known->components) {
      const Folded folded = fold_unary(op, component);
      if (!folded.ok()) return impossible_value(folded.error, type, range);
      components.push_back(folded.value);
    }
    return literal(type, std::move(components), range);
  }
  return build::expression(type, Unary{op, std::move(operand)}, range);
}

ExpressionPtr Checker::address_of(const syntax::Expression& source, SourceRange range) {
  ExpressionPtr reference = expression(source);
  const bool is_call = std::holds_alternative<syntax::Call>(source.node);
  if (!reference->is_reference || is_call) {
    fail(source.range, "'&' takes a variable or a part of one; this is a value.");
  }
  bool is_component = std::holds_alternative<Swizzle>(reference->node);
  if (const auto* index = std::get_if<Index>(&reference->node))
    is_component = index->base->type->as<VectorType>() != nullptr;
  if (is_component) fail(source.range, "'&' cannot take a component of a vector.");
  const PointerType place = place_of(*reference);
  const TypePtr type = pointer_type(place.space, reference->type, place.access);
  return build::expression(type, AddressOf{std::move(reference)}, range);
}

ExpressionPtr Checker::node(const syntax::Binary& source, SourceRange range) {
  if (source.op == BinaryOp::LogicalAnd || source.op == BinaryOp::LogicalOr) return logical(source, range);
  ExpressionPtr left = value(*source.left);
  ExpressionPtr right = value(*source.right);
  return make_binary(source.op, std::move(left), std::move(right), range);
}

ExpressionPtr Checker::logical(const syntax::Binary& source, SourceRange range) {
  const std::string what = "'" + std::string(syntax::to_string(source.op)) + "'";
  const auto operand = [&](const syntax::Expression& side) {
    ExpressionPtr checked = value(side);
    const auto* scalar = checked->type->as<ScalarType>();
    if (!scalar || scalar->scalar != Scalar::Bool) {
      fail(side.range, "The operator " + what + " takes bool, not " + to_string(checked->type) + ".");
    }
    return checked;
  };
  ExpressionPtr left = operand(*source.left);
  const auto known = integer_value(*left);
  const bool decided = known && (*known != 0) == (source.op == BinaryOp::LogicalOr);
  // The right side is evaluated only if the left one does not decide, so nothing may be moved before it.
  const Restore<Block*> sink(context_.sink, nullptr);
  const Restore<bool> dead(context_.is_dead, context_.is_dead || decided);
  ExpressionPtr right = operand(*source.right);
  if (decided) return build::literal_bool(*known != 0, range);
  if (known) return right;
  return build::expression(scalar_type(Scalar::Bool), Binary{source.op, std::move(left), std::move(right)}, range);
}

void Checker::fail_operands(BinaryOp op, const Expression& left, const Expression& right, SourceRange range) {
  std::string hint;
  const int widths[] = {width_of(left.type), width_of(right.type)};
  if (widths[0] > 0 && widths[1] > 0 && !same_type(left.type, right.type) && !left.type->as<AtomicType>() &&
      !right.type->as<AtomicType>()) {
    hint = " Types are never converted on their own; convert one side, as in 'f32(x)'.";
  }
  fail(range, "The operator '" + std::string(syntax::to_string(op)) + "' does not take " + to_string(left.type) +
                  " and " + to_string(right.type) + "." + hint);
}

ExpressionPtr Checker::make_binary(BinaryOp op, ExpressionPtr left, ExpressionPtr right, SourceRange range) {
  if (op == BinaryOp::ShiftLeft || op == BinaryOp::ShiftRight) {
    return make_shift(op, std::move(left), std::move(right), range);
  }
  const int left_width = width_of(left->type);
  const int right_width = width_of(right->type);
  if (left_width == 0 || right_width == 0) fail_operands(op, *left, *right, range);
  const bool may_mix = class_of(op) == OperatorClass::Arithmetic;
  const bool widths_fit = left_width == right_width || (may_mix && (left_width == 1 || right_width == 1));
  const auto scalar = unify(*scalar_of(left->type), *scalar_of(right->type));
  if (!widths_fit || !scalar || !admits(op, *scalar)) fail_operands(op, *left, *right, range);
  left = convert(std::move(left), numeric_type(*scalar, left_width), "the left operand");
  right = convert(std::move(right), numeric_type(*scalar, right_width), "the right operand");

  const int width = std::max(left_width, right_width);
  const bool compares = class_of(op) == OperatorClass::Equality || class_of(op) == OperatorClass::Ordering;
  const TypePtr type = numeric_type(compares ? Scalar::Bool : *scalar, width);
  if (as_literal(*left) && as_literal(*right)) return folded_binary(op, *left, *right, type, range);
  if ((op == BinaryOp::Divide || op == BinaryOp::Remainder) && has_zero(*right)) {
    return impossible_value("Integer division by zero.", type, range);
  }
  return build::expression(type, Binary{op, std::move(left), std::move(right)}, range);
}

ExpressionPtr Checker::make_shift(BinaryOp op, ExpressionPtr left, ExpressionPtr right, SourceRange range) {
  const int width = width_of(left->type);
  const auto scalar = width > 0 ? scalar_of(left->type) : std::nullopt;
  const TypePtr amount = width > 0 ? numeric_type(Scalar::U32, width) : nullptr;
  if (!scalar || !is_integer(*scalar) || left->type->as<AtomicType>() || !converts(right->type, amount)) {
    const bool is_signed = amount && scalar_of(right->type) == Scalar::I32 && width_of(right->type) == width;
    if (is_signed) {
      fail(right->range, "The amount of a shift is u32, not " + to_string(right->type) + ". Convert it with '" +
                             to_string(amount) + "(...)'.");
    }
    fail_operands(op, *left, *right, range);
  }
  right = convert(std::move(right), amount, "the amount of a shift");
  const Literal* known = as_literal(*right);
  if (!known || !as_literal(*left)) left = make_concrete(std::move(left));
  const TypePtr type = left->type;
  if (!known) return build::expression(type, Binary{op, std::move(left), std::move(right)}, range);
  if (as_literal(*left)) return folded_binary(op, *left, *right, type, range);
  for (const ConstantScalar& component : known->components) {
    if (component.i < 32) continue;
    return impossible_value("A shift by " + to_string(component) + " goes too far; " +
                                std::string(to_string(*scalar_of(type))) + " has 32 bits.",
                            type, range);
  }
  return build::expression(type, Binary{op, std::move(left), std::move(right)}, range);
}

ExpressionPtr Checker::folded_binary(BinaryOp op, const Expression& left, const Expression& right, TypePtr type,
                                     SourceRange range) {
  const auto& a = as_literal(left)->components;
  const auto& b = as_literal(right)->components;
  std::vector<ConstantScalar> components;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const Folded folded = fold_binary(op, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    if (!folded.ok()) return impossible_value(folded.error, std::move(type), range);
    components.push_back(folded.value);
  }
  return literal(std::move(type), std::move(components), range);
}

}  // namespace driftwood::shader::checking
