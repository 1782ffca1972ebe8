// Folding of one expression whose operands are folded already.
#include <algorithm>
#include <cmath>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/fold_scalars.h"

namespace driftwood::shader {

namespace {

using optimizing::component_count;

bool is_droppable(const Expression& expression) { return !has_side_effects(expression); }

// Whether every component of a literal is this number.
bool is_number(const Expression& expression, int number) {
  const Literal* literal = as_literal(expression);
  if (literal == nullptr || literal->components.empty() || width_of(expression.type) == 0) return false;
  return std::all_of(literal->components.begin(), literal->components.end(), [&](const ConstantScalar& each) {
    return is_float(each.scalar) ? each.f == number && !(number == 0 && std::signbit(each.f)) : each.i == number;
  });
}

bool is_literal(const ExpressionPtr& expression) { return as_literal(*expression) != nullptr; }

void replace_by_literal(ExpressionPtr& expression, std::vector<ConstantScalar> components) {
  expression = build::literal(expression->type, std::move(components), expression->range);
}

void replace_by(ExpressionPtr& expression, ExpressionPtr& part) {
  ExpressionPtr kept = std::move(part);
  expression = std::move(kept);
}

bool fold_literals(ExpressionPtr& expression, BinaryOp op, const Literal& left, const Literal& right) {
  const std::size_t width = std::max(left.components.size(), right.components.size());
  std::vector<ConstantScalar> result;
  for (std::size_t i = 0; i < width; ++i) {
    const auto folded = optimizing::fold_binary(op, left.components[left.components.size() == 1 ? 0 : i],
                                                right.components[right.components.size() == 1 ? 0 : i]);
    if (!folded) return false;
    result.push_back(*folded);
  }
  replace_by_literal(expression, std::move(result));
  return true;
}

bool fold_logical(ExpressionPtr& expression, Binary& node) {
  const bool is_and = node.op == BinaryOp::LogicalAnd;
  if (const auto left = integer_value(*node.left)) {
    replace_by(expression, (*left != 0) == is_and ? node.right : node.left);
    return true;
  }
  const auto right = integer_value(*node.right);
  if (!right) return false;
  if ((*right != 0) == is_and) {
    replace_by(expression, node.left);
    return true;
  }
  if (!is_droppable(*node.left)) return false;
  replace_by(expression, node.right);
  return true;
}

// (x + 1) + 2 is x + 3: integers wrap, so their sums and products may be joined.
void join_constants(Binary& node) {
  if (node.op != BinaryOp::Add && node.op != BinaryOp::Multiply) return;
  if (is_literal(node.left) && !is_literal(node.right)) std::swap(node.left, node.right);
  auto* inner = std::get_if<Binary>(&node.left->node);
  if (!is_literal(node.right) || inner == nullptr || inner->op != node.op || !is_literal(inner->right)) return;
  if (inner->right->type == nullptr || !same_type(inner->right->type, node.right->type)) return;
  if (!same_type(inner->left->type, node.left->type)) return;
  fold_literals(node.right, node.op, *as_literal(*inner->right), *as_literal(*node.right));
  ExpressionPtr kept = std::move(inner->left);
  node.left = std::move(kept);
}

bool fold_neutral(ExpressionPtr& expression, Binary& node) {
  const bool floating = is_float(scalar_of(expression->type).value_or(Scalar::F32));
  const auto keep = [&](ExpressionPtr& kept) {
    if (!same_type(kept->type, expression->type)) return false;
    replace_by(expression, kept);
    return true;
  };
  const auto keep_zero = [&](ExpressionPtr& zero, const ExpressionPtr& other) {
    return !floating && is_droppable(*other) && keep(zero);
  };
  const bool left_zero = is_number(*node.left, 0), right_zero = is_number(*node.right, 0);
  switch (node.op) {
    case BinaryOp::Add:
      if (floating) return false;  // -0.0 + 0.0 is 0.0
      return (right_zero && keep(node.left)) || (left_zero && keep(node.right));
    case BinaryOp::Subtract: return right_zero && keep(node.left);
    case BinaryOp::Multiply:
      if (is_number(*node.right, 1)) return keep(node.left);
      if (is_number(*node.left, 1)) return keep(node.right);
      return (right_zero && keep_zero(node.right, node.left)) || (left_zero && keep_zero(node.left, node.right));
    case BinaryOp::Divide: return is_number(*node.right, 1) && keep(node.left);
    case BinaryOp::Remainder:
      if (floating || !is_number(*node.right, 1) || !is_droppable(*node.left)) return false;
      {
        std::vector<ConstantScalar> zeroes;
        optimizing::append_zeroes(expression->type, zeroes);
        replace_by_literal(expression, std::move(zeroes));
      }
      return true;
    case BinaryOp::ShiftLeft:
    case BinaryOp::ShiftRight:
      return (right_zero && keep(node.left)) || (left_zero && is_droppable(*node.right) && keep(node.left));
    case BinaryOp::Or:
    case BinaryOp::Xor: return (right_zero && keep(node.left)) || (left_zero && keep(node.right));
    case BinaryOp::And:
      return (right_zero && keep_zero(node.right, node.left)) || (left_zero && keep_zero(node.left, node.right));
    default: return false;
  }
}

void fold_binary_node(ExpressionPtr& expression, Binary& node) {
  if (node.op == BinaryOp::LogicalAnd || node.op == BinaryOp::LogicalOr) {
    fold_logical(expression, node);
    return;
  }
  if (is_literal(node.left) && is_literal(node.right) &&
      fold_literals(expression, node.op, *as_literal(*node.left), *as_literal(*node.right))) {
    return;
  }
  const auto scalar = scalar_of(expression->type);
  if (scalar && is_integer(*scalar)) join_constants(node);
  if (fold_neutral(expression, node)) return;
  // x + -1 reads x - 1.
  const auto right = integer_value(*node.right);
  const bool is_small_negative = right && *right < 0 && *right > -(std::int64_t{1} << 31);
  if (node.op == BinaryOp::Add && scalar == Scalar::I32 && is_small_negative) {
    node.op = BinaryOp::Subtract;
    node.right = build::literal_i32(static_cast<std::int32_t>(-*right), node.right->range);
  }
}

void fold_select(ExpressionPtr& expression, BuiltinCall& node) {
  const Literal* condition = as_literal(*node.arguments[2]);
  if (condition == nullptr) return;
  const bool first = condition->components[0].i != 0;
  for (const ConstantScalar& each : condition->components) {
    if ((each.i != 0) != first) return;
  }
  if (is_droppable(*node.arguments[first ? 0 : 1])) replace_by(expression, node.arguments[first ? 1 : 0]);
}

void fold_call(ExpressionPtr& expression, BuiltinCall& node) {
  if (node.builtin == Builtin::Select) return fold_select(expression, node);
  if (node.arguments.empty() || node.arguments.size() > 3) return;
  if (!std::all_of(node.arguments.begin(), node.arguments.end(), is_literal)) return;
  if (node.builtin == Builtin::All || node.builtin == Builtin::Any) {
    const auto& components = as_literal(*node.arguments[0])->components;
    const auto is_true = [](const ConstantScalar& each) { return each.i != 0; };
    const bool result = node.builtin == Builtin::All ? std::all_of(components.begin(), components.end(), is_true)
                                                     : std::any_of(components.begin(), components.end(), is_true);
    replace_by_literal(expression, {optimizing::make_int(Scalar::Bool, result)});
    return;
  }
  std::vector<ConstantScalar> result;
  for (std::size_t i = 0; i < component_count(expression->type); ++i) {
    ConstantScalar arguments[3];
    for (std::size_t a = 0; a < node.arguments.size(); ++a) {
      const auto& components = as_literal(*node.arguments[a])->components;
      if (components.size() != 1 && components.size() <= i) return;
      arguments[a] = components[components.size() == 1 ? 0 : i];
    }
    const auto folded = optimizing::fold_builtin(node.builtin, arguments, node.arguments.size());
    if (!folded) return;
    result.push_back(*folded);
  }
  if (!result.empty()) replace_by_literal(expression, std::move(result));
}

// vec4(vec2(a, b), c, d) is vec4(a, b, c, d).
void flatten_arguments(Construct& node) {
  std::vector<ExpressionPtr> flat;
  for (ExpressionPtr& each : node.arguments) {
    auto* inner = std::get_if<Construct>(&each->node);
    if (inner == nullptr || inner->arguments.size() < 2) {
      flat.push_back(std::move(each));
      continue;
    }
    for (ExpressionPtr& part : inner->arguments) flat.push_back(std::move(part));
  }
  node.arguments = std::move(flat);
}

void fold_construct(ExpressionPtr& expression, Construct& node) {
  const int width = width_of(expression->type);
  std::vector<ConstantScalar> components;
  if (node.arguments.empty()) {
    if (width == 0) return;
    optimizing::append_zeroes(expression->type, components);
    return replace_by_literal(expression, std::move(components));
  }
  if (width > 0 && node.arguments.size() == 1 && same_type(node.arguments[0]->type, expression->type)) {
    return replace_by(expression, node.arguments[0]);
  }
  if (width > 1) flatten_arguments(node);
  for (const ExpressionPtr& each : node.arguments) {
    const Literal* literal = as_literal(*each);
    if (literal == nullptr) return;
    components.insert(components.end(), literal->components.begin(), literal->components.end());
  }
  if (components.size() == 1 && width > 1) components.resize(static_cast<std::size_t>(width), components[0]);
  replace_by_literal(expression, std::move(components));
}

// Component `at` of a vector constructor, if the argument that gives it can be taken alone.
bool take_component(ExpressionPtr& expression, Construct& construct, int at) {
  int first = 0;
  const bool is_splat = construct.arguments.size() == 1 && width_of(construct.arguments[0]->type) == 1;
  for (std::size_t i = 0; i < construct.arguments.size(); ++i) {
    const int width = is_splat ? 16 : width_of(construct.arguments[i]->type);
    if (at < first + width) {
      for (std::size_t other = 0; other < construct.arguments.size(); ++other) {
        if (other != i && !is_droppable(*construct.arguments[other])) return false;
      }
      ExpressionPtr part = std::move(construct.arguments[i]);
      expression = width_of(part->type) == 1 ? std::move(part) : build::component(std::move(part), at - first);
      fold_constants(expression);
      return true;
    }
    first += width;
  }
  return false;
}

void fold_swizzle(ExpressionPtr& expression, Swizzle& node) {
  if (const Literal* literal = as_literal(*node.base)) {
    std::vector<ConstantScalar> components;
    for (int i = 0; i < node.count; ++i) {
      components.push_back(literal->components[node.components[static_cast<std::size_t>(i)]]);
    }
    return replace_by_literal(expression, std::move(components));
  }
  if (auto* inner = std::get_if<Swizzle>(&node.base->node)) {
    for (int i = 0; i < node.count; ++i) {
      auto& component = node.components[static_cast<std::size_t>(i)];
      component = inner->components[component];
    }
    ExpressionPtr base = std::move(inner->base);
    node.base = std::move(base);
  }
  bool is_identity = node.count == width_of(node.base->type);
  for (int i = 0; i < node.count; ++i) is_identity = is_identity && node.components[static_cast<std::size_t>(i)] == i;
  if (is_identity) return replace_by(expression, node.base);
  auto* construct = std::get_if<Construct>(&node.base->node);
  if (construct != nullptr && node.count == 1 && !construct->arguments.empty()) {
    take_component(expression, *construct, node.components[0]);
  }
}

void take_part(ExpressionPtr& expression, const Literal& literal, std::size_t first) {
  const auto begin = literal.components.begin() + static_cast<std::ptrdiff_t>(first);
  std::vector<ConstantScalar> part(begin, begin + static_cast<std::ptrdiff_t>(component_count(expression->type)));
  replace_by_literal(expression, std::move(part));
}

void take_argument(ExpressionPtr& expression, Construct& construct, std::size_t at) {
  if (construct.arguments.empty()) {
    if (expression->type->as<ArrayType>() != nullptr) return;
    if (expression->type->as<MatrixType>() != nullptr) {
      expression = build::expression(expression->type, Construct{}, expression->range);
      return;
    }
    std::vector<ConstantScalar> zeroes;
    optimizing::append_zeroes(expression->type, zeroes);
    return replace_by_literal(expression, std::move(zeroes));
  }
  for (std::size_t i = 0; i < construct.arguments.size(); ++i) {
    if (i != at && !is_droppable(*construct.arguments[i])) return;
  }
  if (at < construct.arguments.size()) replace_by(expression, construct.arguments[at]);
}

void fold_index(ExpressionPtr& expression, Index& node) {
  const auto at = integer_value(*node.index);
  if (!at || *at < 0) return;
  const auto position = static_cast<std::size_t>(*at);
  if (const int width = width_of(node.base->type); width > 1) {
    if (*at >= width) return;
    expression = build::component(std::move(node.base), static_cast<int>(*at));
    return fold_constants(expression);
  }
  const auto* array = node.base->type->as<ArrayType>();
  if (array == nullptr || !array->count || position >= *array->count) return;
  if (const Literal* literal = as_literal(*node.base)) {
    return take_part(expression, *literal, position * component_count(expression->type));
  }
  if (auto* construct = std::get_if<Construct>(&node.base->node)) take_argument(expression, *construct, position);
}

void fold_member(ExpressionPtr& expression, Member& node) {
  if (const Literal* literal = as_literal(*node.base)) {
    const auto* structure = node.base->type->as<StructType>();
    std::size_t first = 0;
    for (std::uint32_t i = 0; i < node.field; ++i) first += component_count(structure->fields[i].type);
    return take_part(expression, *literal, first);
  }
  if (auto* construct = std::get_if<Construct>(&node.base->node)) take_argument(expression, *construct, node.field);
}

void fold_components(ExpressionPtr& expression, const ExpressionPtr& operand,
                     const std::function<std::optional<ConstantScalar>(const ConstantScalar&)>& fold) {
  const Literal* literal = as_literal(*operand);
  if (literal == nullptr) return;
  std::vector<ConstantScalar> result;
  for (const ConstantScalar& each : literal->components) {
    const auto folded = fold(each);
    if (!folded) return;
    result.push_back(*folded);
  }
  if (result.size() == component_count(expression->type)) replace_by_literal(expression, std::move(result));
}

// The comparison that holds where `op` does not; NaN allows that for equality alone.
std::optional<BinaryOp> opposite_of(BinaryOp op, Scalar scalar) {
  switch (op) {
    case BinaryOp::Equal: return BinaryOp::NotEqual;
    case BinaryOp::NotEqual: return BinaryOp::Equal;
    default: break;
  }
  if (is_float(scalar)) return std::nullopt;
  switch (op) {
    case BinaryOp::Less: return BinaryOp::GreaterEqual;
    case BinaryOp::LessEqual: return BinaryOp::Greater;
    case BinaryOp::Greater: return BinaryOp::LessEqual;
    case BinaryOp::GreaterEqual: return BinaryOp::Less;
    default: return std::nullopt;
  }
}

void fold_unary_node(ExpressionPtr& expression, Unary& node) {
  auto* inner = std::get_if<Unary>(&node.operand->node);
  if (inner != nullptr && inner->op == node.op) {  // - - x, ! ! x, ~ ~ x
    return replace_by(expression, inner->operand);
  }
  auto* compared = std::get_if<Binary>(&node.operand->node);
  if (node.op == UnaryOp::Not && compared != nullptr) {
    if (const auto opposite = opposite_of(compared->op, *scalar_of(compared->left->type))) {
      compared->op = *opposite;
      return replace_by(expression, node.operand);
    }
  }
  fold_components(expression, node.operand,
                  [&](const ConstantScalar& each) { return optimizing::fold_unary(node.op, each); });
}

void fold_node(ExpressionPtr& expression) {
  auto& node = expression->node;
  if (auto* unary = std::get_if<Unary>(&node)) return fold_unary_node(expression, *unary);
  if (auto* binary = std::get_if<Binary>(&node)) return fold_binary_node(expression, *binary);
  if (auto* call = std::get_if<BuiltinCall>(&node)) return fold_call(expression, *call);
  if (auto* construct = std::get_if<Construct>(&node)) return fold_construct(expression, *construct);
  if (auto* swizzle = std::get_if<Swizzle>(&node)) return fold_swizzle(expression, *swizzle);
  if (auto* index = std::get_if<Index>(&node)) return fold_index(expression, *index);
  if (auto* member = std::get_if<Member>(&node)) return fold_member(expression, *member);
  if (auto* convert = std::get_if<Convert>(&node)) {
    if (same_type(convert->operand->type, expression->type)) return replace_by(expression, convert->operand);
    const Scalar to = *scalar_of(expression->type);
    return fold_components(expression, convert->operand, [&](const ConstantScalar& each) {
      return std::optional(optimizing::fold_convert(each, to));
    });
  }
  if (auto* bitcast = std::get_if<Bitcast>(&node)) {
    if (same_type(bitcast->operand->type, expression->type)) return replace_by(expression, bitcast->operand);
    const Scalar to = *scalar_of(expression->type);
    return fold_components(expression, bitcast->operand,
                           [&](const ConstantScalar& each) { return optimizing::fold_bitcast(each, to); });
  }
  if (auto* dereference = std::get_if<Dereference>(&node)) {
    auto* address = std::get_if<AddressOf>(&dereference->pointer->node);
    if (address != nullptr) replace_by(expression, address->reference);
    return;
  }
  if (auto* address = std::get_if<AddressOf>(&node)) {
    auto* dereference = std::get_if<Dereference>(&address->reference->node);
    if (dereference != nullptr) replace_by(expression, dereference->pointer);
  }
}

}  // namespace

void fold_constants(ExpressionPtr& expression) {
  rewrite_expressions(expression, [](ExpressionPtr& each) { fold_node(each); });
}

}  // namespace driftwood::shader
