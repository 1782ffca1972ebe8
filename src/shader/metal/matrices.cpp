// The matrices of a subgroup on simdgroup_matrix, whose shape is 8 by 8: a matrix of 16 by 16 is four tiles, the two
// of its upper rows first.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

namespace {

bool is_column_major(const Expression& flag) { return integer_value(flag) == 1; }

std::string component_name(Scalar scalar) { return scalar == Scalar::F16 ? "half" : "float"; }

// The four loads or stores of the tiles; a column-major matrix is read and written transposed.
std::string tile_accesses(const std::string& function, const std::string& matrix, bool columns) {
  std::string text;
  for (int tile = 0; tile < 4; ++tile) {
    const int row = tile / 2, column = tile % 2;
    const int across = columns ? column : row, along = columns ? row : column;
    std::string at = "at";
    if (across > 0) at += " + 8u * stride";
    if (along > 0) at += " + 8u";
    text += "  " + function + "(" + matrix + ".tile[" + std::to_string(tile) + "], " + at + ", stride" +
            (columns ? ", ulong2(0, 0), true" : "") + ");\n";
  }
  return text;
}

}  // namespace

std::string Printer::matrix_name(const MatrixType& matrix) const { return "matrix_" + component_name(matrix.scalar); }

std::string Printer::require_matrix_type(Scalar scalar) {
  const std::string component = component_name(scalar), type = "matrix_" + component;
  return prelude_.require(type, "struct " + type + " {\n  simdgroup_" + component + "8x8 tile[4];\n};");
}

std::string Printer::zero_matrix(const TypePtr& type) {
  const Scalar scalar = type->as<MatrixType>()->scalar;
  const std::string name = require_matrix_type(scalar), component = component_name(scalar), function = "zero_" + name;
  std::string tiles;
  for (int tile = 0; tile < 4; ++tile) {
    tiles += "  m.tile[" + std::to_string(tile) + "] = make_filled_simdgroup_matrix<" + component + ", 8, 8>(0.0" +
             (scalar == Scalar::F16 ? "h" : "f") + ");\n";
  }
  return prelude_.require(function,
                          "static " + name + " " + function + "() {\n  " + name + " m;\n" + tiles + "  return m;\n}") +
         "()";
}

Code Printer::matrix_builtin(const Expression& expression, const BuiltinCall& node) {
  if (!dialect_.simdgroup_matrices) {
    throw Unsupported("The kernel uses the matrices of a subgroup, which the device does not have.");
  }
  const auto& size = module_.entry_point->workgroup_size;
  const std::uint32_t total = size[0] * size[1] * size[2];
  if (total % matrix_subgroup_size != 0) {
    throw Unsupported("A workgroup of " + std::to_string(total) + " invocations leaves a subgroup of " +
                      std::to_string(matrix_subgroup_size) + " partly empty; matrices need all of it.");
  }
  if (node.builtin == Builtin::SubgroupMatrixStore) return store_matrix(node);
  if (node.builtin == Builtin::SubgroupMatrixLoad) return load_matrix(node, expression.type->as<MatrixType>()->scalar);
  const std::string factor = require_matrix_type(Scalar::F16), result = require_matrix_type(Scalar::F32);
  std::string products;
  for (int tile = 0; tile < 4; ++tile) {
    const std::string own = "[" + std::to_string(tile) + "]";
    for (int k = 0; k < 2; ++k) {
      products += "  simdgroup_multiply_accumulate(d.tile" + own + ", a.tile[" + std::to_string(tile / 2 * 2 + k) +
                  "], b.tile[" + std::to_string(tile % 2 + 2 * k) + "], " + (k == 0 ? "c" : "d") + ".tile" + own +
                  ");\n";
    }
  }
  return call(prelude_.require("matrix_multiply_accumulate",
                               "static " + result + " matrix_multiply_accumulate(" + factor + " a, " + factor + " b, " +
                                   result + " c) {\n  " + result + " d;\n" + products + "  return d;\n}"),
              node.arguments);
}

Code Printer::load_matrix(const BuiltinCall& node, Scalar scalar) {
  const bool columns = is_column_major(*node.arguments[2]);
  const std::string type = require_matrix_type(scalar), component = component_name(scalar);
  const std::string function = "load_" + type + (columns ? "_columns" : "");
  prelude_.require(function, "static " + type + " " + function + "(threadgroup const " + component +
                                 "* at, uint stride) {\n  " + type + " m;\n" +
                                 tile_accesses("simdgroup_load", "m", columns) + "  return m;\n}");
  const Code start =
      binary_code(BinaryOp::Add,
                  {"(threadgroup const " + component + "*)" + value(*node.arguments[0]).at_least(Precedence::Unary),
                   Precedence::Unary},
                  value(*node.arguments[1]));
  return {function + "(" + start.text + ", " + argument(*node.arguments[3]) + ")", Precedence::Postfix};
}

Code Printer::store_matrix(const BuiltinCall& node) {
  const bool columns = is_column_major(*node.arguments[3]);
  const std::string type = require_matrix_type(Scalar::F32);
  const std::string function = "store_" + type + (columns ? "_columns" : "");
  prelude_.require(function, "static void " + function + "(" + type + " m, threadgroup float* at, uint stride) {\n" +
                                 tile_accesses("simdgroup_store", "m", columns) + "}");
  const Code start =
      binary_code(BinaryOp::Add,
                  {"(threadgroup float*)" + value(*node.arguments[0]).at_least(Precedence::Unary), Precedence::Unary},
                  value(*node.arguments[1]));
  return {function + "(" + argument(*node.arguments[2]) + ", " + start.text + ", " + argument(*node.arguments[4]) + ")",
          Precedence::Postfix};
}

}  // namespace driftwood::shader::metal
