// Halves in buffers of devices without f16: two to a word.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Unsupported("The kernel " + what + "; a device without f16 has two of them to a word there.");
}

}  // namespace

// The floats that a half or a vector of halves in a buffer is.
Code Printer::half_load(const Expression& reference) {
  const auto* at = std::get_if<Index>(&reference.node);
  const auto* swizzled = std::get_if<Swizzle>(&reference.node);
  const int width = width_of(reference.type);
  if (swizzled != nullptr) return swizzle(*swizzled);  // of a vector, which comes back here
  if (at == nullptr) refuse("reads an f16 of a buffer through a pointer or a structure");
  if (width_of(at->base->type) > 1) return index(*at);
  const std::string base = value(*at->base).at_least(Precedence::Postfix);
  const auto known = integer_value(*at->index);
  if (width == 1) {
    if (known) {
      return {"unpack2x16float(" + base + "[" + std::to_string(*known / 2) + "])." + (*known % 2 == 0 ? "x" : "y"),
              Precedence::Postfix};
    }
    const Code i = value(*at->index);
    const std::string position =
        scalar_of(at->index->type) == Scalar::I32 ? "u32(" + i.text + ")" : i.at_least(Precedence::Unary);
    return {"unpack2x16float(" + base + "[" + position + " / 2u])[" + position + " % 2u]", Precedence::Postfix};
  }
  const std::string word = base + "[" + (known ? std::to_string(*known) : value(*at->index).text) + "]";
  if (width == 2) return {"unpack2x16float(" + word + ")", Precedence::Postfix};
  return {unpack_four() + "(" + word + ")" + (width == 3 ? ".xyz" : ""), Precedence::Postfix};
}

std::string Printer::half_store(const Expression& target, const Expression& stored) {
  const auto* at = std::get_if<Index>(&target.node);
  const int width = width_of(target.type);
  if (at == nullptr || width == 1) {
    refuse("stores a single f16, which would write its neighbour as well");
  }
  // What is stored is converted to f16; the packing rounds it.
  const auto* conversion = std::get_if<Convert>(&stored.node);
  const Expression& single = conversion != nullptr ? *conversion->operand : stored;
  const std::string from = converted({argument(single)}, single.type, vector_type(Scalar::F32, width)).text;
  const std::string place = value(*at->base).at_least(Precedence::Postfix) + "[" + value(*at->index).text + "]";
  if (width == 2) return place + " = pack2x16float(" + from + ")";
  return place + " = " + pack_four() + "(" + (width == 3 ? "vec4<f32>(" + from + ", 0.0f)" : from) + ")";
}

}  // namespace driftwood::shader::wgsl
