// Loads and stores of virtualised tensors.
#include <utility>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

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

bool is_byte(DataType texel) { return texel == DataType::I8 || texel == DataType::U8; }

// A coordinate that is computed as u32 and converted to i32.
const Expression& without_conversion(const Expression& coordinate) {
  const auto* node = std::get_if<Convert>(&coordinate.node);
  return node != nullptr && scalar_of(node->operand->type) == Scalar::U32 ? *node->operand : coordinate;
}

}  // namespace

// An index of a buffer, or what `read` and `write` of a texture take: unsigned, layers apart.
std::string Printer::coordinates(const Resource& object, const std::vector<ExpressionPtr>& list) {
  const bool outer = std::exchange(in_address_, true);
  const auto part = [&](std::size_t i) -> std::string {
    const Expression& each = without_conversion(*list[i]);
    if (object.storage == StorageKind::Buffer) return argument(each);
    if (const auto known = integer_value(each)) return std::to_string(*known) + "u";
    return scalar_of(each.type) == Scalar::U32 ? argument(each) : "uint(" + argument(each) + ")";
  };
  std::string text;
  switch (object.storage) {
    case StorageKind::Buffer:
    case StorageKind::ImageBuffer: text = part(0); break;
    case StorageKind::Texture2D: text = "uint2(" + part(0) + ", " + part(1) + ")"; break;
    case StorageKind::Texture3D: text = "uint3(" + part(0) + ", " + part(1) + ", " + part(2) + ")"; break;
    case StorageKind::Texture2DArray: text = "uint2(" + part(0) + ", " + part(1) + "), " + part(2); break;
  }
  in_address_ = outer;
  return text;
}

Code Printer::object_load(const Expression& expression, const ObjectLoad& node) {
  const Resource& object = *node.object;
  const std::string printed = name(object.name), at = coordinates(object, node.coordinates);
  if (width_of(expression.type) == 2) {
    return {"((device const uint2*)" + printed + ")[" + at + "]", Precedence::Postfix};
  }
  if (object.storage != StorageKind::Buffer) {
    return convert_code({printed + ".read(" + at + ")", Precedence::Postfix}, texel_value_type(object.texel),
                        expression.type);
  }
  const Code element{printed + "[" + at + "]", Precedence::Postfix};
  if (object.texel == DataType::F16) return convert_code(element, vector_type(Scalar::F16, 4), expression.type);
  if (is_byte(object.texel)) return {type_name(expression.type) + "(" + element.text + ")", Precedence::Postfix};
  return convert_code(element, texel_value_type(object.texel), expression.type);
}

// The value as the texel's own kind of number: floats round to the nearest integer in range, integers wrap.
Code Printer::narrowed(const Code& stored, const TypePtr& from, const Resource& object) {
  const TypePtr native = texel_value_type(object.texel), single = vector_type(Scalar::F32, 4);
  if (is_float(*scalar_of(native))) {
    const bool halves = object.texel == DataType::F16;
    if (object.storage == StorageKind::Buffer && halves) return convert_code(stored, from, vector_type(Scalar::F16, 4));
    Code value = convert_code(stored, from, single);
    // How a texture's write rounds is not said; what is a half already stays.
    if (halves && scalar_of(from) != Scalar::F16) value = {"float4(half4(" + value.text + "))", Precedence::Postfix};
    return value;
  }
  const std::string bytes = object.texel == DataType::I8 ? "char4" : "uchar4";
  Code value = stored;
  if (is_float(*scalar_of(from))) {
    value = {"rint(" + convert_code(stored, from, single).text + ")", Precedence::Postfix};
    if (is_byte(object.texel)) {
      const std::string_view bounds =
          object.texel == DataType::I8 ? ", float4(-128.0f), float4(127.0f))" : ", float4(0.0f), float4(255.0f))";
      value = {"clamp(" + value.text + std::string(bounds), Precedence::Postfix};
    } else {
      value = convert_code(value, single, native);
    }
  } else if (!is_byte(object.texel)) {
    value = convert_code(stored, from, native);
  }
  if (is_byte(object.texel)) value = {bytes + "(" + value.text + ")", Precedence::Postfix};
  if (object.storage == StorageKind::Buffer || !is_byte(object.texel)) return value;
  return {type_name(native) + "(" + value.text + ")", Precedence::Postfix};
}

std::string Printer::object_store(const ObjectStore& node) {
  const Resource& object = *node.object;
  const std::string printed = name(object.name), at = coordinates(object, node.coordinates);
  const std::string stored = narrowed(value(*node.value), node.value->type, object).text;
  if (object.storage == StorageKind::Buffer) return printed + "[" + at + "] = " + stored;
  return printed + ".write(" + stored + ", " + at + ")";
}

}  // namespace driftwood::shader::metal
