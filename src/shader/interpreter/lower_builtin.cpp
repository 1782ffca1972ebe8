// Calls of built-in functions.
#include <algorithm>
#include <bit>

#include "base/error.h"
#include "shader/interpreter/components.h"
#include "shader/interpreter/lowering.h"
#include "shader/ir_build.h"

namespace driftwood::shader::interpreter {
namespace {

/// Built-ins whose overflow is that of the value they choose or keep.
bool carries_overflow(Builtin b) {
  return b == Builtin::Select || b == Builtin::Min || b == Builtin::Max || b == Builtin::Clamp || b == Builtin::Abs;
}

}  // namespace

Lowering::Value Lowering::eval_node(const BuiltinCall& n, const Expression& e, bool tracked) {
  const Builtin b = n.builtin;
  if (b <= Builtin::ReverseBits || b == Builtin::Select || b == Builtin::Dot4U8I8Packed)
    return component_wise(n, e, tracked);
  if (b >= Builtin::Pack2x16Float && b <= Builtin::Dot4U8Packed) return packing(n, e);
  if (b >= Builtin::AtomicLoad && b <= Builtin::AtomicExchange) return atomic(n, e);
  if (b >= Builtin::SubgroupAdd && b <= Builtin::SubgroupElect) return subgroup(n, e);
  if (is_matrix_builtin(b)) return matrix(n, e);
  if (b == Builtin::WeightsWords) return eval(*build::words_one_by_one(e), tracked);
  switch (b) {
    case Builtin::ArrayLength: {
      const Place place = pointee_of(*n.arguments[0]);
      const Value result = fresh(1);
      executable_.indices_.push_back({.kind = IndexInfo::Kind::RuntimeArray,
                                      .stride = array_stride(place.type->as<ArrayType>()->element),
                                      .slot = place.slot,
                                      .base = place.base,
                                      .of = place.name,
                                      .range = e.range});
      emit(array_length, result.registers[0]).info = static_cast<std::uint32_t>(executable_.indices_.size() - 1);
      return result;
    }
    case Builtin::WorkgroupBarrier:
    case Builtin::StorageBarrier: {
      const std::uint32_t range = add_range(e.range);
      emit(b == Builtin::WorkgroupBarrier ? workgroup_barrier : storage_barrier).info = range;
      return {};
    }
    case Builtin::IssueLoads: return {};
    case Builtin::WorkgroupUniformLoad: {
      const std::uint32_t range = add_range(e.range);
      emit(workgroup_barrier).info = range;
      const Value result = load_from(pointee_of(*n.arguments[0]), e.range, false);
      emit(workgroup_barrier).info = range;
      return result;
    }
    case Builtin::Cross:
    case Builtin::Distance:
    case Builtin::Dot:
    case Builtin::Length:
    case Builtin::Normalize:
    case Builtin::All:
    case Builtin::Any: return geometric(n, e);
    default: break;
  }
  throw InternalError("The interpreter is given " + std::string(to_string(b)) + ", which is not virtualised.");
}

Lowering::Value Lowering::component_wise(const BuiltinCall& n, const Expression& e, bool tracked) {
  const Builtin b = n.builtin;
  // Of the arguments, where the result has another.
  const Scalar scalar = b == Builtin::Dot4U8I8Packed ? Scalar::U32 : *scalar_of(e.type);
  const bool carries = tracked && carries_overflow(b);
  const Value result = fresh(component_count(e.type), carries);
  const Register mark = next_;
  const std::vector<Value> arguments = eval_all(n.arguments, carries);
  const auto argument = [&](std::size_t a, std::size_t k) {
    if (a >= arguments.size()) return no_register;
    const auto& registers = arguments[a].registers;
    return registers.size() == 1 ? registers[0] : registers[k];
  };
  const Handler math = math_handler(b, scalar);
  const Handler handler = math ? math : integer_handler(b, scalar);
  const bool rounds = scalar == Scalar::F16 && b != Builtin::Select;
  for (std::size_t k = 0; k < result.registers.size(); ++k) {
    if (b == Builtin::InsertBits) {
      const std::uint32_t place_and_width = add_operands({argument(2, k), argument(3, k)});
      emit(handler, result.registers[k], argument(0, k), argument(1, k)).info = place_and_width;
    } else {
      emit(handler, result.registers[k], argument(0, k), argument(1, k), argument(2, k));
    }
    if (rounds) emit(round_half, result.registers[k], result.registers[k]);
    if (!carries) continue;
    if (b == Builtin::Select) {
      const auto taint = [&](std::size_t a) {
        const std::size_t component = arguments[a].registers.size() == 1 ? 0 : k;
        const Register t = arguments[a].taint(component);
        return t == no_register ? constant(0) : t;
      };
      emit(handler, result.taints[k], taint(0), taint(1), argument(2, k));
    } else {
      Register taint = no_register;
      for (const Value& value : arguments) taint = merged(taint, value.taint(value.registers.size() == 1 ? 0 : k));
      emit(copy, result.taints[k], taint == no_register ? constant(0) : taint);
    }
  }
  next_ = mark;
  return result;
}

Register Lowering::emit_dot(const Value& a, const Value& b, Scalar scalar, bool round_steps) {
  const Handler multiply = binary_handler(BinaryOp::Multiply, scalar);
  const Handler add = binary_handler(BinaryOp::Add, scalar);
  const Register sum = allocate(1);
  const Register product = allocate(1);
  const auto rounded = [&](Register r) {
    if (round_steps) emit(round_half, r, r);
  };
  for (std::size_t k = 0; k < a.registers.size(); ++k) {
    const Register r = k == 0 ? sum : product;
    emit(multiply, r, a.registers[k], b.registers[k]);
    rounded(r);
    if (k == 0) continue;
    emit(add, sum, sum, product);
    rounded(sum);
  }
  return sum;
}

Lowering::Value Lowering::geometric(const BuiltinCall& n, const Expression& e) {
  const Scalar scalar = *scalar_of(n.arguments[0]->type);
  const bool half = scalar == Scalar::F16;
  const Value result = fresh(component_count(e.type));
  const Register mark = next_;
  const std::vector<Value> arguments = eval_all(n.arguments);
  const Value& a = arguments[0];
  const auto finish = [&](std::size_t k) {
    if (half && scalar_of(e.type) == Scalar::F16) emit(round_half, result.registers[k], result.registers[k]);
  };
  switch (n.builtin) {
    case Builtin::All:
    case Builtin::Any: {
      const Handler combine = binary_handler(n.builtin == Builtin::All ? BinaryOp::And : BinaryOp::Or, Scalar::Bool);
      emit(copy, result.registers[0], a.registers[0]);
      for (std::size_t k = 1; k < a.registers.size(); ++k) {
        emit(combine, result.registers[0], result.registers[0], a.registers[k]);
      }
      break;
    }
    case Builtin::Dot: emit(copy, result.registers[0], emit_dot(a, arguments[1], scalar, half)); break;
    case Builtin::Cross: {
      const Value& b = arguments[1];
      const Handler multiply = binary_handler(BinaryOp::Multiply, scalar);
      const Register product = allocate(1);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
        emit(multiply, result.registers[k], a.registers[i], b.registers[j]);
        finish(k);
        emit(multiply, product, a.registers[j], b.registers[i]);
        if (half) emit(round_half, product, product);
        emit(binary_handler(BinaryOp::Subtract, scalar), result.registers[k], result.registers[k], product);
        finish(k);
      }
      break;
    }
    case Builtin::Length:
    case Builtin::Distance:
    case Builtin::Normalize: {
      Value v = a;
      if (n.builtin == Builtin::Distance) {
        v = fresh(a.registers.size());
        for (std::size_t k = 0; k < v.registers.size(); ++k) {
          emit(binary_handler(BinaryOp::Subtract, scalar), v.registers[k], a.registers[k], arguments[1].registers[k]);
        }
      }
      const Register length = allocate(1);
      if (v.registers.size() == 1) {
        emit(math_handler(Builtin::Abs, Scalar::F32), length, v.registers[0]);
      } else {
        emit(math_handler(Builtin::Sqrt, Scalar::F32), length, emit_dot(v, v, scalar, false));
      }
      for (std::size_t k = 0; k < result.registers.size(); ++k) {
        if (n.builtin == Builtin::Normalize) {
          emit(binary_handler(BinaryOp::Divide, scalar), result.registers[k], v.registers[k], length);
        } else {
          emit(copy, result.registers[k], length);
        }
        finish(k);
      }
      break;
    }
    default: throw InternalError("The interpreter does not know " + std::string(to_string(n.builtin)) + ".");
  }
  next_ = mark;
  return result;
}

Lowering::Value Lowering::packing(const BuiltinCall& n, const Expression& e) {
  const Value result = fresh(component_count(e.type));
  const Register mark = next_;
  const std::vector<Value> arguments = eval_all(n.arguments);
  const auto& a = arguments[0].registers;
  const Register r = result.registers[0];
  switch (n.builtin) {
    case Builtin::Pack2x16Float: emit(pack_halves, r, a[0], a[1]); break;
    case Builtin::Unpack2x16Float:
      emit(unpack_half, r, a[0]).info = 0;
      emit(unpack_half, r + 1, a[0]).info = 1;
      break;
    case Builtin::Dot4I8Packed:
    case Builtin::Dot4U8Packed:
      emit(integer_handler(n.builtin, Scalar::U32), r, a[0], arguments[1].registers[0]);
      break;
    default:
      if (a.size() == 4) {
        const std::uint32_t sources = add_operands(a);
        emit(pack_handler(n.builtin), r).info = sources;
      } else {
        emit(pack_handler(n.builtin), r, a[0]);
      }
  }
  next_ = mark;
  return result;
}

Lowering::Value Lowering::atomic(const BuiltinCall& n, const Expression& e) {
  const Value result = n.builtin == Builtin::AtomicStore ? Value{} : fresh(1);
  const Register mark = next_;
  const Place place = pointee_of(*n.arguments[0]);
  if (place.space == Place::Space::Registers) throw InternalError("The atomic " + place.name + " is in no memory.");
  const Register operand = n.arguments.size() > 1 ? eval(*n.arguments[1]).registers[0] : no_register;
  executable_.accesses_.push_back(access(place, 0, Element::Word, 1, e.range));
  emit(atomic_handler(n.builtin, *scalar_of(place.type)), result.registers.empty() ? no_register : result.registers[0],
       place.offset, operand)
      .info = static_cast<std::uint32_t>(executable_.accesses_.size() - 1);
  next_ = mark;
  return result;
}

Lowering::Value Lowering::matrix(const BuiltinCall& n, const Expression& e) {
  if (executable_.options_.subgroup_size != matrix_subgroup_size) {
    throw Unsupported("The kernel '" + executable_.name_ + "' uses matrices of subgroups of " +
                      std::to_string(matrix_subgroup_size) + " invocations; here they have " +
                      std::to_string(executable_.options_.subgroup_size) + ".");
  }
  const auto size = executable_.workgroup_size_;
  const std::uint32_t invocations = size[0] * size[1] * size[2];
  if (invocations % matrix_subgroup_size != 0) {
    throw Unsupported("A workgroup of " + std::to_string(invocations) + " invocations leaves a subgroup of " +
                      std::to_string(matrix_subgroup_size) + " partly empty; matrices need all of it.");
  }
  const bool stores = n.builtin == Builtin::SubgroupMatrixStore;
  const Value result = stores ? Value{} : fresh(component_count(e.type));
  const Register mark = next_;
  const Register r = stores ? no_register : result.registers[0];
  if (n.builtin == Builtin::SubgroupMatrixMultiplyAccumulate) {
    std::vector<Register> operands;
    for (const Value& value : eval_all(n.arguments)) {
      operands.insert(operands.end(), value.registers.begin(), value.registers.end());
    }
    const std::uint32_t range = add_range(e.range);
    const std::uint32_t at = add_operands(operands);
    Instruction& instruction = emit(multiply_matrices, r);
    instruction.target = at;
    instruction.info = range;
    next_ = mark;
    return result;
  }
  const Place place = pointee_of(*n.arguments[0]);
  if (place.space != Place::Space::Workgroup) {
    throw InternalError("The matrix in " + place.name + " is in no workgroup memory.");
  }
  const auto* array = place.type->as<ArrayType>();
  const bool packs = scalar_of(array->element) == Scalar::U32;
  const MatrixType& type = *(stores ? n.arguments[2]->type : e.type)->as<MatrixType>();
  MatrixInfo info;
  info.role = type.role;
  info.column_major = std::get<Literal>(n.arguments[stores ? 3 : 2]->node).components[0].i != 0;
  info.packs_halves = packs && type.scalar == Scalar::F16;
  info.builtin = std::string(to_string(n.builtin));
  const auto words = static_cast<std::uint32_t>(component_count(place.type));
  info.access = access(place, 0, Element::Word, info.packs_halves ? 2 * words : words, e.range);
  const Value offset = eval(*n.arguments[1]);
  const Value matrix = stores ? eval(*n.arguments[2]) : Value{};
  const Value stride = eval(*n.arguments[stores ? 4 : 3]);
  const std::uint32_t at = add_operands(matrix.registers);
  executable_.matrices_.push_back(std::move(info));
  Instruction& instruction =
      emit(stores ? store_matrix : load_matrix, r, offset.registers[0], stride.registers[0], place.offset);
  instruction.target = at;
  instruction.info = static_cast<std::uint32_t>(executable_.matrices_.size() - 1);
  next_ = mark;
  return result;
}

Lowering::Value Lowering::subgroup(const BuiltinCall& n, const Expression& e) {
  const Value result = fresh(component_count(e.type));
  const Register mark = next_;
  const std::vector<Value> arguments = eval_all(n.arguments);
  const Register lane = arguments.size() > 1 ? arguments[1].registers[0] : no_register;
  const Handler handler = subgroup_handler(n.builtin, *scalar_of(e.type));
  for (std::size_t k = 0; k < result.registers.size(); ++k) {
    emit(handler, result.registers[k], arguments.empty() ? no_register : arguments[0].registers[k], lane);
  }
  next_ = mark;
  return result;
}

}  // namespace driftwood::shader::interpreter
