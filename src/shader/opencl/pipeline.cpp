// The pipeline of a workgroup on NVIDIA's matrix units (compute capability 9.0): PTX bulk copies that report to
// barriers in workgroup memory, and wgmma (PTX ISA, sections 9.7.9.25, 9.7.13.15 and 9.7.15).
//
// A stage has two barriers of 64 bits in its ring: one that says it is full and, as many further as there are stages,
// one that says it is free. The first waits for one arrival and the bytes of the copies, the second for an arrival of
// each subgroup. Phases are told by their parity: that of the round.
//
// The driver compiles OpenCL C for a target without wgmma. Lines that need the target with it are comments that begin
// with //@; the program is built, its PTX taken out, edited and loaded (gpu/opencl/ptx_edit.h).
#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

std::uint32_t invocations_of(const Module& module) {
  const auto& size = module.entry_point->workgroup_size;
  return size[0] * size[1] * size[2];
}

std::uint32_t count_of(const Expression& pointer) {
  return *pointer.type->as<PointerType>()->pointee->as<ArrayType>()->count;
}

// A wait is bounded: a mistake gives wrong numbers instead of a device that hangs. It is one statement, as a branch of
// the program among wgmma would make the assembler put them one after another.
std::string wait_text(const std::string& barrier, const std::string& parity, const std::string& first) {
  return "{ .reg .pred p; .reg .u32 c;\\n" + first +
         "mov.u32 c, 0;\\nAGAIN: mbarrier.try_wait.parity.shared::cta.b64 p, [" + barrier + "], " + parity +
         ";\\n@p bra DONE;\\nadd.u32 c, c, 1;\\nsetp.lt.u32 p, c, 20000;\\n@p bra AGAIN;\\nDONE: }";
}

std::string register_list(std::uint32_t first, std::uint32_t count) {
  std::string list = "{";
  for (std::uint32_t i = 0; i < count; ++i) list += (i > 0 ? ", %" : "%") + std::to_string(first + i);
  return list + "}";
}

// "+f"(sums[0]), ...
std::string sums_operands(std::uint32_t count) {
  std::string operands;
  for (std::uint32_t i = 0; i < count; ++i) {
    operands += std::string(i == 0       ? ""
                            : i % 8 == 0 ? ",\n                 "
                                         : ", ") +
                "\"+f\"(sums[" + std::to_string(i) + "])";
  }
  return operands;
}

// The descriptor of a factor of which 16 bytes of each row lie `stride` apart: rows 16 bytes after one another, eight
// of them 128 (PTX ISA 9.7.15.5.1; addresses and distances count 16 bytes).
constexpr std::string_view descriptor =
    "static ulong matrix_descriptor(uint address, uint stride) {\n"
    "  return (ulong)((address & 0x3ffffu) >> 4 | stride << 16) | 8ul << 32;\n}";

}  // namespace

std::string Printer::stage_helper(Builtin builtin, std::uint32_t stages) {
  const std::string number = std::to_string(stages);
  const std::string full = "  uint full = (uint)(size_t)ring + stage * 8u;\n";
  const std::string empty = "  uint empty = (uint)(size_t)ring + stage * 8u + " + std::to_string(8 * stages) + "u;\n";
  const auto helper = [&](const std::string& name, const std::string& parameters, const std::string& body) {
    return prelude_.require(name + "_" + number, "static void " + name + "_" + number + "(__local uint2* ring" +
                                                     parameters + ") {\n" + body + "}");
  };
  switch (builtin) {
    case Builtin::StagesStart:
      return helper("stages_start", ", uint arrivals",
                    "  if (" + workgroup_index() + " == 0) {\n    for (uint i = 0u; i < " + std::to_string(2 * stages) +
                        "u; i++) {\n      asm volatile(\"mbarrier.init.shared::cta.b64 [%0], %1;\" :: \"r\"((uint)"
                        "(size_t)ring + i * 8u), \"r\"(i < " +
                        number +
                        "u ? 1u : arrivals) : \"memory\");\n    }\n    asm volatile(\"fence.proxy.async.shared::cta;\" "
                        "::: \"memory\");\n"
                        "  }\n  barrier(CLK_LOCAL_MEM_FENCE);\n");
    case Builtin::StageOpen:
      return helper("stage_open", ", uint stage, uint turn, uint bytes",
                    full + empty + "  asm volatile(\"" +
                        wait_text("%0", "%1", "setp.eq.u32 p, %2, 0;\\n@p bra DONE;\\n") +
                        "\"\n               :: \"r\"(empty), \"r\"((turn + 1u) & 1u), \"r\"(turn) : \"memory\");\n"
                        "  asm volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" :: \"r\"(full), "
                        "\"r\"(bytes) : \"memory\");\n");
    case Builtin::StageCopy:
      return helper(
          "stage_copy", ", uint stage, uint to, ulong from, uint bytes",
          full +
              "  asm volatile(\"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], "
              "%2, [%3];\"\n               :: \"r\"(to), \"l\"(from), \"r\"(bytes), \"r\"(full) : "
              "\"memory\");\n");
    case Builtin::StageWait:
      return helper("stage_wait", ", uint stage, uint turn",
                    full + "  asm volatile(\"" + wait_text("%0", "%1", "") +
                        "\"\n               :: \"r\"(full), \"r\"(turn & 1u) : \"memory\");\n");
    default:
      return helper("stage_release", ", uint stage",
                    empty +
                        "  asm volatile(\"{ .reg .pred p; setp.eq.u32 p, %1, 0;\\n@p mbarrier.arrive.shared::cta.b64 "
                        "_, [%0]; }\"\n               :: \"r\"(empty), \"r\"((uint)(" +
                        workgroup_index() + ") & 31u) : \"memory\");\n");
  }
}

// Products read workgroup memory past the path that ordinary stores take (PTX ISA 9.7.15.3), which each invocation
// makes its own stores wait for.
std::string Printer::barrier_of_pipeline() {
  return prelude_.require(
      "barrier_of_pipeline",
      "static void barrier_of_pipeline(void) {\n  asm volatile(\"fence.proxy.async.shared::cta;\" ::: "
      "\"memory\");\n  barrier(CLK_LOCAL_MEM_FENCE);\n}");
}

Code Printer::multiply_workgroup(const BuiltinCall& node) {
  const auto& list = node.arguments;
  const bool in_memory = list.size() == 8;
  const std::uint32_t sums = count_of(*list[0]);
  const std::uint32_t steps = in_memory ? static_cast<std::uint32_t>(*integer_value(*list[7])) : count_of(*list[1]);
  prelude_.require("matrix_descriptor", descriptor);
  const std::string name = std::string(in_memory ? "multiply_workgroup_memory_" : "multiply_workgroup_") +
                           std::to_string(2 * sums) + "_" + std::to_string(steps);
  const auto operand = [](std::uint32_t number) { return "%" + std::to_string(number); };
  const std::string right = operand(sums), right_step = operand(sums + 1);
  std::string text =
      "//@{ .reg .pred p; .reg .b64 a, b; wgmma.fence.sync.aligned; mov.b64 b, " + right + "; setp.ne.b64 p, b, 0; ";
  if (in_memory) text += "mov.b64 a, " + operand(sums + 2) + "; ";
  for (std::uint32_t step = 0; step < steps; ++step) {
    text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * sums) + "k16.f32.f16.f16 " +
            register_list(0, sums) + ", " +
            (in_memory ? "a, b, p, 1, 1, 0, 0; " : register_list(sums + 2 + 4 * step, 4) + ", b, p, 1, 1, 0; ");
    if (step + 1 == steps) break;
    text += "add.s64 b, b, " + right_step + "; ";
    if (in_memory) text += "add.s64 a, a, " + operand(sums + 3) + "; ";
  }
  text += "wgmma.commit_group.sync.aligned; }";
  std::string inputs = "\"l\"(matrix_descriptor(right, right_stride)), \"l\"((ulong)(2u * right_stride))";
  if (in_memory) {
    inputs += ", \"l\"(matrix_descriptor(left, left_stride)), \"l\"((ulong)(2u * left_stride))";
  } else {
    for (std::uint32_t step = 0; step < steps; ++step) {
      inputs += step == 0 ? ",\n                 " : ", ";
      for (int i = 0; i < 4; ++i) {
        inputs += std::string(i > 0 ? ", " : "") + "\"r\"(left[" + std::to_string(step) + "]." + "xyzw"[i] + ")";
      }
    }
  }
  const std::string left = in_memory ? "uint left, uint left_stride" : "const uint4* left";
  prelude_.require(name, "static void " + name + "(float* sums, " + left +
                             ", uint right, uint right_stride) {\n  asm volatile(\"" + text +
                             "\"\n               : " + sums_operands(sums) + "\n               : " + inputs +
                             "\n               : \"memory\");\n}");
  const auto address = [&](std::size_t tile, std::size_t offset) {
    return "(uint)(size_t)" + value(*list[tile]).at_least(Precedence::Unary) + " + 16u * (" + argument(*list[offset]) +
           ")";
  };
  const auto registers = [&](std::size_t at, const std::string& type) {
    return "(" + type + "*)" + value(*list[at]).at_least(Precedence::Unary);
  };
  std::string arguments = registers(0, "float") + ", ";
  if (in_memory) {
    arguments += address(1, 2) + ", " + argument(*list[3]) + ", " + address(4, 5) + ", " + argument(*list[6]);
  } else {
    arguments += registers(1, "uint4") + ", " + address(2, 3) + ", " + argument(*list[4]);
  }
  return {name + "(" + arguments + ")", Precedence::Postfix};
}

Code Printer::pipeline_builtin(const Expression& expression, const BuiltinCall& node) {
  if (!dialect_.pipeline) return c_family::Printer::pipeline_builtin(expression, node);
  if (invocations_of(module_) % 32 != 0) {
    throw Unsupported("A workgroup of " + std::to_string(invocations_of(module_)) +
                      " invocations has no pipeline: it takes whole subgroups of 32.");
  }
  const auto& list = node.arguments;
  if (node.builtin == Builtin::WorkgroupMatrixMultiplyAccumulate) return multiply_workgroup(node);
  if (node.builtin == Builtin::WorkgroupMatrixWait) {
    // The sums are named, so that nothing moves them while they are still being added to.
    const std::uint32_t sums = count_of(*list[0]);
    const std::string name = "wait_for_matrix_" + std::to_string(sums);
    prelude_.require(name, "static void " + name +
                               "(float* sums) {\n  asm volatile(\"//@wgmma.wait_group.sync.aligned 0;\"\n"
                               "               : " +
                               sums_operands(sums) + "\n               :: \"memory\");\n}");
    return {name + "((float*)" + value(*list[0]).at_least(Precedence::Unary) + ")", Precedence::Postfix};
  }
  if (node.builtin == Builtin::WorkgroupRegisters) {
    // Registers that an invocation begins with: of those of a multiprocessor, as many as all subgroups can have alike.
    const std::int64_t wanted = *integer_value(*list[0]);
    const bool is_more = wanted * invocations_of(module_) > 65536;
    const std::string name = "set_registers_" + std::to_string(wanted);
    prelude_.require(name, "static void " + name + "(void) {\n  asm volatile(\"//@setmaxnreg." +
                               (is_more ? "inc" : "dec") + ".sync.aligned.u32 " + std::to_string(wanted) + ";\");\n}");
    return {name + "()", Precedence::Postfix};
  }
  const std::string helper = stage_helper(node.builtin, count_of(*list[0]) / 2);
  std::string arguments = "(__local uint2*)" + value(*list[0]).at_least(Precedence::Unary);
  if (node.builtin == Builtin::StagesStart) {
    return {helper + "(" + arguments + ", " + std::to_string(*integer_value(*list[1]) / 32) + "u)",
            Precedence::Postfix};
  }
  if (node.builtin == Builtin::StageCopy) {
    const auto element = [&](std::size_t at) {
      const TypePtr& array = list[at]->type->as<PointerType>()->pointee;
      return type_name(array->as<ArrayType>()->element);
    };
    const std::string size = element(2) == "uint" ? "4u" : "16u";
    arguments += ", " + argument(*list[1]) + ", (uint)(size_t)" + value(*list[2]).at_least(Precedence::Unary) + " + " +
                 size + " * (" + argument(*list[3]) + "), (ulong)((__global const " + element(4) + "*)" +
                 value(*list[4]).at_least(Precedence::Unary) + " + (" + argument(*list[5]) + ")), " + size + " * (" +
                 argument(*list[6]) + ")";
  } else {
    for (std::size_t i = 1; i < list.size(); ++i) arguments += ", " + argument(*list[i]);
  }
  return {helper + "(" + arguments + ")", Precedence::Postfix};
}

}  // namespace driftwood::shader::opencl
