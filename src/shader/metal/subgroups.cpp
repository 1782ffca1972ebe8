// Subgroups are Metal's SIMD-groups, whose functions take scalars and vectors alike.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

namespace {

std::string_view function_of(Builtin builtin) {
  switch (builtin) {
    case Builtin::SubgroupAdd: return "simd_sum";
    case Builtin::SubgroupMul: return "simd_product";
    case Builtin::SubgroupMax: return "simd_max";
    case Builtin::SubgroupMin: return "simd_min";
    case Builtin::SubgroupAll: return "simd_all";
    case Builtin::SubgroupAny: return "simd_any";
    case Builtin::SubgroupBroadcast: return "simd_broadcast";
    case Builtin::SubgroupBroadcastFirst: return "simd_broadcast_first";
    case Builtin::SubgroupShuffle: return "simd_shuffle";
    case Builtin::SubgroupShuffleXor: return "simd_shuffle_xor";
    case Builtin::SubgroupShuffleUp: return "simd_shuffle_up";
    case Builtin::SubgroupShuffleDown: return "simd_shuffle_down";
    case Builtin::SubgroupExclusiveAdd: return "simd_prefix_exclusive_sum";
    case Builtin::SubgroupInclusiveAdd: return "simd_prefix_inclusive_sum";
    case Builtin::SubgroupElect: return "simd_is_first";
    default: throw InternalError("A subgroup builtin is missing from the Metal emitter.");
  }
}

}  // namespace

Code Printer::subgroup_builtin(const Expression&, const BuiltinCall& node) {
  if (!dialect_.simdgroups) {
    throw InternalError("The builtin '" + std::string(to_string(node.builtin)) +
                        "' reaches the emitter of a device without subgroups; the optimiser lowers it before.");
  }
  std::string text(function_of(node.builtin));
  text += "(";
  if (!node.arguments.empty()) text += argument(*node.arguments[0]);
  if (node.arguments.size() > 1) text += ", ushort(" + argument(*node.arguments[1]) + ")";
  return {text + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::metal
