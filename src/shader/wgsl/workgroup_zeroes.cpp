// The zeroes of workgroup memory, where the compiler is told to leave them to the kernel.
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

bool holds_atomics(const TypePtr& type) {
  if (const auto* array = type->as<ArrayType>()) return holds_atomics(array->element);
  if (const auto* structure = type->as<StructType>()) {
    for (const StructType::Field& field : structure->fields) {
      if (holds_atomics(field.type)) return true;
    }
  }
  return type->as<AtomicType>() != nullptr;
}

}  // namespace

bool Printer::must_zero(const Variable& variable) const {
  return !dialect_.zeroes_workgroup_memory && variable.space == AddressSpace::Workgroup && variable.needs_zeroes;
}

// Statements that zero a place, one invocation after another.
std::string Printer::zero_store(const std::string& place, const TypePtr& type, int depth) {
  if (const auto* atomic = type->as<AtomicType>()) {
    return "atomicStore(&" + place + ", " + (atomic->scalar == Scalar::I32 ? "0i" : "0u") + ");";
  }
  if (!holds_atomics(type)) return place + " = " + type_name(type) + "();";
  if (const auto* array = type->as<ArrayType>()) {
    const std::string counter = fresh_name("zeroed_" + std::to_string(depth));
    return "for (var " + counter + " = 0u; " + counter + " < " + std::to_string(*array->count) + "u; " + counter +
           "++) { " + zero_store(place + "[" + counter + "]", array->element, depth + 1) + " }";
  }
  std::string text;
  for (const StructType::Field& field : type->as<StructType>()->fields) {
    text += (text.empty() ? "" : " ") + zero_store(place + "." + name(field.name), field.type, depth);
  }
  return text;
}

// The elements of an array are shared out among the invocations.
void Printer::zero_workgroup_memory(const Function& function, const std::string& index,
                                    std::vector<std::string>& lines) {
  const auto& size = function.workgroup_size;
  const std::uint32_t total = size[0] * size[1] * size[2];
  for (const auto& variable : module_.variables) {
    if (!must_zero(*variable)) continue;
    const auto* array = variable->type->as<ArrayType>();
    if (array == nullptr) {
      lines.push_back("if (" + index + " == 0u) { " + zero_store(name(variable->name), variable->type, 0) + " }");
      continue;
    }
    const std::string counter = fresh_name("zeroed");
    const bool is_retyped =
        matrix_memory_.contains(variable.get()) && !matrix_memory_.at(variable.get()).is_as_declared;
    const std::string store =
        is_retyped ? matrix_memory_store(*variable) + "(" + counter + ", " + type_name(array->element) + "());"
                   : zero_store(name(variable->name) + "[" + counter + "]", array->element, 0);
    lines.push_back("for (var " + counter + " = " + index + "; " + counter + " < " + std::to_string(*array->count) +
                    "u; " + counter + " += " + std::to_string(total) + "u) { " + store + " }");
  }
  lines.push_back("workgroupBarrier();");
}

}  // namespace driftwood::shader::wgsl
