// Expressions, all but the built-in functions.
#include <bit>
#include <utility>

#include "base/error.h"
#include "shader/interpreter/components.h"
#include "shader/interpreter/lowering.h"

namespace driftwood::shader::interpreter {
namespace {

std::uint32_t word_of(const ConstantScalar& c) {
  switch (c.scalar) {
    case Scalar::Bool: return c.i != 0 ? 0xFFFFFFFFU : 0U;
    case Scalar::AbstractInt:
    case Scalar::I32:
    case Scalar::U32: return static_cast<std::uint32_t>(c.i);
    case Scalar::AbstractFloat:
    case Scalar::F32:
    case Scalar::F16: return std::bit_cast<std::uint32_t>(static_cast<float>(c.f));
  }
  return 0;
}

bool any_of(const std::vector<ExpressionPtr>& list, bool (*test)(const Expression&)) {
  for (const ExpressionPtr& e : list) {
    if (test(*e)) return true;
  }
  return false;
}

/// Whether evaluating it where the language would not leaves no trace: no memory, no index, no call.
bool is_harmless(const Expression& e) {
  if (std::holds_alternative<Literal>(e.node)) return true;
  if (const auto* n = std::get_if<VariableExpression>(&e.node)) {
    return n->variable->space != AddressSpace::Workgroup && !e.type->as<PointerType>();
  }
  if (const auto* n = std::get_if<Unary>(&e.node)) return is_harmless(*n->operand);
  if (const auto* n = std::get_if<Binary>(&e.node)) return is_harmless(*n->left) && is_harmless(*n->right);
  if (const auto* n = std::get_if<Convert>(&e.node)) return is_harmless(*n->operand);
  if (const auto* n = std::get_if<Swizzle>(&e.node)) return is_harmless(*n->base);
  return false;
}

bool has_return(const Block& block);

bool has_return(const Statement& statement) {
  if (std::holds_alternative<Return>(statement.node)) return true;
  if (const auto* s = std::get_if<If>(&statement.node)) return has_return(s->then_block) || has_return(s->else_block);
  if (const auto* s = std::get_if<For>(&statement.node)) return has_return(s->body);
  if (const auto* s = std::get_if<Loop>(&statement.node)) return has_return(s->body);
  if (const auto* s = std::get_if<BlockStatement>(&statement.node)) return has_return(s->body);
  if (const auto* s = std::get_if<Switch>(&statement.node)) {
    for (const Switch::Case& c : s->cases) {
      if (has_return(c.body)) return true;
    }
  }
  return false;
}

bool has_return(const Block& block) {
  for (const StatementPtr& s : block) {
    if (has_return(*s)) return true;
  }
  return false;
}

bool is_comparison(BinaryOp op) { return op >= BinaryOp::Equal; }

bool can_overflow(BinaryOp op) {
  return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply || op == BinaryOp::ShiftLeft;
}

}  // namespace

bool has_call(const Expression& e) {
  if (std::holds_alternative<FunctionCall>(e.node)) return true;
  if (const auto* n = std::get_if<Unary>(&e.node)) return has_call(*n->operand);
  if (const auto* n = std::get_if<Binary>(&e.node)) return has_call(*n->left) || has_call(*n->right);
  if (const auto* n = std::get_if<BuiltinCall>(&e.node)) return any_of(n->arguments, has_call);
  if (const auto* n = std::get_if<Construct>(&e.node)) return any_of(n->arguments, has_call);
  if (const auto* n = std::get_if<Convert>(&e.node)) return has_call(*n->operand);
  if (const auto* n = std::get_if<Bitcast>(&e.node)) return has_call(*n->operand);
  if (const auto* n = std::get_if<Index>(&e.node)) return has_call(*n->base) || has_call(*n->index);
  if (const auto* n = std::get_if<Member>(&e.node)) return has_call(*n->base);
  if (const auto* n = std::get_if<Swizzle>(&e.node)) return has_call(*n->base);
  if (const auto* n = std::get_if<AddressOf>(&e.node)) return has_call(*n->reference);
  if (const auto* n = std::get_if<Dereference>(&e.node)) return has_call(*n->pointer);
  if (const auto* n = std::get_if<ObjectLoad>(&e.node)) return any_of(n->coordinates, has_call);
  return false;
}

Lowering::Value Lowering::eval(const Expression& e, bool tracked) {
  const bool is_int = width_of(e.type) > 0 && is_integer(*scalar_of(e.type));
  if (e.is_reference) return load_from(place_of(e), e.range, tracked && is_int);
  return std::visit([&](const auto& node) { return eval_node(node, e, tracked && is_int); }, e.node);
}

std::vector<Lowering::Value> Lowering::eval_all(const std::vector<ExpressionPtr>& list, bool tracked) {
  std::vector<Value> values;
  for (std::size_t k = 0; k < list.size(); ++k) {
    Value value = eval(*list[k], tracked);
    if (value.ownership == Ownership::Mutable) {
      bool may_change = false;
      for (std::size_t later = k + 1; later < list.size(); ++later) may_change |= has_call(*list[later]);
      if (may_change) value = copied(value, !value.taints.empty());
    }
    values.push_back(std::move(value));
  }
  return values;
}

Lowering::Value Lowering::eval_node(const Literal& n, const Expression&, bool) {
  // Tables are indexed, so their constants stand side by side; single values are shared.
  constexpr std::size_t largest_shared = 4;
  Value value;
  value.ownership = Ownership::Immutable;
  if (n.components.size() <= largest_shared) {
    for (const ConstantScalar& c : n.components) value.registers.push_back(constant(word_of(c)));
    return value;
  }
  const auto [it, is_new] =
      tables_.try_emplace(&n, first_constant + static_cast<Register>(executable_.constants_.size()));
  for (std::size_t k = 0; k < n.components.size(); ++k) {
    if (is_new) executable_.constants_.push_back(word_of(n.components[k]));
    value.registers.push_back(it->second + static_cast<Register>(k));
  }
  return value;
}

Lowering::Value Lowering::eval_node(const VariableExpression& n, const Expression& e, bool tracked) {
  const Binding& binding = bindings_.at(n.variable);
  if (binding.is_place) return load_from(binding.place, e.range, tracked);
  Value value = binding.value;
  if (!tracked) value.taints.clear();
  return value;
}

Lowering::Value Lowering::eval_node(const ResourceExpression&, const Expression& e, bool) {
  return load_from(place_of(e), e.range, false);
}

Lowering::Value Lowering::eval_node(const Unary& n, const Expression& e, bool tracked) {
  const Scalar scalar = *scalar_of(e.type);
  const Value result = fresh(component_count(e.type));
  const Register mark = next_;
  const bool carries = tracked && n.op == UnaryOp::Negate;
  const Value operand = eval(*n.operand, carries);
  for (std::size_t k = 0; k < result.registers.size(); ++k) {
    emit(unary_handler(n.op, scalar), result.registers[k], operand.registers[k]);
  }
  if (!carries || operand.taints.empty()) {
    next_ = mark;
    return result;
  }
  Value tainted = result;
  tainted.taints = operand.taints;
  return tainted;
}

Register Lowering::merged(Register taint, Register other) {
  if (taint == no_register || taint == other) return other;
  if (other == no_register) return taint;
  const Register r = allocate(1);
  emit(merge_taint, r, taint, other);
  return r;
}

void Lowering::emit_binary(BinaryOp op, Scalar scalar, const Value& a, const Value& b, const Value& result,
                           SourceRange range) {
  const Handler handler = binary_handler(op, scalar);
  const std::size_t a_step = a.registers.size() > 1 ? 1 : 0;
  const std::size_t b_step = b.registers.size() > 1 ? 1 : 0;
  const bool overflows = !result.taints.empty() && can_overflow(op);
  const std::uint32_t where = overflows ? add_range(range) : 0;
  for (std::size_t k = 0; k < result.registers.size(); ++k) {
    const Register x = a.registers[k * a_step];
    const Register y = b.registers[k * b_step];
    emit(handler, result.registers[k], x, y);
    if (scalar == Scalar::F16 && !is_comparison(op)) emit(round_half, result.registers[k], result.registers[k]);
    if (result.taints.empty()) continue;
    const Register before = merged(a.taint(k * a_step), b.taint(k * b_step));
    if (overflows) {
      emit(overflow_handler(op, scalar), result.taints[k], x, y, before).info = where;
    } else {
      emit(copy, result.taints[k], before == no_register || op == BinaryOp::Xor ? constant(0) : before);
    }
  }
}

Lowering::Value Lowering::eval_node(const Binary& n, const Expression& e, bool tracked) {
  const bool is_logical = n.op == BinaryOp::LogicalAnd || n.op == BinaryOp::LogicalOr;
  if (is_logical && !is_harmless(*n.right)) return short_circuit(n);
  const Value result = fresh(component_count(e.type), tracked);
  const Register mark = next_;
  const bool carries = tracked && n.op != BinaryOp::Xor;
  Value left = eval(*n.left, carries);
  if (left.ownership == Ownership::Mutable && has_call(*n.right)) left = copied(left, !left.taints.empty());
  const Value right = eval(*n.right, carries);
  emit_binary(n.op, *scalar_of(n.left->type), left, right, result, e.range);
  next_ = mark;
  return result;
}

Lowering::Value Lowering::short_circuit(const Binary& n) {
  const Value result = fresh(1);
  const Register mark = next_;
  const Value left = eval(*n.left);
  const Register r = result.registers[0];
  emit(copy, r, left.registers[0]);
  const Register condition = allocate(1);
  const Register rest = allocate(1);
  const bool is_and = n.op == BinaryOp::LogicalAnd;
  emit(is_and ? Handler{copy} : unary_handler(UnaryOp::Not, Scalar::Bool), condition, r);
  const std::size_t begin = here();
  emit(if_begin, rest, condition);
  emit(copy_active, r, eval(*n.right).registers[0]);
  jump_here(begin);
  emit(mask_join, no_register, rest);
  next_ = mark;
  return result;
}

Lowering::Value Lowering::eval_node(const FunctionCall& n, const Expression& e, bool tracked) {
  const Function& function = *n.function;
  std::vector<Value> values;
  for (std::size_t k = 0; k < n.arguments.size(); ++k) {
    const Expression& argument = *n.arguments[k];
    const Variable* parameter = function.parameters[k].get();
    Binding binding;
    if (parameter->type->as<PointerType>()) {
      binding.is_place = true;
      binding.place = pointee_of(argument);
    } else {
      const bool feeds = executable_.options_.check_overflow && address_use_.feeds_address(parameter);
      binding.value = eval(argument, feeds);
      // The function may change what the argument was read from.
      if (binding.value.ownership == Ownership::Mutable) {
        binding.value = copied(binding.value, !binding.value.taints.empty());
      }
      binding.value.ownership = Ownership::Immutable;
    }
    bindings_[parameter] = std::move(binding);
  }
  const std::vector<Target> outer = std::exchange(targets_, {});
  const Block& body = function.body;
  Value result;
  const Return* last = body.empty() ? nullptr : std::get_if<Return>(&body.back()->node);
  bool returns_early = false;
  for (std::size_t k = 0; k + (last ? 1 : 0) < body.size(); ++k) returns_early |= has_return(*body[k]);
  if (!returns_early) {
    // All invocations that enter leave together: no mask to keep.
    for (std::size_t k = 0; k + (last ? 1 : 0) < body.size(); ++k) lower(*body[k]);
    if (last && last->value) result = eval(*last->value, tracked);
    if (result.ownership == Ownership::Mutable) result = copied(result, !result.taints.empty());
  } else {
    result = fresh(component_count(e.type), tracked);
    const Register entered = allocate(1);
    emit(mask_save, entered);
    const Register mark = next_;
    frames_.push_back({.function = &function, .result = result, .tracked = tracked});
    lower(body);
    frames_.pop_back();
    next_ = mark;
    emit(mask_set, no_register, entered);
  }
  targets_ = outer;
  return result;
}

Lowering::Value Lowering::eval_node(const Construct& n, const Expression& e, bool tracked) {
  Value result;
  const std::uint64_t count = component_count(e.type);
  if (n.arguments.empty()) {
    result.registers.assign(count, constant(0));
    result.ownership = Ownership::Immutable;
    return result;
  }
  for (const Value& value : eval_all(n.arguments, tracked)) {
    for (std::size_t k = 0; k < value.registers.size(); ++k) {
      result.registers.push_back(value.registers[k]);
      if (tracked) result.taints.push_back(value.taint(k));
    }
    result.ownership = std::max(result.ownership, value.ownership);
  }
  if (result.registers.size() == 1 && count > 1) {  // splat
    result.registers.assign(count, result.registers[0]);
    if (tracked) result.taints.assign(count, result.taints[0]);
  }
  return result;
}

void Lowering::emit_conversion(Scalar from, Scalar to, Register a, Register r) {
  const Handler handler = conversion_handler(from, to);
  emit(handler ? handler : Handler{copy}, r, a);
  if (to == Scalar::F16 && from != Scalar::F16 && from != Scalar::Bool) emit(round_half, r, r);
}

Lowering::Value Lowering::eval_node(const Convert& n, const Expression& e, bool tracked) {
  const Scalar from = *scalar_of(n.operand->type);
  const Scalar to = *scalar_of(e.type);
  if (!conversion_handler(from, to) && (to != Scalar::F16 || from == Scalar::F16)) return eval(*n.operand, tracked);
  const Value result = fresh(component_count(e.type));
  const Register mark = next_;
  const Value operand = eval(*n.operand);
  for (std::size_t k = 0; k < result.registers.size(); ++k) {
    emit_conversion(from, to, operand.registers[k], result.registers[k]);
  }
  next_ = mark;
  return result;
}

Lowering::Value Lowering::eval_node(const Bitcast& n, const Expression& e, bool tracked) {
  const bool from_half = scalar_of(n.operand->type) == Scalar::F16;
  const bool to_half = scalar_of(e.type) == Scalar::F16;
  if (from_half == to_half) return eval(*n.operand, tracked);
  const Value result = fresh(component_count(e.type));
  const Register mark = next_;
  const Value operand = eval(*n.operand);
  if (from_half) {
    for (std::size_t k = 0; k < result.registers.size(); ++k) {
      emit(pack_halves, result.registers[k], operand.registers[2 * k], operand.registers[2 * k + 1]);
    }
  } else {
    for (std::size_t k = 0; k < result.registers.size(); ++k) {
      emit(unpack_half, result.registers[k], operand.registers[k / 2]).info = k % 2;
    }
  }
  next_ = mark;
  return result;
}

Lowering::Value Lowering::eval_node(const Index& n, const Expression& e, bool) {
  if (n.base->is_reference) return load_from(place_of(e), e.range, false);
  Value base = eval(*n.base);
  Place place;
  place.type = n.base->type;
  place.name = to_string(n.base->type);
  if (!is_contiguous(base)) base = copied(base, false);
  place.base = base.registers[0];
  if (base.ownership == Ownership::Mutable && has_call(*n.index)) place.base = copied(base, false).registers[0];
  Value value = load_from(indexed(place, *n.index, e.range), e.range, false);
  return value;
}

Lowering::Value Lowering::eval_node(const Member& n, const Expression& e, bool) {
  if (n.base->is_reference) return load_from(place_of(e), e.range, false);
  const Value base = eval(*n.base);
  const std::size_t first = component_offset(*n.base->type->as<StructType>(), n.field);
  Value value;
  value.ownership = base.ownership;
  for (std::size_t k = 0; k < component_count(e.type); ++k) value.registers.push_back(base.registers[first + k]);
  return value;
}

Lowering::Value Lowering::eval_node(const Swizzle& n, const Expression& e, bool tracked) {
  if (n.base->is_reference && n.count == 1) return load_from(place_of(e), e.range, tracked);
  const Value base = eval(*n.base, tracked);
  Value value;
  value.ownership = base.ownership;
  for (std::size_t k = 0; k < n.count; ++k) {
    value.registers.push_back(base.registers[n.components[k]]);
    if (tracked) value.taints.push_back(base.taint(n.components[k]));
  }
  return value;
}

Lowering::Value Lowering::eval_node(const AddressOf&, const Expression&, bool) {
  throw InternalError("A pointer of '" + executable_.name_ + "' is used as a value.");
}

Lowering::Value Lowering::eval_node(const Dereference&, const Expression& e, bool tracked) {
  return load_from(place_of(e), e.range, tracked);
}

Lowering::Value Lowering::eval_node(const ObjectLoad& n, const Expression& e, bool) {
  const DataType type = n.object->texel;
  const bool is_float_texel = type == DataType::F32 || type == DataType::F16;
  const Scalar native = is_float_texel                                  ? Scalar::F32
                        : type == DataType::I8 || type == DataType::I32 ? Scalar::I32
                                                                        : Scalar::U32;
  const Scalar to = *scalar_of(e.type);
  const bool is_words = width_of(e.type) == 2;
  const Value result = fresh(is_words ? 2 : 4);
  const Register mark = next_;
  const Place place = texel(*n.object, n.coordinates);
  AccessInfo info = access(place, 0, Element::Word, is_words ? 2 : 4, e.range);
  info.element = is_words                ? Element::Word
                 : type == DataType::F16 ? Element::Half
                 : type == DataType::I8  ? Element::Byte
                 : type == DataType::U8  ? Element::UnsignedByte
                                         : Element::Word;
  executable_.accesses_.push_back(info);
  emit(load, result.registers[0], place.offset).info = static_cast<std::uint32_t>(executable_.accesses_.size() - 1);
  if (native != to && !is_words && !(type == DataType::F16 && to == Scalar::F16)) {
    for (const Register r : result.registers) emit_conversion(native, to, r, r);
  }
  next_ = mark;
  return result;
}

}  // namespace driftwood::shader::interpreter
