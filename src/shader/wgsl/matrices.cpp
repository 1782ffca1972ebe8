// The matrices of a subgroup: Dawn's chromium_experimental_subgroup_matrix, and naga's wgpu_cooperative_matrix.
//
// Both take the address of workgroup memory, and count offset and stride in its elements. Where these must be the
// matrix's components (Tint until 2026: scalars, naga: vectors too), an array that matrices are loaded from or stored
// to is declared as one of their components, and what the kernel reads and writes there in words goes through
// functions. A newer Tint takes any elements: the array is as the kernel declares it.
#include <map>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

const Variable* variable_of(const Expression& pointer) {
  const auto* taken = std::get_if<AddressOf>(&pointer.node);
  const auto* read = taken != nullptr ? std::get_if<VariableExpression>(&taken->reference->node) : nullptr;
  return read != nullptr ? read->variable : nullptr;
}

const MatrixType& matrix_of(const Expression& call, const BuiltinCall& node) {
  const bool is_load = node.builtin == Builtin::SubgroupMatrixLoad;
  return *(is_load ? call.type : node.arguments[2]->type)->as<MatrixType>();
}

std::string role_name(MatrixRole role) {
  return role == MatrixRole::Left ? "left" : role == MatrixRole::Right ? "right" : "result";
}

}  // namespace

void Printer::find_matrix_memory() {
  if (dialect_.untyped_matrix_memory) return;
  visit_expressions(module_, [&](const Expression& each) {
    const auto* call = std::get_if<BuiltinCall>(&each.node);
    if (call == nullptr || !is_matrix_builtin(call->builtin)) return;
    if (call->builtin == Builtin::SubgroupMatrixMultiplyAccumulate) return;
    const Variable* variable = variable_of(*call->arguments[0]);
    if (variable == nullptr) {
      throw Unsupported(
          "A matrix lies in memory that a pointer leads to; in WGSL the array is named where it is used.");
    }
    const Scalar component = matrix_of(each, *call).scalar;
    const auto [place, is_new] = matrix_memory_.try_emplace(variable, MatrixMemory{.component = component});
    if (!is_new && place->second.component != component) {
      throw Unsupported("'" + variable->name +
                        "' holds matrices of f16 and of f32; in WGSL an array is of one kind of component.");
    }
    const TypePtr& element = variable->type->as<ArrayType>()->element;
    MatrixMemory& memory = place->second;
    const std::uint32_t bytes = component == Scalar::F16 ? 2 : 4;
    memory.components = size_of(element) / bytes;
    // Vectors of as many bytes as an element has, or four halves.
    memory.unit = is_naga() ? std::min(memory.components, 4U) : 1;
    memory.is_as_declared =
        scalar_of(element) == component && static_cast<std::uint32_t>(width_of(element)) == memory.unit;
  });
}

const Printer::MatrixMemory* Printer::retyped(const Expression& base) const {
  const auto* read = std::get_if<VariableExpression>(&base.node);
  const auto found = read != nullptr ? matrix_memory_.find(read->variable) : matrix_memory_.end();
  return found == matrix_memory_.end() || found->second.is_as_declared ? nullptr : &found->second;
}

std::string Printer::matrix_memory_type(const Variable& variable) {
  const MatrixMemory& memory = matrix_memory_.at(&variable);
  if (memory.is_as_declared) return type_name(variable.type);
  const TypePtr unit =
      memory.unit == 1 ? scalar_type(memory.component) : vector_type(memory.component, static_cast<int>(memory.unit));
  const std::uint64_t count = std::uint64_t{*variable.type->as<ArrayType>()->count} * memory.components / memory.unit;
  return "array<" + type_name(unit) + ", " + std::to_string(count) + ">";
}

// "load_tile(i)": element i of the array as the kernel declares it.
std::string Printer::matrix_memory_load(const Variable& variable) {
  const MatrixMemory& memory = matrix_memory_.at(&variable);
  const TypePtr& element = variable.type->as<ArrayType>()->element;
  const std::string type = type_name(element), array = name(variable.name);
  const std::uint32_t units = memory.components / memory.unit;
  const auto unit_at = [&](std::uint32_t k) {
    return array + "[" + (units == 1 ? "i" : k == 0 ? "at" : "at + " + std::to_string(k) + "u") + "]";
  };
  const auto joined = [&](std::uint32_t count, const auto& part) {
    std::string text;
    for (std::uint32_t k = 0; k < count; ++k) text += (k > 0 ? ", " : "") + part(k);
    return count > 1 ? type + "(" + text + ")" : text;
  };
  std::string value;
  const auto words = static_cast<std::uint32_t>(width_of(element));
  const bool is_same = scalar_of(element) == memory.component;
  if (is_same) {
    value = joined(units, unit_at);
  } else if (memory.component == Scalar::F32) {
    const std::string unit = memory.unit == 1 ? "u32" : type;
    value = joined(units, [&](std::uint32_t k) { return "bitcast<" + unit + ">(" + unit_at(k) + ")"; });
  } else if (memory.unit == 1) {
    value = joined(words, [&](std::uint32_t k) {
      return "bitcast<u32>(vec2<f16>(" + unit_at(2 * k) + ", " + unit_at(2 * k + 1) + "))";
    });
  } else if (memory.unit == 2) {
    value = "pack2x16float(vec2<f32>(" + unit_at(0) + "))";
  } else {
    value = joined(units, [&](std::uint32_t k) { return pack_four() + "(vec4<f32>(" + unit_at(k) + "))"; });
  }
  const std::string at = units == 1 ? "" : "  let at = i * " + std::to_string(units) + "u;\n";
  return require("load_" + array, "(i: u32) -> " + type + " {\n" + at + "  return " + value + ";\n}");
}

// "store_tile(i, v)", the way back.
std::string Printer::matrix_memory_store(const Variable& variable) {
  const MatrixMemory& memory = matrix_memory_.at(&variable);
  const TypePtr& element = variable.type->as<ArrayType>()->element;
  const std::string type = type_name(element), array = name(variable.name);
  const std::uint32_t units = memory.components / memory.unit;
  const auto words = static_cast<std::uint32_t>(width_of(element));
  const auto word = [&](std::uint32_t k) { return words == 1 ? std::string("v") : std::string("v.") + "xyzw"[k]; };
  std::string body = units == 1 ? "" : "  let at = i * " + std::to_string(units) + "u;\n";
  const auto put = [&](std::uint32_t k, const std::string& value) {
    body += "  " + array + "[" +
            (units == 1 ? "i"
             : k == 0   ? "at"
                        : "at + " + std::to_string(k) + "u") +
            "] = " + value + ";\n";
  };
  const bool is_same = scalar_of(element) == memory.component;
  if (is_same) {
    for (std::uint32_t k = 0; k < units; ++k) put(k, word(k));
  } else if (memory.component == Scalar::F32) {
    const std::string unit = memory.unit == 1 ? "f32" : "vec" + std::to_string(memory.unit) + "<f32>";
    for (std::uint32_t k = 0; k < units; ++k) put(k, "bitcast<" + unit + ">(" + (units == 1 ? "v" : word(k)) + ")");
  } else if (memory.unit == 1) {
    for (std::uint32_t k = 0; k < words; ++k) {
      const std::string pair = "pair_" + std::to_string(k);
      body += "  let " + pair + " = bitcast<vec2<f16>>(" + word(k) + ");\n";
      put(2 * k, pair + ".x");
      put(2 * k + 1, pair + ".y");
    }
  } else if (memory.unit == 2) {
    put(0, "vec2<f16>(unpack2x16float(v))");
  } else {
    for (std::uint32_t k = 0; k < units; ++k) {
      put(k, "vec4<f16>(" + unpack_four() + "(" + (units == 1 ? "v" : k == 0 ? "v.xy" : "v.zw") + "))");
    }
  }
  return require("store_" + array, "(i: u32, v: " + type + ") {\n" + body + "}");
}

std::string Printer::matrix_type_name(const MatrixType& matrix) {
  uses_matrices_ = true;
  const std::string columns = std::to_string(matrix.columns), rows = std::to_string(matrix.rows);
  if (is_naga()) {
    const char letter = matrix.role == MatrixRole::Left ? 'A' : matrix.role == MatrixRole::Right ? 'B' : 'C';
    return "coop_mat" + columns + "x" + rows + "<" + scalar_name(matrix.scalar) + ", " + letter + ">";
  }
  return std::string(to_string(matrix.role)) + "<" + scalar_name(matrix.scalar) + ", " + columns + ", " + rows + ">";
}

// "subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, row_major>(&tile, offset / 8u, stride / 8u)".
Code Printer::untyped_matrix_access(const BuiltinCall& node, const MatrixType& matrix, bool columns) {
  const bool is_load = node.builtin == Builtin::SubgroupMatrixLoad;
  const Variable* variable = variable_of(*node.arguments[0]);
  if (variable == nullptr) {
    throw Unsupported("A matrix lies in memory that a pointer leads to; in WGSL the array is named where it is used.");
  }
  const std::uint32_t bytes = matrix.scalar == Scalar::F16 ? 2 : 4;
  const std::uint32_t unit = size_of(variable->type->as<ArrayType>()->element) / bytes;
  const auto in_elements = [&](const Expression& count) {
    if (unit == 1) return argument(count);
    if (const auto known = integer_value(count)) return std::to_string(*known / unit) + "u";
    return "(" + argument(count) + ") / " + std::to_string(unit) + "u";
  };
  const std::string major = columns ? "col_major" : "row_major";
  std::string text = std::string(to_string(node.builtin)) + "<";
  if (is_load) text += matrix_type_name(matrix) + ", ";
  text += major + ">(&" + name(variable->name) + ", " + in_elements(*node.arguments[1]);
  if (!is_load) text += ", " + argument(*node.arguments[2]);
  return {text + ", " + in_elements(*node.arguments[is_load ? 3 : 4]) + ")", Precedence::Postfix};
}

Code Printer::matrix_builtin(const Expression& expression, const BuiltinCall& node) {
  if (!dialect_.matrices) {
    throw Unsupported("The kernel uses the matrices of a subgroup, which the device does not have.");
  }
  uses_matrices_ = true;
  if (node.builtin == Builtin::SubgroupMatrixMultiplyAccumulate) {
    return call(is_naga() ? "coopMultiplyAdd" : std::string(to_string(node.builtin)), node.arguments);
  }
  const bool is_load = node.builtin == Builtin::SubgroupMatrixLoad;
  const MatrixType& matrix = matrix_of(expression, node);
  const bool columns = integer_value(*node.arguments[is_load ? 2 : 3]) == 1;
  if (dialect_.untyped_matrix_memory) return untyped_matrix_access(node, matrix, columns);
  const std::string type = matrix_type_name(matrix);
  if (!is_naga()) return call(std::string(to_string(node.builtin)) + (is_load ? "<" + type + ">" : ""), node.arguments);

  const Variable& variable = *variable_of(*node.arguments[0]);
  const MatrixMemory& memory = matrix_memory_.at(&variable);
  const auto in_units = [&](const std::string& count) {
    return memory.unit == 1 ? count : count + " / " + std::to_string(memory.unit) + "u";
  };
  // naga's SPIR-V wants an index and a stride that are there already.
  const std::string body = "  let at = " + in_units("offset") + ";\n  let line = " + in_units("stride") + ";\n";
  const std::string address = "&" + name(variable.name) + "[at], line)";
  const std::string letter = columns ? "" : "T";
  const std::string suffix = "_" + name(variable.name) + "_" + role_name(matrix.role) + (columns ? "_columns" : "");
  if (is_load) {
    const std::string helper =
        require("load" + suffix, "(offset: u32, stride: u32) -> " + type + " {\n" + body + "  return coopLoad" +
                                     letter + "<" + type + ">(" + address + ";\n}");
    return {helper + "(" + argument(*node.arguments[1]) + ", " + argument(*node.arguments[3]) + ")",
            Precedence::Postfix};
  }
  const std::string helper = require("store" + suffix, "(offset: u32, matrix: " + type + ", stride: u32) {\n" + body +
                                                           "  coopStore" + letter + "(matrix, " + address + ";\n}");
  return {helper + "(" + argument(*node.arguments[1]) + ", " + argument(*node.arguments[2]) + ", " +
              argument(*node.arguments[4]) + ")",
          Precedence::Postfix};
}

}  // namespace driftwood::shader::wgsl
