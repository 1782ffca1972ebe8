// Indices as sums: "(w + (row * 64u + column))[3]" for w[(row * 2u + 1u) * 32u + column - 29u] and its like. Arithmetic
// of u32 wraps, so a compiler may not move a constant out of an index into the address; here it is moved, because what
// is past 2^32 is out of every array. Loads that differ by a constant then share an address, with the constant in the
// instruction. NVIDIA's compiler needs two instructions less for each such load.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

// The sum of the constant and, modulo 2^32, factor times each term, in the order in which they were met.
struct Printer::LinearForm {
  std::vector<std::pair<std::string, std::uint32_t>> terms;
  std::uint32_t constant = 0;

  void add(const std::string& term, std::uint32_t factor) {
    for (auto& [text, sum] : terms) {
      if (text == term) {
        sum += factor;
        return;
      }
    }
    terms.emplace_back(term, factor);
  }

  std::string sum() const {
    std::string text;
    for (const auto& [term, factor] : terms) {
      if (factor == 0) continue;
      text += (text.empty() ? "" : " + ") + term + (factor == 1 ? "" : " * " + std::to_string(factor) + "u");
    }
    return text;
  }
};

namespace {

/// Whether the value is that of the same arithmetic anywhere in the function: of nothing that changes, or is far to
/// get.
bool is_lasting(const Expression& expression) {
  bool lasts = true;
  visit_expressions(expression, [&](const Expression& each) {
    const auto* read = std::get_if<VariableExpression>(&each.node);
    const auto* swizzle = std::get_if<Swizzle>(&each.node);
    if (read != nullptr) lasts = lasts && !read->variable->is_mutable && !each.is_reference;
    if (swizzle != nullptr) lasts = lasts && swizzle->count == 1;
    lasts = lasts && (read != nullptr || swizzle != nullptr || std::holds_alternative<Literal>(each.node) ||
                      std::holds_alternative<Binary>(each.node) || std::holds_alternative<Convert>(each.node));
  });
  return lasts;
}

}  // namespace

void Printer::find_lets() {
  for (const auto& function : module_.functions) {
    visit_statements(function->body, [&](const Statement& statement) {
      const auto* declare = std::get_if<Declare>(&statement.node);
      if (declare == nullptr || declare->variable->is_mutable || declare->initializer == nullptr) return;
      const TypePtr& type = declare->variable->type;
      const bool is_integer = width_of(type) == 1 && (scalar_of(type) == Scalar::U32 || scalar_of(type) == Scalar::I32);
      if (is_integer && is_lasting(*declare->initializer)) lets_[declare->variable.get()] = declare->initializer.get();
    });
  }
}

/// Adds factor times an integer to the form; false where the integer has parts that no sum is made of.
bool Printer::add_linear(const Expression& expression, std::uint32_t factor, LinearForm& form) {
  if (const auto known = integer_value(expression)) {
    form.constant += factor * static_cast<std::uint32_t>(*known);
    return true;
  }
  if (const auto* read = std::get_if<VariableExpression>(&expression.node)) {
    if (const auto let = lets_.find(read->variable); let != lets_.end()) return add_linear(*let->second, factor, form);
  }
  const auto* convert = std::get_if<Convert>(&expression.node);
  if (convert != nullptr && is_integer(*scalar_of(convert->operand->type))) {
    return add_linear(*convert->operand, factor, form);
  }
  if (const auto* binary = std::get_if<Binary>(&expression.node)) {
    const auto left = integer_value(*binary->left), right = integer_value(*binary->right);
    switch (binary->op) {
      case BinaryOp::Add: return add_linear(*binary->left, factor, form) && add_linear(*binary->right, factor, form);
      case BinaryOp::Subtract:
        return add_linear(*binary->left, factor, form) && add_linear(*binary->right, 0U - factor, form);
      case BinaryOp::Multiply:
        if (right) return add_linear(*binary->left, factor * static_cast<std::uint32_t>(*right), form);
        if (left) return add_linear(*binary->right, factor * static_cast<std::uint32_t>(*left), form);
        break;
      case BinaryOp::ShiftLeft:
        if (right) return add_linear(*binary->left, factor << (static_cast<std::uint32_t>(*right) % 32), form);
        break;
      default: break;
    }
  }
  if (form.terms.size() == 16) return false;  // a sum that nobody reads
  form.add(value(expression).at_least(Precedence::Multiplicative), factor);
  return true;
}

bool Printer::makes_linear(const Expression& index, LinearForm& form) {
  if (dialect_.subgroups != OpenClDialect::Subgroups::NvidiaPtx) return false;
  const bool outer = std::exchange(in_address_, true);
  const bool is_sum = add_linear(index, 1, form);
  in_address_ = outer;
  // What is taken away could leave less than nothing before the constant is added, and addresses have 64 bits.
  return is_sum && std::ranges::none_of(form.terms, [](const auto& term) { return term.second > INT32_MAX; });
}

Code Printer::element(const std::string& array, const Expression& index, AddressSpace space) {
  const bool is_memory = space == AddressSpace::Storage || space == AddressSpace::Workgroup;
  LinearForm form;
  if (!is_memory || !makes_linear(index, form)) return c_family::Printer::element(array, index, space);
  const std::string sum = form.sum();
  const auto constant = static_cast<std::int32_t>(form.constant);
  if (sum.empty()) return {array + "[" + std::to_string(form.constant) + "]", Precedence::Postfix};
  if (constant == 0) return {array + "[" + sum + "]", Precedence::Postfix};
  return {"(" + array + " + (" + sum + "))[" + std::to_string(constant) + "]", Precedence::Postfix};
}

// One load of 16 bytes where the first word is known to lie at a multiple of four.
Code Printer::weights_words(const Expression& call) {
  const auto& words = std::get<BuiltinCall>(call.node).arguments;
  std::array<LinearForm, 4> forms;
  const auto* const first = std::get_if<Index>(&words[0]->node);
  bool is_vector = first != nullptr;
  for (std::size_t i = 0; is_vector && i < forms.size(); ++i) {
    const auto* const index = std::get_if<Index>(&words[i]->node);  // a choice, where a device binds parts of the array
    is_vector = index != nullptr && makes_linear(*index->index, forms[i]) && forms[i].terms == forms[0].terms &&
                forms[i].constant == forms[0].constant + i;
  }
  for (const auto& [term, factor] : forms[0].terms) is_vector = is_vector && factor % 4 == 0;
  if (!is_vector || forms[0].constant % 4 != 0) return c_family::Printer::weights_words(call);
  const std::string array = value(*first->base).at_least(Precedence::Additive);
  const std::string sum = forms[0].sum();
  return {"*(__global const uint4*)(" + array + (sum.empty() ? "" : " + (" + sum + ")") + " + " +
              std::to_string(static_cast<std::int32_t>(forms[0].constant)) + ")",
          Precedence::Unary};
}

}  // namespace driftwood::shader::opencl
