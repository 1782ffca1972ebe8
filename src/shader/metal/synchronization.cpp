// Barriers and atomics.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

Code Printer::synchronization_builtin(const Expression& expression, const BuiltinCall& node) {
  switch (node.builtin) {
    case Builtin::WorkgroupBarrier: return {workgroup_barrier(), Precedence::Postfix};
    case Builtin::StorageBarrier: return {"threadgroup_barrier(mem_flags::mem_device)", Precedence::Postfix};
    case Builtin::IssueLoads: return {};
    case Builtin::WorkgroupUniformLoad: {
      const std::string type = type_name(expression.type);
      const std::string function = "uniform_load_" + type, barrier = "  " + workgroup_barrier() + ";\n";
      return call(
          prelude_.require(function, "static " + type + " " + function + "(threadgroup " + type + "* p) {\n" + barrier +
                                         "  const " + type + " value = *p;\n" + barrier + "  return value;\n}"),
          node.arguments);
    }
    default: break;
  }
  const auto atomic_function = [&]() -> std::string {
    switch (node.builtin) {
      case Builtin::AtomicLoad: return "atomic_load_explicit";
      case Builtin::AtomicStore: return "atomic_store_explicit";
      case Builtin::AtomicExchange: return "atomic_exchange_explicit";
      case Builtin::AtomicAdd: return "atomic_fetch_add_explicit";
      case Builtin::AtomicSub: return "atomic_fetch_sub_explicit";
      case Builtin::AtomicMax: return "atomic_fetch_max_explicit";
      case Builtin::AtomicMin: return "atomic_fetch_min_explicit";
      case Builtin::AtomicAnd: return "atomic_fetch_and_explicit";
      case Builtin::AtomicOr: return "atomic_fetch_or_explicit";
      case Builtin::AtomicXor: return "atomic_fetch_xor_explicit";
      default: throw InternalError("An atomic builtin is missing from the Metal emitter.");
    }
  };
  std::string text = atomic_function() + "(";
  for (const ExpressionPtr& each : node.arguments) text += argument(*each) + ", ";
  return {text + "memory_order_relaxed)", Precedence::Postfix};
}

}  // namespace driftwood::shader::metal
