// Statements: structured control flow becomes masks over the invocations of a workgroup.
#include "base/error.h"
#include "shader/interpreter/components.h"
#include "shader/interpreter/lowering.h"

namespace driftwood::shader::interpreter {

void Lowering::lower(const Block& block) {
  for (const StatementPtr& statement : block) lower(*statement);
}

void Lowering::lower_scoped(const Block& block) {
  const Register mark = next_;
  lower(block);
  next_ = mark;
}

void Lowering::lower(const Statement& statement) {
  const Register mark = next_;
  std::visit([&](const auto& node) { lower_node(node, statement.range); }, statement.node);
  // What a declaration holds lives as long as its block.
  if (!std::holds_alternative<Declare>(statement.node)) next_ = mark;
}

void Lowering::lower_node(const Declare& s, SourceRange) {
  const Variable* variable = s.variable.get();
  Binding& binding = bindings_[variable];
  binding = {};
  if (variable->type->as<PointerType>()) {
    binding.is_place = true;
    binding.place = pointee_of(*s.initializer);
    return;
  }
  const bool tracked = executable_.options_.check_overflow && address_use_.feeds_address(variable) &&
                       width_of(variable->type) > 0 && is_integer(*scalar_of(variable->type));
  if (!variable->is_mutable) {
    Value value = eval(*s.initializer, tracked);
    if (value.ownership == Ownership::Mutable) value = copied(value, !value.taints.empty());
    value.ownership = Ownership::Immutable;
    binding.value = std::move(value);
    return;
  }
  const std::uint64_t count = component_count(variable->type);
  const Value home = fresh(count, tracked);
  const Register mark = next_;
  const Value value = s.initializer ? eval(*s.initializer, tracked) : Value{};
  for (std::size_t k = 0; k < count; ++k) {
    emit(copy, home.registers[k], s.initializer ? value.registers[k] : constant(0));
    if (tracked) emit(copy, home.taints[k], value.taint(k) == no_register ? constant(0) : value.taint(k));
  }
  next_ = mark;
  binding.is_place = true;
  binding.place.type = variable->type;
  binding.place.base = home.registers.empty() ? 0 : home.registers[0];
  binding.place.taints = tracked ? home.taints[0] : no_register;
  binding.place.name = "'" + variable->name + "'";
}

void Lowering::lower_node(const Assign& s, SourceRange range) {
  if (!s.target) {
    eval(*s.value);
    return;
  }
  const Place place = place_of(*s.target);
  store_to(place, eval(*s.value, place.taints != no_register), range);
}

void Lowering::lower_node(const CompoundAssign& s, SourceRange range) {
  const Place place = place_of(*s.target);
  const bool tracked = place.taints != no_register;
  Value old = load_from(place, s.target->range, tracked);
  // The right side may call a function that changes the target; its old value counts.
  if (old.ownership == Ownership::Mutable && has_call(*s.value)) old = copied(old, !old.taints.empty());
  const Value value = eval(*s.value, tracked);
  const Scalar scalar = *scalar_of(s.target->type);
  const Value result = fresh(old.registers.size(), tracked);
  emit_binary(s.op, scalar, old, value, result, range);
  store_to(place, result, range);
}

void Lowering::lower_node(const If& s, SourceRange) {
  const Value condition = eval(*s.condition);
  const Register rest = allocate(1);
  const std::size_t begin = here();
  emit(if_begin, rest, condition.registers[0]);
  lower_scoped(s.then_block);
  if (s.else_block.empty()) {
    jump_here(begin);
    emit(mask_join, no_register, rest);
    return;
  }
  const Register done = allocate(1);
  jump_here(begin);
  const std::size_t middle = here();
  emit(if_else, done, rest);
  lower_scoped(s.else_block);
  jump_here(middle);
  emit(mask_join, no_register, done);
}

void Lowering::lower_node(const For& s, SourceRange range) {
  if (s.init) lower(*s.init);
  const Register left = allocate(1);
  const Register continued = allocate(1);
  emit(mask_clear, left);
  const std::uint32_t head = here();
  const Register mark = next_;
  const Register condition = s.condition ? eval(*s.condition).registers[0] : no_register;
  const std::size_t test = here();
  emit(loop_test, left, condition);
  next_ = mark;
  emit(mask_clear, continued);
  targets_.push_back({left, continued});
  lower_scoped(s.body);
  targets_.pop_back();
  emit(mask_join, no_register, continued);
  if (s.update) lower(*s.update);
  emit(loop_back).target = head;
  executable_.code_.back().info = add_range(range);
  jump_here(test);
  emit(mask_set, no_register, left);
}

void Lowering::lower_node(const Loop& s, SourceRange range) {
  const Register left = allocate(1);
  const Register continued = allocate(1);
  emit(mask_clear, left);
  const std::uint32_t head = here();
  emit(mask_clear, continued);
  targets_.push_back({left, continued});
  const Register mark = next_;
  lower(s.body);  // `continuing` and `break if` see what the body declares
  targets_.pop_back();
  emit(mask_join, no_register, continued);
  lower(s.continuing);
  if (s.break_if) {
    const Register stay = allocate(1);
    const Value leave = eval(*s.break_if);
    emit(unary_handler(UnaryOp::Not, Scalar::Bool), stay, leave.registers[0]);
    const std::size_t test = here();
    emit(loop_test, left, stay);
    jump_here(test);
  }
  next_ = mark;
  emit(loop_back).target = head;
  executable_.code_.back().info = add_range(range);
  emit(mask_set, no_register, left);
}

void Lowering::lower_node(const Switch& s, SourceRange) {
  const Value selector = eval(*s.selector);
  const Handler equal = binary_handler(BinaryOp::Equal, Scalar::U32);
  const Handler either = binary_handler(BinaryOp::Or, Scalar::U32);
  // Every case's invocations are found before the first body runs: a body may change what the selector was read from.
  std::vector<Register> matching(s.cases.size(), no_register);
  for (std::size_t k = 0; k < s.cases.size(); ++k) {
    if (s.cases[k].is_default) continue;  // takes what no other case does, whatever else it lists
    matching[k] = allocate(1);
    emit(copy, matching[k], constant(0));
    const Register hit = allocate(1);
    for (const ConstantScalar& value : s.cases[k].selectors) {
      emit(equal, hit, selector.registers[0], constant(static_cast<std::uint32_t>(value.i)));
      emit(either, matching[k], matching[k], hit);
    }
  }
  const Register rest = allocate(1);
  const Register left = allocate(1);
  emit(mask_save, rest);
  emit(mask_clear, left);
  targets_.push_back({left, no_register});
  const Switch::Case* otherwise = nullptr;
  for (std::size_t k = 0; k < s.cases.size(); ++k) {
    if (s.cases[k].is_default) {
      otherwise = &s.cases[k];
      continue;
    }
    const std::size_t begin = here();
    emit(case_begin, no_register, matching[k], rest);
    lower_scoped(s.cases[k].body);
    emit(mask_collect, left);
    jump_here(begin);
  }
  emit(mask_set, no_register, rest);
  if (otherwise) {
    const std::size_t begin = here();
    emit(jump_if_none);
    lower_scoped(otherwise->body);
    jump_here(begin);
  }
  targets_.pop_back();
  emit(mask_join, no_register, left);
}

void Lowering::lower_node(const Break&, SourceRange) { emit(mask_leave, targets_.back().left); }

void Lowering::lower_node(const Continue&, SourceRange) {
  for (auto target = targets_.rbegin(); target != targets_.rend(); ++target) {
    if (target->continued == no_register) continue;
    emit(mask_leave, target->continued);
    return;
  }
  throw InternalError("A continue of '" + executable_.name_ + "' is in no loop.");
}

void Lowering::lower_node(const Return& s, SourceRange) {
  const Frame frame = frames_.back();
  if (s.value) {
    const Value value = eval(*s.value, frame.tracked);
    for (std::size_t k = 0; k < value.registers.size(); ++k) {
      emit(copy_active, frame.result.registers[k], value.registers[k]);
      if (frame.tracked) {
        emit(copy_active, frame.result.taints[k], value.taint(k) == no_register ? constant(0) : value.taint(k));
      }
    }
  }
  emit(mask_leave);
}

void Lowering::lower_node(const CallStatement& s, SourceRange) { eval(*s.call); }

void Lowering::lower_node(const BlockStatement& s, SourceRange) { lower_scoped(s.body); }

void Lowering::lower_node(const ObjectStore& s, SourceRange range) {
  Place place = texel(*s.object, s.coordinates);
  const Value value = eval(*s.value);
  const Scalar from = *scalar_of(s.value->type);
  const DataType type = s.object->texel;
  const bool is_byte = type == DataType::I8 || type == DataType::U8;
  const Scalar native = type == DataType::F32 || type == DataType::F16  ? Scalar::F32
                        : type == DataType::I8 || type == DataType::I32 ? Scalar::I32
                                                                        : Scalar::U32;
  std::vector<Register> sources;
  for (const Register component : value.registers) {
    const Register r = allocate(1);
    if (is_float(from) && !is_float(native)) {
      emit(round_even, r, component);
      emit(conversion_handler(from, native), r, r);
      if (is_byte) {
        emit(saturate_byte, r, r);
        executable_.code_.back().info = type == DataType::U8;
      }
    } else {
      emit_conversion(from, native, component, r);
    }
    sources.push_back(r);
  }
  AccessInfo info = access(place, 0, Element::Word, 4, range);
  info.element = type == DataType::F16 ? Element::Half : is_byte ? Element::UnsignedByte : Element::Word;
  executable_.accesses_.push_back(info);
  emit(store, no_register, place.offset, add_operands(sources));
  executable_.code_.back().info = static_cast<std::uint32_t>(executable_.accesses_.size() - 1);
}

}  // namespace driftwood::shader::interpreter
