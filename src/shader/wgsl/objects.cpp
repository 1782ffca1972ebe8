// Loads and stores of virtualised tensors.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

Scalar texel_scalar(DataType texel) {
  switch (texel) {
    case DataType::I8:
    case DataType::I32: return Scalar::I32;
    case DataType::U8:
    case DataType::U32: return Scalar::U32;
    default: return Scalar::F32;
  }
}

// Indices are i32 or u32; a coordinate that is computed as u32 needs no conversion there.
const Expression& without_conversion(const Expression& coordinate) {
  const auto* node = std::get_if<Convert>(&coordinate.node);
  return node != nullptr && scalar_of(node->operand->type) == Scalar::U32 ? *node->operand : coordinate;
}

}  // namespace

std::string Printer::unpack_four() {
  return require("unpack_halves",
                 "(bits: vec2<u32>) -> vec4<f32> {\n"
                 "  return vec4<f32>(unpack2x16float(bits.x), unpack2x16float(bits.y));\n}");
}

std::string Printer::pack_four() {
  return require("pack_halves",
                 "(v: vec4<f32>) -> vec2<u32> {\n"
                 "  return vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw));\n}");
}

Code Printer::converted(const Code& code, const TypePtr& from, const TypePtr& to) {
  if (same_type(from, to)) return code;
  return {type_name(to) + "(" + code.text + ")", Precedence::Postfix};
}

// An index of a buffer, or the coordinates of a texture (and its layer) as arguments.
std::string Printer::coordinates(const Resource& object, const std::vector<ExpressionPtr>& list) {
  if (object.storage == StorageKind::Buffer) {
    const Expression& at = without_conversion(*list[0]);
    const auto known = integer_value(at);
    return known && *known >= 0 ? std::to_string(*known) : value(at).text;
  }
  const auto part = [&](std::size_t i) { return argument(*list[i]); };
  switch (object.storage) {
    case StorageKind::Texture2D: return "vec2<i32>(" + part(0) + ", " + part(1) + ")";
    case StorageKind::Texture3D: return "vec3<i32>(" + part(0) + ", " + part(1) + ", " + part(2) + ")";
    case StorageKind::Texture2DArray: return "vec2<i32>(" + part(0) + ", " + part(1) + "), " + part(2);
    default: throw Unsupported("The object '" + object.name + "' is an image buffer; WebGPU has no texel buffers.");
  }
}

Code Printer::object_load(const Expression& expression, const ObjectLoad& node) {
  const Resource& object = *node.object;
  const std::string printed = name(bound(object).name);
  const std::string at = coordinates(object, node.coordinates);
  const bool is_halves = width_of(expression.type) == 2;
  const TypePtr wanted = vector_type(*scalar_of(expression.type), 4);
  const TypePtr native = vector_type(texel_scalar(object.texel), 4);
  if (object.storage != StorageKind::Buffer) {
    return converted({"textureLoad(" + printed + ", " + at + ", 0)", Precedence::Postfix}, native, wanted);
  }
  const Code element{printed + "[" + at + "]", Precedence::Postfix};
  switch (object.texel) {
    case DataType::F16:
      if (!texels_are_words()) {
        if (is_halves) return {"bitcast<vec2<u32>>(" + element.text + ")", Precedence::Postfix};
        return converted(element, vector_type(Scalar::F16, 4), wanted);
      }
      if (is_halves) return element;
      return converted({unpack_four() + "(" + element.text + ")", Precedence::Postfix}, native, wanted);
    case DataType::I8:
    case DataType::U8:
      return converted({unpack_bytes(object.texel == DataType::I8) + "(" + element.text + ")", Precedence::Postfix},
                       native, wanted);
    default: return converted(element, native, wanted);
  }
}

std::string Printer::object_store(const ObjectStore& node) {
  const Resource& object = *node.object;
  const std::string printed = name(bound(object).name);
  const std::string at = coordinates(object, node.coordinates);
  const TypePtr& from = node.value->type;
  const TypePtr native = vector_type(texel_scalar(object.texel), 4);
  const bool is_buffer = object.storage == StorageKind::Buffer;
  const bool is_float_value = is_float(*scalar_of(from));
  const Code value{argument(*node.value)};
  std::string text;
  if (object.texel == DataType::F16 && is_buffer) {
    text = texels_are_words() ? pack_four() + "(" + converted(value, from, native).text + ")"
                              : converted(value, from, vector_type(Scalar::F16, 4)).text;
  } else if (is_float(*scalar_of(native))) {
    text = converted(value, from, native).text;
    // A texture of halves may round what is written to it towards zero; what is a half already stays. By arithmetic:
    // NVIDIA's driver takes a value that is packed and unpacked at once to be the value.
    if (object.texel == DataType::F16 && scalar_of(from) != Scalar::F16) {
      const std::string rounded =
          require("round_to_halves",
                  "(v: vec4<f32>) -> vec4<f32> {\n"
                  "  let bits = bitcast<vec4<u32>>(v);\n"
                  "  let odd = (bits >> vec4<u32>(13u)) & vec4<u32>(1u);\n"
                  "  let normal = bitcast<vec4<f32>>((bits + vec4<u32>(4095u) + odd) & vec4<u32>(4294959104u));\n"
                  "  let subnormal = (v + vec4<f32>(0.75f)) - vec4<f32>(0.75f);\n"
                  "  return select(normal, subnormal, abs(v) < vec4<f32>(6.103515625e-5f));\n}");
      text = rounded + "(" + text + ")";
    }
  } else {
    text = is_float_value ? converted({"round(" + value.text + ")"}, from, native).text
                          : converted(value, from, native).text;
    const bool is_byte = object.texel == DataType::I8 || object.texel == DataType::U8;
    const bool is_signed = object.texel == DataType::I8;
    if (is_byte) text = pack_bytes(is_signed, is_float_value) + "(" + text + ")";
    if (is_byte && !is_buffer) text = unpack_bytes(is_signed) + "(" + text + ")";
  }
  if (is_buffer) return printed + "[" + at + "] = " + text;
  return "textureStore(" + printed + ", " + at + ", " + text + ")";
}

}  // namespace driftwood::shader::wgsl
