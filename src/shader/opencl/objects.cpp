// Loads and stores of virtualised tensors, and of halves in memory where there is no half arithmetic.
#include <utility>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

TypePtr texel_value_type(DataType texel) {
  switch (texel) {
    case DataType::I8:
    case DataType::I32: return vector_type(Scalar::I32, 4);
    case DataType::U8:
    case DataType::U32: return vector_type(Scalar::U32, 4);
    default: return vector_type(Scalar::F32, 4);
  }
}

// What a value must be converted to before it is written: the texel's own kind of number.
std::string narrow_conversion(DataType texel, Scalar from) {
  const bool floating = is_float(from);
  switch (texel) {
    case DataType::I8: return floating ? "convert_char4_sat_rte" : "convert_char4";
    case DataType::U8: return floating ? "convert_uchar4_sat_rte" : "convert_uchar4";
    case DataType::I32: return floating ? "convert_int4_sat_rte" : "as_int4";
    case DataType::U32: return floating ? "convert_uint4_sat_rte" : "as_uint4";
    default: throw InternalError("A texel of floats needs no narrowing.");
  }
}

std::string image_suffix(DataType texel) {
  switch (texel) {
    case DataType::I8:
    case DataType::I32: return "i";
    case DataType::U8:
    case DataType::U32: return "ui";
    default: return "f";
  }
}

Scalar native_scalar(DataType texel) { return *scalar_of(texel_value_type(texel)); }

// A coordinate that is computed as u32 needs no conversion to i32 in C: indices take both, int2 and int4 convert.
const Expression& without_conversion(const Expression& coordinate) {
  const auto* node = std::get_if<Convert>(&coordinate.node);
  return node != nullptr && scalar_of(node->operand->type) == Scalar::U32 ? *node->operand : coordinate;
}

}  // namespace

std::string Printer::coordinates(const Resource& object, const std::vector<ExpressionPtr>& list) {
  const bool outer = std::exchange(in_address_, true);
  std::string text;
  if (list.size() == 1) {
    text = argument(without_conversion(*list[0]));
  } else {
    text = object.storage == StorageKind::Texture2D ? "(int2)(" : "(int4)(";
    for (std::size_t i = 0; i < list.size(); ++i) text += (i > 0 ? ", " : "") + argument(without_conversion(*list[i]));
    text += object.storage == StorageKind::Texture2D ? ")" : ", 0)";
  }
  in_address_ = outer;
  return text;
}

Code Printer::object_load(const Expression& expression, const ObjectLoad& node) {
  const Resource& object = *node.object;
  const std::string printed = name(object.name);
  const std::string at = coordinates(object, node.coordinates);
  if (width_of(expression.type) == 2) {
    return {"((__global const uint2*)" + printed + ")[" + at + "]", Precedence::Postfix};
  }
  const Scalar wanted = is_memory_half(expression.type) ? Scalar::F32 : *scalar_of(expression.type);
  const TypePtr wanted_type = vector_type(wanted, 4);
  if (object.storage != StorageKind::Buffer) {
    const Code load{"read_image" + image_suffix(object.texel) + "(" + printed + ", " + at + ")", Precedence::Postfix};
    return convert_code(load, texel_value_type(object.texel), wanted_type);
  }
  const Code element{printed + "[" + at + "]", Precedence::Postfix};
  if (object.texel == DataType::F16) {
    if (scalar_of(object.type) == Scalar::F16 && dialect_.f16_arithmetic) {
      return convert_code(element, vector_type(Scalar::F16, 4), wanted_type);
    }
    const std::string load = dialect_.f16_ptx
                                 ? unpack_four_helper() + "(((__global const uint2*)" + printed + ")[" + at + "])"
                                 : "vload_half4(" + at + ", " + printed + ")";
    return convert_code({load, Precedence::Postfix}, vector_type(Scalar::F32, 4), wanted_type);
  }
  if (object.texel == DataType::I8 || object.texel == DataType::U8) {
    return {"convert_" + type_name(wanted_type) + "(" + element.text + ")", Precedence::Postfix};
  }
  return convert_code(element, texel_value_type(object.texel), wanted_type);
}

std::string Printer::object_store(const ObjectStore& node) {
  const Resource& object = *node.object;
  const std::string printed = name(object.name);
  const std::string at = coordinates(object, node.coordinates);
  const Scalar from = is_memory_half(node.value->type) ? Scalar::F32 : *scalar_of(node.value->type);
  const TypePtr from_type = vector_type(from, 4);
  const Scalar native = native_scalar(object.texel);
  const Code stored = value(*node.value);
  if (object.storage == StorageKind::Buffer && object.texel == DataType::F16) {
    if (scalar_of(object.type) == Scalar::F16 && dialect_.f16_arithmetic) {
      return printed + "[" + at + "] = " + convert_code(stored, from_type, vector_type(Scalar::F16, 4)).text;
    }
    const Code single = convert_code(stored, from_type, vector_type(Scalar::F32, 4));
    if (dialect_.f16_ptx) {
      return "((__global uint2*)" + printed + ")[" + at + "] = " + pack_four_helper() + "(" + single.text + ")";
    }
    return "vstore_half4_rte(" + single.text + ", " + at + ", " + printed + ")";
  }
  std::string text = stored.text;
  const bool is_byte = object.texel == DataType::I8 || object.texel == DataType::U8;
  if (is_float(native)) {
    text = convert_code(stored, from_type, vector_type(Scalar::F32, 4)).text;
    // OpenCL lets an image write round halves towards zero, and NVIDIA's does: what is a half already stays.
    if (object.texel == DataType::F16 && object.storage != StorageKind::Buffer && from == Scalar::F32)
      text = quantize_helper(vector_type(Scalar::F32, 4)) + "(" + text + ")";
  } else if (is_byte || from != native) {
    const Code single = from == Scalar::F16 ? convert_code(stored, from_type, vector_type(Scalar::F32, 4)) : stored;
    text = narrow_conversion(object.texel, from) + "(" + single.text + ")";
  }
  if (object.storage == StorageKind::Buffer) return printed + "[" + at + "] = " + text;
  // Images take int4, uint4 or float4; 8 bits of an integer are kept by wrapping it first.
  if (is_byte) text = (object.texel == DataType::I8 ? "convert_int4(" : "convert_uint4(") + text + ")";
  return "write_image" + image_suffix(object.texel) + "(" + printed + ", " + at + ", " + text + ")";
}

namespace {

// A half or vector of halves in memory: where, which one from there, and how many.
struct HalfAccess {
  std::string pointer;
  std::string offset;
  std::string width;     // "", "2", "3" or "4"
  bool aligned = false;  // vectors of three that take the room of four
};

}  // namespace

// Finds the pointer and offset for vload_half and vstore_half. `x[i]` of an array resource stays `vload_half4(i, x)`.
static HalfAccess half_access(const Expression& reference, const std::string& base_name,
                              const std::function<std::string(const Expression&)>& address_text,
                              const std::function<Code(const Expression&)>& index_code) {
  const int width = width_of(reference.type);
  const std::string lanes = width > 1 ? std::to_string(width) : "";
  const auto* index = std::get_if<Index>(&reference.node);
  const auto is_array = [](const Expression& each) { return each.type->as<ArrayType>() != nullptr; };
  if (index != nullptr && is_array(*index->base) && std::holds_alternative<ResourceExpression>(index->base->node)) {
    return {base_name, index_code(*index->index).text, lanes, width == 3};
  }
  // A component of a vector in memory is a half of its own.
  std::optional<Code> component;
  const Expression* vector = nullptr;
  if (index != nullptr && width_of(index->base->type) > 1) {
    component = index_code(*index->index);
    vector = index->base.get();
  }
  const auto* swizzle = std::get_if<Swizzle>(&reference.node);
  if (swizzle != nullptr && swizzle->count == 1) {
    component = Code{std::to_string(swizzle->components[0])};
    vector = swizzle->base.get();
  }
  if (component) {
    const auto* element = std::get_if<Index>(&vector->node);
    const int room = width_of(vector->type) == 3 ? 4 : width_of(vector->type);
    if (element != nullptr && is_array(*element->base) &&
        std::holds_alternative<ResourceExpression>(element->base->node)) {
      const Code scaled = binary_code(BinaryOp::Multiply, index_code(*element->index), {std::to_string(room)});
      return {base_name, component->text == "0" ? scaled.text : binary_code(BinaryOp::Add, scaled, *component).text, "",
              false};
    }
    return {address_text(*vector), component->text, "", false};
  }
  return {address_text(reference), "0", lanes, width == 3};
}

std::string Printer::half_load(const Expression& reference) {
  const Resource* resource = root_resource(reference);
  const auto address_text = [&](const Expression& each) {
    if (const auto* dereference = std::get_if<Dereference>(&each.node)) return argument(*dereference->pointer);
    const Access access = resource != nullptr ? resource->access : Access::ReadWrite;
    const TypePtr pointer = pointer_type(space_of(each), scalar_type(Scalar::F16), access);
    const Code whole = place(each);
    const bool is_pointer = std::holds_alternative<ResourceExpression>(each.node);
    return is_pointer ? whole.text.substr(1)
                      : "(" + declaration(pointer, "") + ")&" + whole.at_least(Precedence::Unary);
  };
  const auto index_code = [&](const Expression& each) {
    const bool outer = std::exchange(in_address_, true);
    const Code code = value(each);
    in_address_ = outer;
    return code;
  };
  const std::string base_name = resource != nullptr ? name(resource->name) : "";
  const HalfAccess access = half_access(reference, base_name, address_text, index_code);
  return std::string(access.aligned ? "vloada_half" : "vload_half") + access.width + "(" + access.offset + ", " +
         access.pointer + ")";
}

std::string Printer::half_store(const Expression& target, const Expression& stored) {
  std::string load = half_load(target);
  const std::size_t open = load.find('(');
  // vload_half4(i, x) becomes vstore_half4_rte(value, i, x).
  const std::string function = "vstore" + load.substr(5, open - 5) + "_rte";
  return function + "(" + argument(stored) + ", " + load.substr(open + 1);
}

}  // namespace driftwood::shader::opencl
