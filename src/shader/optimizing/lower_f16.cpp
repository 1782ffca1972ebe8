#include "shader/diagnostics.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/variables.h"

namespace driftwood::shader {

namespace {

bool is_half(const TypePtr& type) { return scalar_of(type) == Scalar::F16; }

TypePtr numeric(Scalar scalar, int width) { return width > 1 ? vector_type(scalar, width) : scalar_type(scalar); }

// The type that registers and the kernel's own memory hold instead. Structures keep theirs, as buffers hold them too.
TypePtr widened(const TypePtr& type) {
  if (is_half(type)) return numeric(Scalar::F32, width_of(type));
  if (const auto* array = type->as<ArrayType>()) return array_type(widened(array->element), array->count);
  if (const auto* pointer = type->as<PointerType>()) {
    const bool is_buffer = pointer->space == AddressSpace::Storage || pointer->space == AddressSpace::Uniform;
    return is_buffer ? type : pointer_type(pointer->space, widened(pointer->pointee), pointer->access);
  }
  const auto* tensor = type->as<TensorType>();
  if (tensor != nullptr && tensor->value == Scalar::F16)
    return std::make_shared<const Type>(Type{TensorType{Scalar::F32}});
  const auto* weights = type->as<WeightsType>();
  if (weights != nullptr && weights->value == Scalar::F16) {
    return std::make_shared<const Type>(Type{WeightsType{Scalar::F32, weights->width}});
  }
  return type;
}

ExpressionPtr quantized(ExpressionPtr value) {
  const TypePtr type = value->type;
  return build::call(Builtin::QuantizeToF16, type, build::list(std::move(value)));
}

// A store rounds to f16 itself.
ExpressionPtr without_quantization(ExpressionPtr value) {
  auto* call = std::get_if<BuiltinCall>(&value->node);
  if (call == nullptr || call->builtin != Builtin::QuantizeToF16) return value;
  ExpressionPtr inner = std::move(call->arguments[0]);
  return inner;
}

class HalfLowering {
 public:
  explicit HalfLowering(Module& module) : module_(module) {}

  void run() {
    for (auto& resource : module_.resources) {
      const bool is_buffer = resource->kind == Resource::Kind::Storage || resource->kind == Resource::Kind::Uniform;
      if (!is_buffer && resource->type) resource->type = widened(resource->type);
    }
    for (auto& variable : module_.variables) {
      variable->type = widened(variable->type);
      if (variable->initializer) lower_value(variable->initializer);
    }
    for (auto& function : module_.functions) {
      function->result = widened(function->result);
      for (auto& parameter : function->parameters) parameter->type = widened(parameter->type);
      rewrite_statements(function->body, [&](StatementPtr& each) { lower(*each); });
    }
  }

 private:
  void lower(Statement& statement) {
    if (auto* declare = std::get_if<Declare>(&statement.node)) {
      declare->variable->type = widened(declare->variable->type);
    }
    if (auto* compound = std::get_if<CompoundAssign>(&statement.node)) {
      lower_place(compound->target);
      lower_value(compound->value);
      if (!is_half(compound->target->type)) return;
      ExpressionPtr old = as_value(clone(*compound->target));
      ExpressionPtr sum = build::binary(compound->op, std::move(old), std::move(compound->value));
      ExpressionPtr target = std::move(compound->target);
      const TypePtr type = target->type;
      statement.node = Assign{std::move(target), build::convert(type, std::move(sum))};
      return;
    }
    if (auto* assign = std::get_if<Assign>(&statement.node)) {
      if (assign->target) lower_place(assign->target);
      lower_value(assign->value);
      if (assign->target && is_half(assign->target->type)) {
        assign->value = build::convert(assign->target->type, without_quantization(std::move(assign->value)));
      }
      return;
    }
    for_each_expression(statement, [&](ExpressionPtr& each) { lower_value(each); });
    auto* store = std::get_if<ObjectStore>(&statement.node);
    if (store != nullptr && store->object->texel == DataType::F16) {
      store->value = without_quantization(std::move(store->value));
    }
  }

  // A place in a buffer keeps its f16; reading it is a conversion.
  ExpressionPtr as_value(ExpressionPtr place) {
    if (!is_half(place->type)) {
      if (place->type->as<ArrayType>() != nullptr && !same_type(place->type, widened(place->type))) {
        throw CompileError(module_.sources, place->range,
                           "An array of f16 in a buffer is copied whole; on a device without f16 arithmetic its "
                           "elements must be read one by one.");
      }
      return place;
    }
    TypePtr type = widened(place->type);
    return build::convert(std::move(type), std::move(place));
  }

  void lower_place(ExpressionPtr& place) {
    if (auto* read = std::get_if<VariableExpression>(&place->node)) {
      place->type = read->variable->type;
    } else if (auto* index = std::get_if<Index>(&place->node)) {
      lower_base(index->base);
      lower_value(index->index);
      const auto* array = index->base->type->as<ArrayType>();
      place->type = array != nullptr ? array->element : scalar_type(*scalar_of(index->base->type));
    } else if (auto* member = std::get_if<Member>(&place->node)) {
      lower_base(member->base);
    } else if (auto* swizzle = std::get_if<Swizzle>(&place->node)) {
      lower_base(swizzle->base);
      place->type = numeric(*scalar_of(swizzle->base->type), swizzle->count);
    } else if (auto* dereference = std::get_if<Dereference>(&place->node)) {
      lower_value(dereference->pointer);
      place->type = dereference->pointer->type->as<PointerType>()->pointee;
    }
  }

  void lower_base(ExpressionPtr& base) {
    if (base->is_reference) return lower_place(base);
    lower_value(base);
  }

  void lower_value(ExpressionPtr& expression) {
    if (expression->is_reference) {
      lower_place(expression);
      expression = as_value(std::move(expression));
      return;
    }
    auto& node = expression->node;
    if (auto* address = std::get_if<AddressOf>(&node)) {
      lower_place(address->reference);
      const auto* pointer = expression->type->as<PointerType>();
      expression->type = pointer_type(pointer->space, address->reference->type, pointer->access);
      return;
    }
    const bool is_part = std::holds_alternative<Index>(node) || std::holds_alternative<Member>(node) ||
                         std::holds_alternative<Swizzle>(node) || std::holds_alternative<VariableExpression>(node);
    if (is_part) {
      lower_place(expression);  // also of values: the walk is the same
      if (is_half(expression->type)) expression = as_value(std::move(expression));
      return;
    }
    const auto* call = std::get_if<BuiltinCall>(&node);
    if (call != nullptr && call->builtin == Builtin::SubgroupMatrixLoad) refuse_halves(*call->arguments[0]);
    const TypePtr old = expression->type;
    TypePtr operand_type;
    if (auto* convert = std::get_if<Convert>(&node)) operand_type = convert->operand->type;
    if (auto* bitcast = std::get_if<Bitcast>(&node)) operand_type = bitcast->operand->type;
    if (std::holds_alternative<Construct>(node) && holds_half(old)) {
      throw CompileError(module_.sources, expression->range,
                         "A structure with f16 fields is built; on a device without f16 arithmetic its fields must be "
                         "stored one by one.");
    }
    for_each_operand(*expression, [&](ExpressionPtr& operand) { lower_value(operand); });
    expression->type = widened(old);
    if (auto* literal = std::get_if<Literal>(&node)) {
      for (ConstantScalar& each : literal->components) {
        if (each.scalar == Scalar::F16) each.scalar = Scalar::F32;
      }
    } else if (std::holds_alternative<Convert>(node)) {
      lower_convert(expression, old, operand_type);
    } else if (std::holds_alternative<Bitcast>(node)) {
      lower_bitcast(expression, old, operand_type);
    }
  }

  // Workgroup memory is about to hold floats where a matrix wants two halves to a word.
  void refuse_halves(const Expression& pointer) const {
    const TypePtr& pointee = pointer.type->as<PointerType>()->pointee;
    if (!is_half(pointee->as<ArrayType>()->element)) return;
    throw CompileError(
        module_.sources, pointer.range,
        "A matrix is loaded from an array of f16; on a device without f16 arithmetic it must be an array "
        "of u32 that holds pairs of them.");
  }

  static bool holds_half(const TypePtr& type) {
    const auto* structure = type->as<StructType>();
    if (structure == nullptr) return false;
    for (const StructType::Field& field : structure->fields) {
      if (is_half(field.type) || holds_half(field.type) || !same_type(field.type, widened(field.type))) return true;
    }
    return false;
  }

  static void lower_convert(ExpressionPtr& expression, const TypePtr& to, const TypePtr& from) {
    auto& node = std::get<Convert>(expression->node);
    if (same_type(node.operand->type, expression->type)) {
      ExpressionPtr operand = std::move(node.operand);
      expression = std::move(operand);
    }
    if (is_half(to) && !is_half(from) && scalar_of(from) != Scalar::Bool) expression = quantized(std::move(expression));
  }

  // Two halves and the 32 bits that hold them.
  static void lower_bitcast(ExpressionPtr& expression, const TypePtr& to, const TypePtr& from) {
    if (is_half(to) == is_half(from)) {
      if (!is_half(to)) return;
      ExpressionPtr same = std::move(std::get<Bitcast>(expression->node).operand);
      expression = std::move(same);
      return;
    }
    ExpressionPtr operand = std::move(std::get<Bitcast>(expression->node).operand);
    const TypePtr word = scalar_type(Scalar::U32);
    const TypePtr pair = vector_type(Scalar::F32, 2);
    const auto as_type = [](TypePtr type, ExpressionPtr value) {
      if (same_type(type, value->type)) return value;
      return build::expression(std::move(type), Bitcast{std::move(value)});
    };
    const auto swizzled = [](const ExpressionPtr& value, std::uint8_t a, std::uint8_t b) {
      return build::expression(numeric(*scalar_of(value->type), 2), Swizzle{clone(*value), {a, b}, 2});
    };
    const auto pack = [&](ExpressionPtr halves) {
      return build::call(Builtin::Pack2x16Float, word, build::list(std::move(halves)));
    };
    const auto unpack = [&](ExpressionPtr bits) {
      return build::call(Builtin::Unpack2x16Float, pair, build::list(as_type(word, std::move(bits))));
    };
    if (is_half(to)) {
      if (width_of(from) == 1) {
        expression = unpack(std::move(operand));
      } else {
        ExpressionPtr low = unpack(build::component(clone(*operand), 0));
        ExpressionPtr high = unpack(build::component(std::move(operand), 1));
        expression =
            build::expression(vector_type(Scalar::F32, 4), Construct{build::list(std::move(low), std::move(high))});
      }
      return;
    }
    if (width_of(to) == 1) {
      expression = as_type(to, pack(std::move(operand)));
      return;
    }
    ExpressionPtr low = pack(swizzled(operand, 0, 1));
    ExpressionPtr high = pack(swizzled(operand, 2, 3));
    ExpressionPtr words =
        build::expression(vector_type(Scalar::U32, 2), Construct{build::list(std::move(low), std::move(high))});
    expression = as_type(to, std::move(words));
  }

  Module& module_;
};

}  // namespace

void lower_f16(Module& module) {
  HalfLowering(module).run();
  for (auto& function : module.functions) optimizing::refresh_references(function->body);
}

}  // namespace driftwood::shader
