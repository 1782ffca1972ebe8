// Barriers and atomics. OpenCL 1.x's atomic functions take volatile pointers and work on every version since.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

Code Printer::synchronization_builtin(const Expression& expression, const BuiltinCall& node) {
  switch (node.builtin) {
    case Builtin::WorkgroupBarrier:
      return {
          dialect_.pipeline && module_.uses_pipeline ? barrier_of_pipeline() + "()" : "barrier(CLK_LOCAL_MEM_FENCE)",
          Precedence::Postfix};
    case Builtin::StorageBarrier: return {"barrier(CLK_GLOBAL_MEM_FENCE)", Precedence::Postfix};
    case Builtin::IssueLoads:
      // NVIDIA's assembler puts a load off until just before its value is used, but not past a barrier.
      if (dialect_.subgroups != OpenClDialect::Subgroups::NvidiaPtx) return {};
      return {"asm volatile(\"bar.warp.sync 0xffffffff;\" ::: \"memory\")", Precedence::Postfix};
    case Builtin::WorkgroupUniformLoad: {
      const std::string type = type_name(expression.type);
      const std::string helper = prelude_.require(
          "uniform_load_" + type, "static " + type + " uniform_load_" + type + "(__local " + type +
                                      "* p) {\n  barrier(CLK_LOCAL_MEM_FENCE);\n  " + type +
                                      " value = *p;\n  barrier(CLK_LOCAL_MEM_FENCE);\n  return value;\n}");
      return call(helper, node.arguments);
    }
    default: break;
  }
  const auto* pointer = node.arguments[0]->type->as<PointerType>();
  if (node.builtin == Builtin::AtomicLoad) {
    const std::string space = pointer->space == AddressSpace::Workgroup ? "__local " : "__global ";
    return {"*(volatile " + space + type_name(pointer->pointee) + "*)" +
                value(*node.arguments[0]).at_least(Precedence::Unary),
            Precedence::Unary};
  }
  const auto atomic_function = [&]() -> std::string {
    switch (node.builtin) {
      case Builtin::AtomicStore:
      case Builtin::AtomicExchange: return "atomic_xchg";
      case Builtin::AtomicAdd: return "atomic_add";
      case Builtin::AtomicSub: return "atomic_sub";
      case Builtin::AtomicMax: return "atomic_max";
      case Builtin::AtomicMin: return "atomic_min";
      case Builtin::AtomicAnd: return "atomic_and";
      case Builtin::AtomicOr: return "atomic_or";
      case Builtin::AtomicXor: return "atomic_xor";
      default: throw InternalError("An atomic builtin is missing from the OpenCL C emitter.");
    }
  };
  return call(atomic_function(), node.arguments);
}

}  // namespace driftwood::shader::opencl
