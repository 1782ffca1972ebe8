// Built-ins that work on memory through a pointer: atomics, arrayLength, workgroupUniformLoad.
#include "shader/checking/checker_state.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

void Checker::expect_arguments(const syntax::Call& call, std::size_t count, SourceRange range) {
  if (call.arguments.size() == count) return;
  const auto& name = std::get<syntax::Name>(call.callee->node).text;
  fail(range, quoted(name) + " takes " + std::to_string(count) + (count == 1 ? " argument" : " arguments") + ", but " +
                  std::to_string(call.arguments.size()) + " are given.");
}

ExpressionPtr Checker::call_atomic(Builtin builtin, const syntax::Call& call, SourceRange range) {
  expect_arguments(call, builtin == Builtin::AtomicLoad ? 1 : 2, range);
  ExpressionPtr pointer = value(*call.arguments[0]);
  const auto* type = pointer->type->as<PointerType>();
  const auto* atomic = type ? type->pointee->as<AtomicType>() : nullptr;
  if (!atomic) {
    fail(call.arguments[0]->range, quoted(to_string(builtin)) +
                                       " takes a pointer to an atomic, as in '&counter', not " +
                                       to_string(pointer->type) + ".");
  }
  if (type->access == Access::Read) fail(call.arguments[0]->range, "Atomics need read_write access.");
  const TypePtr value_type = scalar_type(atomic->scalar);
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(std::move(pointer));
  if (builtin != Builtin::AtomicLoad) {
    arguments.push_back(convert(value(*call.arguments[1]), value_type, "the value"));
  }
  const TypePtr result = builtin == Builtin::AtomicStore ? void_type() : value_type;
  return build::expression(result, BuiltinCall{builtin, std::move(arguments)}, range);
}

ExpressionPtr Checker::call_array_length(const syntax::Call& call, SourceRange range) {
  expect_arguments(call, 1, range);
  ExpressionPtr pointer = value(*call.arguments[0]);
  const auto* type = pointer->type->as<PointerType>();
  const auto* array = type ? type->pointee->as<ArrayType>() : nullptr;
  if (!array || array->count) {
    fail(call.arguments[0]->range, "'arrayLength' takes a pointer to an array without a count, as in '&values', not " +
                                       to_string(pointer->type) + ".");
  }
  return build::expression(scalar_type(Scalar::U32), BuiltinCall{Builtin::ArrayLength, build::list(std::move(pointer))},
                           range);
}

ExpressionPtr Checker::call_uniform_load(const syntax::Call& call, SourceRange range) {
  expect_arguments(call, 1, range);
  ExpressionPtr pointer = value(*call.arguments[0]);
  const auto* type = pointer->type->as<PointerType>();
  if (!type || type->space != AddressSpace::Workgroup || !is_constructible(type->pointee)) {
    fail(call.arguments[0]->range,
         "'workgroupUniformLoad' takes a pointer to a workgroup variable, not " + to_string(pointer->type) + ".");
  }
  const TypePtr result = type->pointee;
  return build::expression(result, BuiltinCall{Builtin::WorkgroupUniformLoad, build::list(std::move(pointer))}, range);
}

}  // namespace driftwood::shader::checking
