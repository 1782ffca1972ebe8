// Built-ins on the matrices of a subgroup.
#include "shader/checking/checker_state.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

ExpressionPtr Checker::call_matrix(Builtin builtin, const syntax::Call& call, SourceRange range) {
  if (builtin == Builtin::SubgroupMatrixLoad) return load_matrix(call, range);
  return builtin == Builtin::SubgroupMatrixStore ? store_matrix(call, range) : multiply_matrices(call, range);
}

/// A pointer to the array of workgroup memory that holds the matrix: of its components, or of the u32 with their bits
/// (two f16 or one f32), each alone or in vectors.
ExpressionPtr Checker::matrix_memory(const syntax::Expression& source, const TypePtr& matrix) {
  ExpressionPtr pointer = value(source);
  const Scalar scalar = matrix->as<MatrixType>()->scalar;
  const auto* type = pointer->type->as<PointerType>();
  const auto* array = type ? type->pointee->as<ArrayType>() : nullptr;
  const auto held = array && width_of(array->element) > 0 ? scalar_of(array->element) : std::nullopt;
  const bool fits = held && array->count && type->space == AddressSpace::Workgroup && width_of(array->element) != 3 &&
                    !array->element->as<AtomicType>() && (*held == scalar || *held == Scalar::U32);
  if (!fits) {
    fail(source.range, "A " + to_string(matrix) + " lies in an array of " + std::string(to_string(scalar)) +
                           " or u32, or of vectors of them, in workgroup memory; this is " + to_string(pointer->type) +
                           ".");
  }
  return pointer;
}

ExpressionPtr Checker::is_column_major(const syntax::Expression& source) {
  ExpressionPtr flag = convert(value(source), scalar_type(Scalar::Bool), "whether the matrix is column-major");
  if (!as_literal(*flag))
    fail(source.range, "Whether the matrix is column-major is not known when the kernel is compiled.");
  return flag;
}

ExpressionPtr Checker::load_matrix(const syntax::Call& call, SourceRange range) {
  const auto& name = std::get<syntax::Name>(call.callee->node);
  const TypePtr matrix = name.arguments.size() == 1 ? type(*name.arguments[0]) : nullptr;
  if (!matrix || !matrix->as<MatrixType>()) {
    fail(range,
         "'subgroupMatrixLoad' is written with the type of the matrix, as in "
         "'subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>>(&values, offset, false, stride)'.");
  }
  expect_arguments(call, 4, range);
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(matrix_memory(*call.arguments[0], matrix));
  arguments.push_back(convert(value(*call.arguments[1]), scalar_type(Scalar::U32), "the offset"));
  arguments.push_back(is_column_major(*call.arguments[2]));
  arguments.push_back(convert(value(*call.arguments[3]), scalar_type(Scalar::U32), "the stride"));
  return build::expression(matrix, BuiltinCall{Builtin::SubgroupMatrixLoad, std::move(arguments)}, range);
}

ExpressionPtr Checker::store_matrix(const syntax::Call& call, SourceRange range) {
  expect_arguments(call, 5, range);
  ExpressionPtr matrix = value(*call.arguments[2]);
  const auto* type = matrix->type->as<MatrixType>();
  if (!type || type->role != MatrixRole::Result) {
    fail(call.arguments[2]->range, "'subgroupMatrixStore' stores a " + to_string(matrix_type(MatrixRole::Result)) +
                                       ", not a value of type " + to_string(matrix->type) + ".");
  }
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(matrix_memory(*call.arguments[0], matrix->type));
  arguments.push_back(convert(value(*call.arguments[1]), scalar_type(Scalar::U32), "the offset"));
  arguments.push_back(std::move(matrix));
  arguments.push_back(is_column_major(*call.arguments[3]));
  arguments.push_back(convert(value(*call.arguments[4]), scalar_type(Scalar::U32), "the stride"));
  return build::expression(void_type(), BuiltinCall{Builtin::SubgroupMatrixStore, std::move(arguments)}, range);
}

ExpressionPtr Checker::multiply_matrices(const syntax::Call& call, SourceRange range) {
  expect_arguments(call, 3, range);
  std::vector<ExpressionPtr> arguments = values(call.arguments);
  for (std::size_t i = 0; i < 3; ++i) {
    const TypePtr wanted = matrix_type(static_cast<MatrixRole>(i));
    if (same_type(arguments[i]->type, wanted)) continue;
    fail(call.arguments[i]->range, "Expected a " + to_string(wanted) + " for argument " + std::to_string(i + 1) +
                                       " of 'subgroupMatrixMultiplyAccumulate', but this is " +
                                       to_string(arguments[i]->type) + ".");
  }
  return build::expression(matrix_type(MatrixRole::Result),
                           BuiltinCall{Builtin::SubgroupMatrixMultiplyAccumulate, std::move(arguments)}, range);
}

}  // namespace driftwood::shader::checking
