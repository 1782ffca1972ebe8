#include "gpu/opencl/joined_program.h"

#include <fmt/format.h>

#include <algorithm>

namespace driftwood::gpu::opencl {
namespace {

// NVIDIA's groups have sixteen named barriers; number 0 is barrier()'s own.
constexpr std::uint32_t named_barriers = 15;
constexpr std::uint32_t ptx_subgroup = 32;

std::uint32_t size_of(const shader::OpenClBody& body) {
  return body.workgroup_size[0] * body.workgroup_size[1] * body.workgroup_size[2];
}

// Workgroups of a body that run side by side.
std::uint32_t side_by_side(const shader::OpenClBody& body, std::uint32_t workgroup_size) {
  const std::uint32_t fit = workgroup_size / size_of(body);
  const bool needs_names = body.has_barriers && size_of(body) > ptx_subgroup && fit > 1;
  return needs_names ? std::min(fit, named_barriers) : fit;
}

// The wait of one workgroup of a body: its first invocation looks.
constexpr const char* ptx_look = R"(
static uint stage_arrivals(__global uint* counter) {
  uint seen;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter) : "memory");
  return seen;
}

static void arrive_at_stage(__global uint* counter) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" :: "l"(counter) : "memory");
}
)";

constexpr const char* plain_look = R"(
static uint stage_arrivals(__global uint* counter) { return atomic_or(counter, 0u); }

static void arrive_at_stage(__global uint* counter) {
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_inc(counter);
}
)";

std::string prelude(const JoinedDialect& dialect) {
  std::string text =
      "typedef struct {\n  __global uint* counter;\n  __global uint* fault;\n  __local uint* gave_up;\n"
      "  uint awaited;\n  uint looks;\n} stage_wait;\n";
  text += dialect.ptx ? ptx_look : plain_look;
  text += R"(
static void look_for_stage(stage_wait wait) {
  uint looks = 0;
  #pragma unroll 1
  while (stage_arrivals(wait.counter) < wait.awaited) {
    if (++looks == wait.looks) {
      *wait.gave_up = 1u;
      *wait.fault = 1u;
      return;
    }
  }
}
)";
  return text;
}

// What the body's text calls: which invocation of its workgroup this is, the workgroup's barrier, the wait.
std::string surroundings(const shader::OpenClBody& body, std::uint32_t index, std::uint32_t workgroup_size) {
  const auto [x, y, z] = body.workgroup_size;
  const std::uint32_t size = size_of(body);
  const std::string flat =
      size == workgroup_size ? "(uint)get_local_id(0)" : fmt::format("((uint)get_local_id(0) % {}u)", size);
  const auto part = [&](std::uint32_t before, std::uint32_t extent, bool is_last) -> std::string {
    if (extent == 1) return "0u";
    const std::string quotient = before == 1 ? flat : fmt::format("({} / {}u)", flat, before);
    return is_last ? quotient : fmt::format("({} % {}u)", quotient, extent);
  };
  std::string text;
  text += fmt::format("#define stage_{}_local_0 {}\n", index, part(1, x, y * z == 1));
  text += fmt::format("#define stage_{}_local_1 {}\n", index, part(x, y, z == 1));
  text += fmt::format("#define stage_{}_local_2 {}\n", index, part(x * y, z, true));
  std::string barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)";
  if (size != workgroup_size && size == ptx_subgroup) {
    barrier = "asm volatile(\"bar.warp.sync 0xffffffff;\" ::: \"memory\")";
  } else if (size != workgroup_size) {
    barrier = fmt::format("asm volatile(\"bar.sync %0, {};\" :: \"r\"(1u + (uint)get_local_id(0) / {}u) : \"memory\")",
                          size, size);
  }
  text += fmt::format("static void stage_{}_barrier() {{\n  {};\n}}\n", index, barrier);
  const bool alone = size < ptx_subgroup && size != workgroup_size;  // no barrier is theirs: each looks for itself
  text += fmt::format(
      "static void await_stage_{}(stage_wait wait) {{\n  if (wait.awaited == 0u) return;\n  "
      "{}look_for_stage(wait);\n{}}}\n",
      index, alone ? "" : fmt::format("if ({} == 0u) ", flat),
      alone ? "" : fmt::format("  stage_{}_barrier();\n", index));
  return text;
}

std::string runner(const shader::OpenClBody& body, const StageLayout& layout, std::uint32_t index,
                   std::uint32_t workgroup_size) {
  const std::uint32_t size = size_of(body);
  const std::uint32_t sides = side_by_side(body, workgroup_size);
  const std::string prefix = fmt::format("stage_{}_", index);
  std::string text = fmt::format("static void {}run(__local const uint* stage, stage_wait wait{}) {{\n", prefix,
                                 body.memory.empty() ? "" : fmt::format(", __local {}{}* memory", prefix, body.memory));
  const std::string side = fmt::format("(uint)get_local_id(0) / {}u", size);
  if (sides * size != workgroup_size) text += fmt::format("  if ({} >= {}u) return;\n", side, sides);
  text += sides == 1 ? "  const uint side = 0u;\n" : fmt::format("  const uint side = {};\n", side);
  // Whatever the record says is read for each workgroup anew: registers are scarce in a program of many kernels.
  text += "  uint i = (uint)get_group_id(0) + side * (uint)get_num_groups(0);\n";
  text += fmt::format("  while (i < stage[{}]) {{\n", StageLayout::groups);
  text += fmt::format("    const uint3 grid = (uint3)(stage[{}], stage[{}], stage[{}]);\n", StageLayout::grid,
                      StageLayout::grid + 1, StageLayout::grid + 2);
  text += "    const uint row = i / grid.x;\n";
  text += fmt::format("    {}{}((uint3)(i % grid.x, row % grid.y, row / grid.y), grid, wait{}", prefix, body.function,
                      body.memory.empty() ? "" : ", memory + side");
  for (std::size_t i = 0; i < body.pointers.size(); ++i) {
    text += fmt::format(",\n        ({}pointer_{})*(__local const ulong*)(stage + {})", prefix, i,
                        StageLayout::arguments + 2 * i);
  }
  for (std::size_t i = 0; i < body.lengths; ++i) text += fmt::format(", stage[{}]", layout.length(i));
  text += fmt::format(");\n    i += (uint)get_num_groups(0) * {}u;\n    wait.awaited = 0u;\n", sides);
  if (body.has_barriers) text += fmt::format("    {}barrier();\n", prefix);
  return text + "  }\n}\n";
}

std::string section(const shader::OpenClBody& body, const StageLayout& layout, std::uint32_t index,
                    std::uint32_t workgroup_size) {
  std::string text = surroundings(body, index, workgroup_size);
  text += fmt::format("#define get_local_id(d) stage_{}_local_##d\n#define barrier(flags) stage_{}_barrier()\n", index,
                      index);
  text += fmt::format("#define await_stage await_stage_{}\n", index);
  for (const std::string& name : body.names) text += fmt::format("#define {} stage_{}_{}\n", name, index, name);
  text += "\n" + body.source + "\n";
  for (std::size_t i = 0; i < body.pointers.size(); ++i) {
    std::string declared = body.pointers[i];
    declared.replace(declared.find('@'), 1, fmt::format("stage_{}_pointer_{}", index, i));
    text += "typedef " + declared + ";\n";
  }
  text += "#undef get_local_id\n#undef barrier\n#undef await_stage\n";
  for (const std::string& name : body.names) text += fmt::format("#undef {}\n", name);
  return text + runner(body, layout, index, workgroup_size) + "\n";
}

}  // namespace

bool can_join(std::span<const shader::OpenClBody* const> bodies, const JoinedDialect& dialect) {
  if (bodies.empty()) return false;
  if (!dialect.ptx) {
    return std::ranges::all_of(bodies, [&](const auto* body) { return size_of(*body) == size_of(*bodies.front()); });
  }
  return std::ranges::all_of(bodies, [&](const auto* body) {
    return size_of(*body) % ptx_subgroup == 0 || (!body->has_barriers && body->memory.empty());
  });
}

JoinedProgram join(std::span<const shader::OpenClBody* const> bodies, const JoinedDialect& dialect) {
  JoinedProgram program;
  for (const auto* body : bodies) {
    program.workgroup_size = std::max(program.workgroup_size, size_of(*body));
    program.layout.pointers = std::max(program.layout.pointers, body->pointers.size());
    program.layout.lengths = std::max(program.layout.lengths, body->lengths);
  }
  if (dialect.ptx) program.workgroup_size = (program.workgroup_size + ptx_subgroup - 1) / ptx_subgroup * ptx_subgroup;
  const std::uint32_t size = program.workgroup_size;
  const std::size_t words = program.layout.words();
  std::string& text = program.source;
  // Pragmas hold for the rest of a program, which asks for each once.
  text = prelude(dialect) + "\n";
  for (std::uint32_t i = 0; i < bodies.size(); ++i) text += section(*bodies[i], program.layout, i, size);

  std::string memories, calls;
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const shader::OpenClBody& body = *bodies[i];
    std::string memory;
    if (!body.memory.empty()) {
      memories += fmt::format("  stage_{}_{} of_{}[{}];\n", i, body.memory, i, side_by_side(body, size));
      memory = fmt::format(", memory.of_{}", i);
    }
    calls += fmt::format("      case {}: stage_{}_run(stage, wait{}); break;\n", i, i, memory);
  }
  if (!memories.empty()) text += "typedef union {\n" + memories + "} stage_memory;\n\n";
  text += fmt::format("__attribute__((reqd_work_group_size({}, 1, 1)))\n", size);
  text += fmt::format(
      R"(__kernel void run_stages(__global const uint* table, uint stages, __global uint* counters,
                         __global uint* spare_counters, uint counter_words, __global uint* fault, uint looks) {{
{memories}  __local ulong records[2][{half}];
  __local uint gave_up;
  const uint self = (uint)get_local_id(0);
  for (uint i = (uint)get_group_id(0) * {size}u + self; i < counter_words; i += (uint)get_num_groups(0) * {size}u)
    spare_counters[i] = 0u;
  for (uint i = self; i < {words}u; i += {size}u) ((__local uint*)records[0])[i] = table[i];
  if (self == 0u) gave_up = *fault;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint s = 0u; s < stages; ++s) {{
    if (gave_up != 0u) return;
    __local const uint* stage = (__local const uint*)records[s % 2u];
    __local uint* following = (__local uint*)records[(s + 1u) % 2u];
    __global const uint* next = table + (s + 1u < stages ? s + 1u : s) * {words}u;
{fetch}    stage_wait wait = {{counters + (s == 0u ? 0u : s - 1u) * {counter}u, fault, &gave_up, stage[{awaited}], looks}};
    const bool works = (uint)get_group_id(0) < stage[{workers}];
    switch (stage[{body}]) {{
{calls}      default:
        if (self == 0u && wait.awaited != 0u) look_for_stage(wait);
    }}
{keep}    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (self == 0u && works && gave_up == 0u) arrive_at_stage(counters + s * {counter}u);
  }}
}}
)",
      fmt::arg("memories", memories.empty() ? "" : "  __local stage_memory memory;\n"), fmt::arg("half", words / 2),
      fmt::arg("size", size), fmt::arg("counter", counter_words), fmt::arg("words", words),
      fmt::arg("awaited", StageLayout::awaited), fmt::arg("workers", StageLayout::workers),
      fmt::arg("body", StageLayout::body), fmt::arg("calls", calls),
      // The next record is on its way while a stage runs, in a word of each of the first invocations.
      fmt::arg("fetch", size >= words
                            ? fmt::format("    uint fetched = 0u;\n    if (self < {}u) fetched = next[self];\n", words)
                            : std::string()),
      fmt::arg("keep", size >= words ? fmt::format("    if (self < {}u) following[self] = fetched;\n", words)
                                     : fmt::format("    for (uint i = self; i < {}u; i += {}u) following[i] = "
                                                   "next[i];\n",
                                                   words, size)));
  return program;
}

}  // namespace driftwood::gpu::opencl
