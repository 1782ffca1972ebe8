// The matrices of a subgroup on NVIDIA's matrix units: PTX ldmatrix and mma.sync.m16n8k16 (PTX ISA, sections 9.7.14.5).
//
// With g = lane / 4 and c = lane % 4, an invocation holds of a 16 x 16 matrix, two halves to a word:
//   left:   rows g, g + 8, g, g + 8, columns 2c, 2c + 1 (the last two: + 8)
//   right:  columns g, g, g + 8, g + 8, rows 2c, 2c + 1 (the second and the last: + 8)
//   result: (g; 2c, 2c + 1), (g + 8; 2c, 2c + 1), then the same with columns + 8
// A right matrix is thus the operands of two instructions, as are the halves of a result.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

constexpr std::string_view lane = "  uint lane;\n  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n";

constexpr std::string_view multiply_accumulate =
    "static float8 matrix_multiply_accumulate(uint4 a, uint4 b, float8 c) {\n"
    "  float8 d;\n"
    "  d.lo = matrix_product(a, b.lo, c.lo);\n"
    "  d.hi = matrix_product(a, b.hi, c.hi);\n"
    "  return d;\n}";

constexpr std::string_view product =
    "static float4 matrix_product(uint4 a, uint2 b, float4 c) {\n"
    "  float d0, d1, d2, d3;\n"
    "  asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
    "\"\n"
    "               \"{%10, %11, %12, %13};\"\n"
    "               : \"=f\"(d0), \"=f\"(d1), \"=f\"(d2), \"=f\"(d3)\n"
    "               : \"r\"(a.x), \"r\"(a.y), \"r\"(a.z), \"r\"(a.w), \"r\"(b.x), \"r\"(b.y), \"f\"(c.x), \"f\"(c.y), "
    "\"f\"(c.z), \"f\"(c.w));\n"
    "  return (float4)(d0, d1, d2, d3);\n}";

bool is_column_major(const Expression& flag) { return integer_value(flag) == 1; }

}  // namespace

Code Printer::matrix_builtin(const Expression& expression, const BuiltinCall& node) {
  if (!dialect_.matrices) {
    throw Unsupported("The kernel uses the matrices of a subgroup, which the device does not have.");
  }
  const auto& size = module_.entry_point->workgroup_size;
  const std::uint32_t total = size[0] * size[1] * size[2];
  if (total % matrix_subgroup_size != 0) {
    throw Unsupported("A workgroup of " + std::to_string(total) + " invocations leaves a subgroup of " +
                      std::to_string(matrix_subgroup_size) + " partly empty; matrices need all of it.");
  }
  if (node.builtin == Builtin::SubgroupMatrixMultiplyAccumulate) {
    prelude_.require("matrix_product", product);
    return call(prelude_.require("matrix_multiply_accumulate", multiply_accumulate), node.arguments);
  }
  if (node.builtin == Builtin::SubgroupMatrixStore) return store_result(node);
  const MatrixRole role = expression.type->as<MatrixType>()->role;
  return role == MatrixRole::Result ? load_result(node) : load_operand(node, role);
}

// One ldmatrix of four 8 x 8 matrices. Where the halves that share a word do not lie side by side, it transposes.
Code Printer::load_operand(const BuiltinCall& node, MatrixRole role) {
  const bool columns = is_column_major(*node.arguments[2]);
  const std::string function =
      std::string(role == MatrixRole::Left ? "load_matrix_left" : "load_matrix_right") + (columns ? "_columns" : "");
  const bool transposes = columns == (role == MatrixRole::Left);
  // Each invocation names a line of eight halves: of matrix lane / 8, line lane % 8.
  const std::string line =
      columns ? "((lane & 7u) + (lane >> 4) * 8u) * stride + (lane & 8u)" : "(lane & 15u) * stride + (lane >> 4) * 8u";
  prelude_.require(function, "static uint4 " + function + "(uint array, uint offset, uint stride) {\n" +
                                 std::string(lane) + "  uint at = array + 2u * (offset + " + line +
                                 ");\n  uint a, b, c, d;\n  asm volatile(\"ldmatrix.sync.aligned.m8n8.x4" +
                                 (transposes ? ".trans" : "") +
                                 ".shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
                                 "               : \"=r\"(a), \"=r\"(b), \"=r\"(c), \"=r\"(d)\n"
                                 "               : \"r\"(at)\n               : \"memory\");\n"
                                 "  return (uint4)(a, b, c, d);\n}");
  const std::string array = "(uint)(size_t)" + value(*node.arguments[0]).at_least(Precedence::Unary);
  return {function + "(" + array + ", " + argument(*node.arguments[1]) + ", " + argument(*node.arguments[3]) + ")",
          Precedence::Postfix};
}

namespace {

// What the helpers of results share: where the invocation's components lie, and how they become those of the memory.
struct ResultMemory {
  bool columns;
  std::string type;  // float, or uint that holds the bits

  std::string suffix() const { return (columns ? "_columns_" : "_") + type; }
  std::string pointer() const { return "__local " + type + "*"; }
  std::string start() const {
    return std::string(lane) + "  array += offset + " +
           (columns ? "(lane & 3u) * 2u * stride + (lane >> 2)" : "(lane >> 2) * stride + (lane & 3u) * 2u") + ";\n";
  }
  // The place of component k: row + 8 for those with bit 1, column + 8 for bit 2, the next column for bit 0.
  std::string place(int k) const {
    std::string steps;
    const int column = (k & 4) * 2 + (k & 1), row = (k & 2) * 4;
    const int along = columns ? row : column, across = columns ? column : row;
    if (across > 0) steps += std::to_string(across) + "u * stride";
    if (along > 0) steps += (steps.empty() ? "" : " + ") + std::to_string(along) + "u";
    return steps.empty() ? "array" : "(array + " + steps + ")";
  }
};

ResultMemory result_memory(const BuiltinCall& node, std::size_t flag) {
  const TypePtr& pointee = node.arguments[0]->type->as<PointerType>()->pointee;
  const bool is_float = scalar_of(pointee->as<ArrayType>()->element) == Scalar::F32;
  return {.columns = is_column_major(*node.arguments[flag]), .type = is_float ? "float" : "uint"};
}

}  // namespace

Code Printer::load_result(const BuiltinCall& node) {
  const ResultMemory memory = result_memory(node, 2);
  const std::string function = "load_matrix_result" + memory.suffix();
  std::string parts;
  for (int k = 0; k < 8; k += memory.columns ? 1 : 2) {
    if (k > 0) parts += ", ";
    parts +=
        memory.columns ? "*" + memory.place(k) : "*(" + std::string("__local ") + memory.type + "2*)" + memory.place(k);
  }
  prelude_.require(function, "static float8 " + function + "(" + memory.pointer() +
                                 " array, uint offset, uint stride) {\n" + memory.start() + "  return as_float8((" +
                                 memory.type + "8)(" + parts + "));\n}");
  return {function + "((" + memory.pointer() + ")" + value(*node.arguments[0]).at_least(Precedence::Unary) + ", " +
              argument(*node.arguments[1]) + ", " + argument(*node.arguments[3]) + ")",
          Precedence::Postfix};
}

Code Printer::store_result(const BuiltinCall& node) {
  const ResultMemory memory = result_memory(node, 3);
  const std::string function = "store_matrix_result" + memory.suffix();
  std::string stores;
  for (int k = 0; k < 8; k += memory.columns ? 1 : 2) {
    const std::string part = memory.columns ? std::string("bits.s") + std::to_string(k)
                                            : "bits.s" + std::to_string(k) + std::to_string(k + 1);
    stores += "  *" + (memory.columns ? "" : "(" + std::string("__local ") + memory.type + "2*)") + memory.place(k) +
              " = " + part + ";\n";
  }
  prelude_.require(function, "static void " + function + "(" + memory.pointer() +
                                 " array, uint offset, float8 matrix, uint stride) {\n" + memory.start() + "  " +
                                 memory.type + "8 bits = as_" + memory.type + "8(matrix);\n" + stores + "}");
  return {function + "((" + memory.pointer() + ")" + value(*node.arguments[0]).at_least(Precedence::Unary) + ", " +
              argument(*node.arguments[1]) + ", " + argument(*node.arguments[2]) + ", " + argument(*node.arguments[4]) +
              ")",
          Precedence::Postfix};
}

}  // namespace driftwood::shader::opencl
