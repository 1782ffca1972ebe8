// Built-ins of a workgroup's pipeline: stages of workgroup memory, and products of 128 invocations.
#include "shader/checking/checker_state.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"

namespace driftwood::shader::checking {

namespace {

constexpr std::uint32_t most_sums = 128;   // of an invocation: 256 columns
constexpr std::uint32_t most_steps = 8;    // of 16 columns of the factors, in one call
constexpr std::uint32_t least_stages = 2;  // one is read while another is filled

bool is_words(const TypePtr& type, int width) { return scalar_of(type) == Scalar::U32 && width_of(type) == width; }

/// The array of known or unknown count that a pointer leads to, in this space; null for anything else.
const ArrayType* pointed_array(const TypePtr& type, AddressSpace space) {
  const auto* pointer = type->as<PointerType>();
  return pointer && pointer->space == space ? pointer->pointee->as<ArrayType>() : nullptr;
}

}  // namespace

/// A pointer to the workgroup variable that says which stages are full: two vec2<u32> for each stage.
ExpressionPtr Checker::stage_ring(const syntax::Expression& source) {
  ExpressionPtr ring = value(source);
  const ArrayType* array = pointed_array(ring->type, AddressSpace::Workgroup);
  const bool fits = array && array->count && is_words(array->element, 2) && *array->count % 2 == 0 &&
                    *array->count >= 2 * least_stages;
  if (!fits) {
    fail(source.range, "Stages are kept in workgroup memory as array<vec2<u32>, 2 * stages>, of at least " +
                           std::to_string(least_stages) + " stages; this is " + to_string(ring->type) + ".");
  }
  return ring;
}

/// A pointer to what a stage is copied to or from: words, alone or in fours.
ExpressionPtr Checker::staged_array(const syntax::Expression& source, std::string_view what) {
  ExpressionPtr pointer = value(source);
  const auto* type = pointer->type->as<PointerType>();
  const auto* array = type ? type->pointee->as<ArrayType>() : nullptr;
  const bool is_source = what == "source";
  const bool fits = array && (is_words(array->element, 1) || is_words(array->element, 4)) &&
                    type->space == (is_source ? AddressSpace::Storage : AddressSpace::Workgroup);
  if (!fits) {
    fail(source.range, "The " + std::string(what) + " of a stage's copy is an array of u32 or vec4<u32> in " +
                           (is_source ? "storage" : "workgroup memory") + "; this is " + to_string(pointer->type) +
                           ".");
  }
  return pointer;
}

/// A pointer to an invocation's part of the sums.
ExpressionPtr Checker::matrix_sums(const syntax::Expression& source) {
  ExpressionPtr sums = value(source);
  const ArrayType* array = pointed_array(sums->type, AddressSpace::Function);
  const bool fits = array && array->count && width_of(array->element) == 1 &&
                    scalar_of(array->element) == Scalar::F32 && *array->count % 4 == 0 && *array->count <= most_sums;
  if (!fits) {
    fail(source.range, "The sums of a workgroup's product are a function's array<f32, n / 2> of n columns, 8 to " +
                           std::to_string(2 * most_sums) + " by eights; this is " + to_string(sums->type) + ".");
  }
  return sums;
}

/// A pointer to a factor in workgroup memory; the left one may be packed words.
ExpressionPtr Checker::matrix_tile(const syntax::Expression& source, std::string_view what) {
  ExpressionPtr tile = value(source);
  const ArrayType* array = pointed_array(tile->type, AddressSpace::Workgroup);
  const bool has_words = what == "left" && array && is_words(array->element, 1);
  if (!array || !array->count || !(has_words || is_words(array->element, 4))) {
    fail(source.range, "The " + std::string(what) + " factor of a workgroup's product lies in an array<vec4<u32>, n> " +
                           "in workgroup memory; this is " + to_string(tile->type) + ".");
  }
  return tile;
}

ExpressionPtr Checker::call_pipeline(Builtin builtin, const syntax::Call& call, SourceRange range) {
  const TypePtr u32 = scalar_type(Scalar::U32);
  std::vector<ExpressionPtr> arguments;
  const auto number = [&](std::size_t at, std::string_view what) {
    arguments.push_back(convert(value(*call.arguments[at]), u32, what));
  };
  switch (builtin) {
    case Builtin::StagesStart: {
      expect_arguments(call, 2, range);
      arguments.push_back(stage_ring(*call.arguments[0]));
      number(1, "the number of invocations that release a stage");
      const auto count = integer_value(*arguments[1]);
      if (!count || *count < 32 || *count > 1024 || *count % 32 != 0) {
        fail(call.arguments[1]->range,
             "The number of invocations that release a stage is known when the kernel is compiled: 32 to 1024, whole "
             "subgroups of 32.");
      }
      break;
    }
    case Builtin::StageOpen:
      expect_arguments(call, 4, range);
      arguments.push_back(stage_ring(*call.arguments[0]));
      number(1, "the stage");
      number(2, "the round");
      number(3, "the number of bytes");
      break;
    case Builtin::StageWait:
      expect_arguments(call, 3, range);
      arguments.push_back(stage_ring(*call.arguments[0]));
      number(1, "the stage");
      number(2, "the round");
      break;
    case Builtin::StageRelease:
      expect_arguments(call, 2, range);
      arguments.push_back(stage_ring(*call.arguments[0]));
      number(1, "the stage");
      break;
    case Builtin::StageCopy: {
      expect_arguments(call, 7, range);
      arguments.push_back(stage_ring(*call.arguments[0]));
      number(1, "the stage");
      arguments.push_back(staged_array(*call.arguments[2], "target"));
      number(3, "the target's offset");
      arguments.push_back(staged_array(*call.arguments[4], "source"));
      number(5, "the source's offset");
      number(6, "the number of elements");
      const auto element = [&](std::size_t at) {
        return arguments[at]->type->as<PointerType>()->pointee->as<ArrayType>()->element;
      };
      if (!same_type(element(2), element(4))) {
        fail(range, "A stage's copy goes from " + to_string(element(4)) + " to " + to_string(element(2)) +
                        "; both have to be the same.");
      }
      break;
    }
    case Builtin::WeightsStageCopy: {
      const bool is_of_part = call.arguments.size() == 9;  // of a block
      expect_arguments(call, is_of_part ? 9 : 8, range);
      arguments.push_back(stage_ring(*call.arguments[0]));
      number(1, "the stage");
      arguments.push_back(staged_array(*call.arguments[2], "target"));
      number(3, "the target's offset");
      Resource* weights = find_handle(*call.arguments[4]);
      const bool fits = weights && weights->kind == Resource::Kind::Weights &&
                        weights->type->as<WeightsType>()->width == 1 &&
                        width_of(arguments[2]->type->as<PointerType>()->pointee->as<ArrayType>()->element) == 1;
      if (!fits) {
        fail(call.arguments[4]->range, "'weightsStageCopy' copies words of weights<f32> to an array of u32.");
      }
      if (weights->weights->row_group % 4 != 0) {
        fail(call.arguments[4]->range, "The weights " + quoted(weights->name) + " interleave " +
                                           std::to_string(weights->weights->row_group) +
                                           " rows; 'weightsStageCopy' needs a multiple of 4.");
      }
      arguments.push_back(build::expression(weights->type, ResourceExpression{weights}, call.arguments[4]->range));
      number(5, "the row");
      number(6, "the block");
      number(7, is_of_part ? "the block's first word" : "the number of blocks");
      if (is_of_part) number(8, "the number of words");
      break;
    }
    case Builtin::WorkgroupRegisters: {
      expect_arguments(call, 1, range);
      number(0, "the number of registers");
      const auto count = integer_value(*arguments[0]);
      if (!count || *count < 24 || *count > 240 || *count % 8 != 0) {
        fail(call.arguments[0]->range,
             "The number of registers is known when the kernel is compiled: 24 to 240, a multiple of 8.");
      }
      break;
    }
    case Builtin::WorkgroupMatrixMultiplyAccumulate: return multiply_of_workgroup(call, range);
    default:
      expect_arguments(call, 1, range);
      arguments.push_back(matrix_sums(*call.arguments[0]));
      break;
  }
  return build::expression(void_type(), BuiltinCall{builtin, std::move(arguments)}, range);
}

/// (sums, left registers, right, offset, stride), or (sums, left, offset, stride, right, offset, stride, steps).
ExpressionPtr Checker::multiply_of_workgroup(const syntax::Call& call, SourceRange range) {
  const TypePtr u32 = scalar_type(Scalar::U32);
  const bool in_memory = call.arguments.size() == 8;
  if (!in_memory) expect_arguments(call, 5, range);
  std::vector<ExpressionPtr> arguments;
  const auto number = [&](std::size_t at, std::string_view what) {
    arguments.push_back(convert(value(*call.arguments[at]), u32, what));
  };
  arguments.push_back(matrix_sums(*call.arguments[0]));
  if (in_memory) {
    arguments.push_back(matrix_tile(*call.arguments[1], "left"));
    number(2, "the left factor's offset");
    number(3, "the left factor's stride");
    arguments.push_back(matrix_tile(*call.arguments[4], "right"));
    number(5, "the right factor's offset");
    number(6, "the right factor's stride");
    number(7, "the number of steps");
    const auto steps = integer_value(*arguments.back());
    if (!steps || *steps < 1 || *steps > most_steps) {
      fail(call.arguments[7]->range,
           "The number of steps is known when the kernel is compiled, and 1 to " + std::to_string(most_steps) + ".");
    }
  } else {
    ExpressionPtr left = value(*call.arguments[1]);
    const ArrayType* array = pointed_array(left->type, AddressSpace::Function);
    if (!array || !array->count || !is_words(array->element, 4) || *array->count > most_steps) {
      fail(call.arguments[1]->range,
           "The left factor of a workgroup's product is a function's array<vec4<u32>, steps> of 1 to " +
               std::to_string(most_steps) + " steps, or lies in workgroup memory; this is " + to_string(left->type) +
               ".");
    }
    arguments.push_back(std::move(left));
    arguments.push_back(matrix_tile(*call.arguments[2], "right"));
    number(3, "the right factor's offset");
    number(4, "the right factor's stride");
  }
  return build::expression(void_type(), BuiltinCall{Builtin::WorkgroupMatrixMultiplyAccumulate, std::move(arguments)},
                           range);
}

}  // namespace driftwood::shader::checking
