// Pairs of halves that come from words and go back to words, on NVIDIA: arithmetic on the words themselves. Its
// compiler cannot give a half2 another type, and converting both halves costs more than the arithmetic.
#include <optional>

#include "base/half.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

bool is_pair(const TypePtr& type) { return scalar_of(type) == Scalar::F16 && width_of(type) == 2; }

std::string function_text(const std::string& function, const std::string& instruction, int operands) {
  std::string parameters, constraints, places;
  for (int i = 0; i < operands; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    parameters += (i > 0 ? ", uint " : "uint ") + name;
    constraints += (i > 0 ? ", \"r\"(" : "\"r\"(") + name + ")";
    places += ", %" + std::to_string(i + 1);
  }
  return "static uint " + function + "(" + parameters + ") {\n  uint d;\n  asm(\"" + instruction + " %0" + places +
         ";\" : \"=r\"(d) : " + constraints + ");\n  return d;\n}";
}

}  // namespace

/// The word that holds the pair, where everything it is made of lies in words; nothing else.
std::optional<Code> Printer::packed_halves(const Expression& expression) {
  if (!is_pair(expression.type)) return std::nullopt;
  if (const auto* cast = std::get_if<Bitcast>(&expression.node)) {
    if (scalar_of(cast->operand->type) != Scalar::U32 || width_of(cast->operand->type) != 1) return std::nullopt;
    return value(*cast->operand);
  }
  if (const auto* literal = std::get_if<Literal>(&expression.node)) {
    const auto bits = [&](std::size_t at) {
      return std::uint32_t{float_to_half(static_cast<float>(literal->components[at].f))};
    };
    return Code{std::to_string(bits(0) | bits(1) << 16) + "u"};
  }
  const auto* binary = std::get_if<Binary>(&expression.node);
  if (binary == nullptr || !is_pair(binary->left->type) || !is_pair(binary->right->type)) return std::nullopt;
  const auto call = [&](const std::string& function, const std::string& instruction,
                        std::initializer_list<const Expression*> operands) -> std::optional<Code> {
    std::string list;
    for (const Expression* each : operands) {
      const auto operand = packed_halves(*each);
      if (!operand) return std::nullopt;
      list += (list.empty() ? "" : ", ") + operand->text;
    }
    prelude_.require(function, function_text(function, instruction, static_cast<int>(operands.size())));
    return Code{function + "(" + list + ")", Precedence::Postfix};
  };
  const auto* product = std::get_if<Binary>(&binary->left->node);
  if (binary->op == BinaryOp::Add && product != nullptr && product->op == BinaryOp::Multiply &&
      is_pair(product->left->type) && is_pair(product->right->type)) {
    return call("fma_halves", "fma.rn.f16x2", {product->left.get(), product->right.get(), binary->right.get()});
  }
  switch (binary->op) {
    case BinaryOp::Add: return call("add_halves", "add.rn.f16x2", {binary->left.get(), binary->right.get()});
    case BinaryOp::Subtract: return call("subtract_halves", "sub.rn.f16x2", {binary->left.get(), binary->right.get()});
    case BinaryOp::Multiply: return call("multiply_halves", "mul.rn.f16x2", {binary->left.get(), binary->right.get()});
    default: return std::nullopt;
  }
}

}  // namespace driftwood::shader::opencl
