// Subgroup operations in the dialect of the device: cl_khr_subgroups with the Khronos shuffles, cl_intel_subgroups,
// which has the same reductions and shuffles of its own, or NVIDIA's PTX shuffles, whose subgroups are the warps of 32
// invocations. Of the extensions only reductions, scans, votes, broadcasts and shuffles are used; the rest is made of
// them.
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

struct SubgroupFunction {
  Builtin builtin;
  std::string_view khr;     // the function of the Khronos extensions; empty: there is none in those that are asked for
  std::string_view intel;   // the function of Intel's where it has its own
  std::string_view helper;  // the name of the helper
};

constexpr SubgroupFunction functions[] = {
    {Builtin::SubgroupAdd, "sub_group_reduce_add", "", "subgroup_add"},
    {Builtin::SubgroupMul, "", "", "subgroup_mul"},
    {Builtin::SubgroupMax, "sub_group_reduce_max", "", "subgroup_max"},
    {Builtin::SubgroupMin, "sub_group_reduce_min", "", "subgroup_min"},
    {Builtin::SubgroupAll, "sub_group_all", "", "subgroup_all"},
    {Builtin::SubgroupAny, "sub_group_any", "", "subgroup_any"},
    {Builtin::SubgroupBroadcast, "sub_group_broadcast", "", "subgroup_broadcast"},
    {Builtin::SubgroupBroadcastFirst, "", "", "subgroup_broadcast_first"},
    {Builtin::SubgroupShuffle, "sub_group_shuffle", "intel_sub_group_shuffle", "subgroup_shuffle"},
    {Builtin::SubgroupShuffleXor, "sub_group_shuffle_xor", "intel_sub_group_shuffle_xor", "subgroup_shuffle_xor"},
    {Builtin::SubgroupShuffleUp, "sub_group_shuffle_up", "intel_sub_group_shuffle_up", "subgroup_shuffle_up"},
    {Builtin::SubgroupShuffleDown, "sub_group_shuffle_down", "intel_sub_group_shuffle_down", "subgroup_shuffle_down"},
    {Builtin::SubgroupExclusiveAdd, "sub_group_scan_exclusive_add", "", "subgroup_exclusive_add"},
    {Builtin::SubgroupInclusiveAdd, "sub_group_scan_inclusive_add", "", "subgroup_inclusive_add"},
    {Builtin::SubgroupElect, "", "", "subgroup_elect"},
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

// The function that does what the builtin says with the same arguments; empty where a helper does.
std::string Printer::direct_subgroup_function(Builtin builtin) const {
  const SubgroupFunction& facts = function_of(builtin);
  const bool is_relative = builtin == Builtin::SubgroupShuffleUp || builtin == Builtin::SubgroupShuffleDown;
  switch (dialect_.subgroups) {
    case OpenClDialect::Subgroups::Khr: return std::string(is_relative && !dialect_.relative_shuffles ? "" : facts.khr);
    case OpenClDialect::Subgroups::Intel:
      if (is_relative) return {};  // takes two values
      return std::string(facts.intel.empty() ? facts.khr : facts.intel);
    default: return {};
  }
}

// The body of a helper that is made of the functions which the extension has.
std::string Printer::composed(Builtin builtin, const std::string& type) const {
  const bool is_intel = dialect_.subgroups == OpenClDialect::Subgroups::Intel;
  switch (builtin) {
    // What comes from outside the subgroup may be anything.
    case Builtin::SubgroupShuffleUp:
      return is_intel ? "  return intel_sub_group_shuffle_up(v, v, n);\n"
                      : "  return sub_group_shuffle(v, get_sub_group_local_id() - n);\n";
    case Builtin::SubgroupShuffleDown:
      return is_intel ? "  return intel_sub_group_shuffle_down(v, v, n);\n"
                      : "  return sub_group_shuffle(v, get_sub_group_local_id() + n);\n";
    case Builtin::SubgroupBroadcastFirst: return "  return sub_group_broadcast(v, 0u);\n";
    case Builtin::SubgroupMul:
      return "  " + type + " product = sub_group_broadcast(v, 0u);\n" +
             "  for (uint i = 1u; i < get_sub_group_size(); ++i) product *= sub_group_broadcast(v, i);\n"
             "  return product;\n";
    default: throw InternalError("A subgroup builtin is missing from the OpenCL C emitter.");
  }
}

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
    const std::string direct = direct_subgroup_function(builtin);
    const std::string scalar_function = direct.empty() ? subgroup_helper(builtin, element) : direct;
    std::string parts;
    for (int i = 0; i < width_of(type); ++i) {
      parts += std::string(i > 0 ? ", " : "") + scalar_function + "(v." + "xyzw"[i] + (takes_lane ? ", n)" : ")");
    }
    return prelude_.require(name, head + " {\n  return (" + type_text + ")(" + parts + ");\n}");
  }
  if (dialect_.subgroups != OpenClDialect::Subgroups::NvidiaPtx) {
    return prelude_.require(name, head + " {\n" + composed(builtin, type_text) + "}");
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
    if (!ptx) return {"get_sub_group_local_id() == 0u", Precedence::Equality};
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
  if (const std::string direct = direct_subgroup_function(node.builtin);
      !direct.empty() && width_of(expression.type) == 1) {
    return call(direct, node.arguments);
  }
  const std::string helper = subgroup_helper(node.builtin, expression.type);
  std::string text = helper + "(" + argument(*node.arguments[0]);
  if (node.arguments.size() > 1) text += ", " + argument(*node.arguments[1]);
  return {text + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::opencl
