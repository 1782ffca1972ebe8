// Subgroup operations in the dialect of the device: cl_khr_subgroups and its relatives, or NVIDIA's PTX shuffles, whose
// subgroups are the warps of 32 invocations.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

struct SubgroupFunction {
  Builtin builtin;
  std::string_view khr;     // the function of the extension
  std::string_view helper;  // the name of the PTX or vector helper
};

constexpr SubgroupFunction functions[] = {
    {Builtin::SubgroupAdd, "sub_group_reduce_add", "subgroup_add"},
    {Builtin::SubgroupMul, "sub_group_non_uniform_reduce_mul", "subgroup_mul"},
    {Builtin::SubgroupMax, "sub_group_reduce_max", "subgroup_max"},
    {Builtin::SubgroupMin, "sub_group_reduce_min", "subgroup_min"},
    {Builtin::SubgroupAll, "sub_group_all", "subgroup_all"},
    {Builtin::SubgroupAny, "sub_group_any", "subgroup_any"},
    {Builtin::SubgroupBroadcast, "sub_group_broadcast", "subgroup_broadcast"},
    {Builtin::SubgroupBroadcastFirst, "sub_group_broadcast_first", "subgroup_broadcast_first"},
    {Builtin::SubgroupShuffle, "sub_group_shuffle", "subgroup_shuffle"},
    {Builtin::SubgroupShuffleXor, "sub_group_shuffle_xor", "subgroup_shuffle_xor"},
    {Builtin::SubgroupShuffleUp, "sub_group_shuffle_up", "subgroup_shuffle_up"},
    {Builtin::SubgroupShuffleDown, "sub_group_shuffle_down", "subgroup_shuffle_down"},
    {Builtin::SubgroupExclusiveAdd, "sub_group_scan_exclusive_add", "subgroup_exclusive_add"},
    {Builtin::SubgroupInclusiveAdd, "sub_group_scan_inclusive_add", "subgroup_inclusive_add"},
    {Builtin::SubgroupElect, "sub_group_elect", "subgroup_elect"},
};

const SubgroupFunction& function_of(Builtin builtin) {
  for (const SubgroupFunction& each : functions) {
    if (each.builtin == builtin) return each;
  }
  throw InternalError("A subgroup builtin is missing from the OpenCL C emitter.");
}

// The shuffle that moves 32 bits, with the operand that clamps at the subgroup's ends.
std::string shuffle_instruction(Builtin builtin) {
  switch (builtin) {
    case Builtin::SubgroupShuffleXor: return "shfl.sync.bfly.b32 %0, %1, %2, 0x1f, 0xffffffff;";
    case Builtin::SubgroupShuffleUp: return "shfl.sync.up.b32 %0, %1, %2, 0x0, 0xffffffff;";
    case Builtin::SubgroupShuffleDown: return "shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;";
    default: return "shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;";
  }
}

std::string combine(Builtin builtin, Scalar scalar, const std::string& a, const std::string& b) {
  const bool floating = is_float(scalar);
  switch (builtin) {
    case Builtin::SubgroupMul: return a + " * " + b;
    case Builtin::SubgroupMax: return (floating ? "fmax(" : "max(") + a + ", " + b + ")";
    case Builtin::SubgroupMin: return (floating ? "fmin(" : "min(") + a + ", " + b + ")";
    default: return a + " + " + b;
  }
}

}  // namespace

// The helper of one builtin for one scalar or vector type; returns its name.
std::string Printer::subgroup_helper(Builtin builtin, const TypePtr& type) {
  const SubgroupFunction& facts = function_of(builtin);
  const std::string type_text = type_name(type);
  const std::string name = std::string(facts.helper) + "_" + type_text;
  const bool takes_lane = builtin >= Builtin::SubgroupBroadcast && builtin <= Builtin::SubgroupShuffleDown &&
                          builtin != Builtin::SubgroupBroadcastFirst;
  const std::string head =
      "static " + type_text + " " + name + "(" + type_text + " v" + (takes_lane ? ", uint n" : "") + ")";
  if (width_of(type) > 1) {
    const TypePtr element = scalar_type(*scalar_of(type));
    const bool ptx = dialect_.subgroups == OpenClDialect::Subgroups::NvidiaPtx;
    const std::string scalar_function = ptx ? subgroup_helper(builtin, element) : std::string(facts.khr);
    std::string parts;
    for (int i = 0; i < width_of(type); ++i) {
      parts += std::string(i > 0 ? ", " : "") + scalar_function + "(v." + "xyzw"[i] + (takes_lane ? ", n)" : ")");
    }
    return prelude_.require(name, head + " {\n  return (" + type_text + ")(" + parts + ");\n}");
  }
  const Scalar scalar = *scalar_of(type);
  if (takes_lane || builtin == Builtin::SubgroupBroadcastFirst) {
    const std::string lane = takes_lane ? "n" : "0u";
    const std::string bits = scalar == Scalar::F16 ? "(uint)as_ushort(v)" : "as_uint(v)";
    const std::string back = scalar == Scalar::F16 ? "as_half((ushort)r)" : "as_" + type_text + "(r)";
    return prelude_.require(name, head + " {\n  uint r;\n  asm volatile(\"" + shuffle_instruction(builtin) +
                                      "\" : \"=r\"(r) : \"r\"(" + bits + "), \"r\"(" + lane + "));\n  return " + back +
                                      ";\n}");
  }
  if (builtin == Builtin::SubgroupInclusiveAdd || builtin == Builtin::SubgroupExclusiveAdd) {
    const std::string up = subgroup_helper(Builtin::SubgroupShuffleUp, type);
    const bool exclusive = builtin == Builtin::SubgroupExclusiveAdd;
    std::string body = "  uint lane;\n  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n";
    if (exclusive) {
      body += "  v = " + up + "(v, 1u);\n  v = lane == 0u ? 0 : v;\n";
    }
    body += "  for (uint n = 1u; n < 32u; n *= 2u) {\n    " + type_text + " other = " + up +
            "(v, n);\n    v = lane >= n ? v + other : v;\n  }\n  return v;\n";
    return prelude_.require(name, head + " {\n" + body + "}");
  }
  // A butterfly: after five exchanges every invocation has combined all 32, each in the same order up to commutation.
  const std::string exchange = subgroup_helper(Builtin::SubgroupShuffleXor, type);
  return prelude_.require(name, head + " {\n  for (uint n = " + std::to_string(ptx_subgroup_size() / 2) +
                                    "u; n > 0u; n /= 2u) v = " + combine(builtin, scalar, "v", exchange + "(v, n)") +
                                    ";\n  return v;\n}");
}

std::uint32_t Printer::ptx_subgroup_size() const {
  const auto& size = module_.entry_point->workgroup_size;
  const std::uint32_t total = size[0] * size[1] * size[2];
  const bool is_power_of_two = (total & (total - 1)) == 0;
  if (total % 32 != 0 && !(total < 32 && is_power_of_two)) {
    throw Unsupported(
        "A workgroup of " + std::to_string(total) +
        " invocations leaves a subgroup of 32 partly empty; subgroup operations need a multiple of 32, or a "
        "power of two below.");
  }
  return total < 32 ? total : 32;
}

Code Printer::subgroup_builtin(const Expression& expression, const BuiltinCall& node) {
  const SubgroupFunction& facts = function_of(node.builtin);
  if (dialect_.subgroups == OpenClDialect::Subgroups::None) {
    throw InternalError("The builtin '" + std::string(to_string(node.builtin)) +
                        "' reaches the emitter of a device without subgroups; the optimiser lowers it before.");
  }
  const bool ptx = dialect_.subgroups == OpenClDialect::Subgroups::NvidiaPtx;
  const bool is_vote = node.builtin == Builtin::SubgroupAll || node.builtin == Builtin::SubgroupAny;
  if (node.builtin == Builtin::SubgroupElect) {
    if (!ptx) return {"sub_group_elect()", Precedence::Postfix};
    return {prelude_.require("subgroup_elect",
                             "static bool subgroup_elect() {\n  uint lane;\n"
                             "  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n  return lane == 0u;\n}") +
                "()",
            Precedence::Postfix};
  }
  if (is_vote) {
    if (!ptx) return {call(std::string(facts.khr), node.arguments).text + " != 0", Precedence::Equality};
    const bool all = node.builtin == Builtin::SubgroupAll;
    const std::string helper = std::string(facts.helper);
    prelude_.require(helper, "static bool " + helper + "(bool v) {\n  int r;\n  asm volatile(\"{ .reg .pred p, q; " +
                                 "setp.ne.s32 p, %1, 0; vote.sync." + (all ? "all" : "any") +
                                 ".pred q, p, 0xffffffff; selp.s32 %0, 1, 0, q; }\" : \"=r\"(r) : \"r\"((int)v));\n"
                                 "  return r != 0;\n}");
    return call(helper, node.arguments);
  }
  const bool is_bool = scalar_of(expression.type) == Scalar::Bool;
  if (is_bool) {
    throw Unsupported("'" + std::string(to_string(node.builtin)) + "' moves numbers; convert the bool to u32 first.");
  }
  if (!ptx && width_of(expression.type) == 1) return call(std::string(facts.khr), node.arguments);
  const std::string helper = subgroup_helper(node.builtin, expression.type);
  std::string text = helper + "(" + argument(*node.arguments[0]);
  if (node.arguments.size() > 1) text += ", " + argument(*node.arguments[1]);
  return {text + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::opencl
