// Faults of kernels: each is an error that shows the line, the value and the limit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel_run.h"

namespace driftwood::shader {
namespace {

using testing::ElementsAre;
using u32 = std::uint32_t;

SanitizerError fault_of(KernelRun& run, u32 groups = 1) {
  try {
    run.run(groups);
  } catch (const SanitizerError& error) {
    return error;
  }
  ADD_FAILURE() << "the kernel runs without a fault";
  return {SanitizerKind::OutOfBounds, "", {}, {}};
}

void expect_fault(KernelRun& run, SanitizerKind kind, const std::string& message, u32 groups = 1) {
  const SanitizerError error = fault_of(run, groups);
  EXPECT_EQ(error.sanitizer_kind(), kind) << to_string(error.sanitizer_kind());
  EXPECT_EQ(error.message(), message);
}

const std::string out = "@group(0) @binding(0) var<storage, read_write> r: array<u32>;\n";

std::string kernel(const std::string& body, int lanes = 4) {
  return out + "@compute @workgroup_size(" + std::to_string(lanes) +
         ") fn main(@builtin(local_invocation_index) i: u32) {\n" + body + "\n}\n";
}

// ---- bounds

TEST(SanitizerBounds, RuntimeSizedArray) {
  KernelRun run(kernel("  r[i + 2u] = 1u;"));
  run.bind_unwritten(20);
  expect_fault(
      run, SanitizerKind::OutOfBounds,
      "test.wgsl:3:3: error: out of bounds: Index 5 of 'r' is past the end; it has 5 elements. Seen in workgroup "
      "(0, 0, 0), invocation (3, 0, 0).\n"
      "    r[i + 2u] = 1u;\n"
      "    ^~~~~~~~~");
}

TEST(SanitizerBounds, NamesTheInvocation) {
  KernelRun run(kernel("  r[i + 2u] = 1u;"));
  run.bind_unwritten(20);
  const SanitizerError error = fault_of(run);
  EXPECT_THAT(error.invocation(), ElementsAre(3, 0, 0));
  EXPECT_THAT(error.workgroup(), ElementsAre(0, 0, 0));
}

TEST(SanitizerBounds, PartOfAMemory) {
  KernelRun run(kernel("  r[i] = 1u;"));
  run.bind(std::vector<u32>(8));
  KernelRun part(out +
                 "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
                 "@compute @workgroup_size(1) fn main() { r[0] = a[2]; }");
  part.bind(std::vector<u32>(1)).bind(std::vector<u32>(8)).bind_part(1, 8, 8);
  EXPECT_THROW(part.run(), InvalidInput);  // three bindings where two are taken
  KernelRun small(out +
                  "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
                  "@compute @workgroup_size(1) fn main() { r[0] = a[2]; }");
  small.bind(std::vector<u32>(8)).bind_part(0, 8, 8);
  EXPECT_THAT(fault_of(small).message(), testing::HasSubstr("Index 2 of 'a' is past the end; it has 2 elements."));
}

TEST(SanitizerBounds, NegativeIndexOfALocalArray) {
  KernelRun run(kernel("  var t = array<u32, 3>();\n  r[i] = t[i32(i) - 1];"));
  run.bind_unwritten(16);
  expect_fault(
      run, SanitizerKind::OutOfBounds,
      "test.wgsl:4:10: error: out of bounds: Index -1 of 't' is negative; it has 3 elements. Seen in workgroup "
      "(0, 0, 0), invocation (0, 0, 0).\n"
      "    r[i] = t[i32(i) - 1];\n"
      "           ^~~~~~~~~~~~~");
}

TEST(SanitizerBounds, ComponentOfAVectorAndOfAStructure) {
  KernelRun vector(kernel("  var v = vec3u(); r[i] = v[i];"));
  vector.bind_unwritten(16);
  EXPECT_THAT(fault_of(vector).message(), testing::HasSubstr("Index 3 of 'v' is past the end; it has 3 components."));
  KernelRun member(
      "struct S { n: u32, rows: array<u32, 2> }\n@group(0) @binding(0) var<storage, read_write> s: S;\n"
      "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { s.rows[i] = 1u; }");
  member.bind_unwritten(12);
  EXPECT_THAT(fault_of(member).message(),
              testing::HasSubstr("Index 2 of 's.rows' is past the end; it has 2 elements."));
}

TEST(SanitizerBounds, InactiveInvocationsMayComputeAnything) {
  KernelRun run(kernel("  if (i < 2u) { r[i] = i; }"));
  EXPECT_NO_THROW(run.bind_unwritten(8).run());
}

TEST(SanitizerBounds, SwitchedOffIndicesAreClamped) {
  KernelRun run(kernel("  r[i + 2u] = i;"), InterpreterOptions::unchecked());
  EXPECT_THAT(run.bind(std::vector<u32>{9, 9, 9}).run().values<u32>(0), ElementsAre(9, 9, 3));
}

// ---- unwritten memory

TEST(SanitizerUnwritten, Storage) {
  KernelRun run(out +
                "@group(0) @binding(1) var<storage, read_write> a: array<vec2u>;\n"
                "@compute @workgroup_size(1) fn main() {\n  a[1].x = 3u;\n  r[0] = a[1].x;\n  r[1] = a[1].y;\n}");
  run.bind_unwritten(8).bind_unwritten(16);
  expect_fault(
      run, SanitizerKind::UnwrittenRead,
      "test.wgsl:6:10: error: unwritten read: The kernel reads byte 12 of 16 of 'a', which nothing has written. "
      "Seen in workgroup (0, 0, 0), invocation (0, 0, 0).\n"
      "    r[1] = a[1].y;\n"
      "           ^~~~~~");
}

TEST(SanitizerUnwritten, WorkgroupMemoryOfEveryWorkgroupAnew) {
  const std::string text = out +
                           "var<workgroup> w: array<u32, 4>;\n"
                           "@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32,\n"
                           "    @builtin(workgroup_id) g: vec3u) {\n"
                           "  if (g.x == 0u) { w[i] = 1u; }\n"
                           "  r[g.x * 2u + i] = w[i];\n}";
  KernelRun run(text);
  run.bind_unwritten(16);
  expect_fault(
      run, SanitizerKind::UnwrittenRead,
      "test.wgsl:6:21: error: unwritten read: The kernel reads word 0 of workgroup memory, in 'w', which nothing "
      "has written. Seen in workgroup (1, 0, 0), invocation (0, 0, 0).\n"
      "    r[g.x * 2u + i] = w[i];\n"
      "                      ^~~~",
      2);
  KernelRun zeroes(text, {.allow_workgroup_zeroes = true});
  EXPECT_THAT(zeroes.bind_unwritten(16).run(2).values<u32>(0), ElementsAre(1, 1, 0, 0));
}

TEST(SanitizerUnwritten, HalfOfAWord) {
  KernelRun run(
      "enable f16;\n@group(0) @binding(0) var<storage, read_write> h: array<f16>;\n"
      "@compute @workgroup_size(1) fn main() { h[1] = 2.0; h[2] = h[1]; h[3] = h[0]; }");
  run.bind_unwritten(8);
  EXPECT_THAT(fault_of(run).message(), testing::HasSubstr("reads byte 0 of 8 of 'h'"));
}

// ---- races

TEST(SanitizerRaces, WriteAfterReadInWorkgroupMemory) {
  KernelRun run(out +
                "var<workgroup> w: array<u32, 5>;\n"
                "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n"
                "  w[i] = i; w[i + 1u] = i;\n"
                "  r[i] = w[i];\n}");
  run.bind_unwritten(16);
  expect_fault(
      run, SanitizerKind::DataRace,
      "test.wgsl:4:13: error: data race: Invocation (0, 0, 0) writes word 1 of workgroup memory, in 'w', which "
      "invocation (1, 0, 0) wrote with no workgroupBarrier between. Seen in workgroup (0, 0, 0), invocation (0, "
      "0, 0).\n"
      "    w[i] = i; w[i + 1u] = i;\n"
      "              ^~~~~~~~~~~~~~");
}

TEST(SanitizerRaces, BarrierOrders) {
  const std::string head = out +
                           "var<workgroup> w: array<u32, 4>;\n"
                           "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n"
                           "  w[i] = i;\n";
  KernelRun ordered(head + "  workgroupBarrier();\n  r[i] = w[3u - i];\n}");
  EXPECT_THAT(ordered.bind_unwritten(16).run().values<u32>(0), ElementsAre(3, 2, 1, 0));
  KernelRun wrong_barrier(head + "  storageBarrier();\n  r[i] = w[3u - i];\n}");
  wrong_barrier.bind_unwritten(16);
  EXPECT_EQ(fault_of(wrong_barrier).sanitizer_kind(), SanitizerKind::DataRace);
  KernelRun none(head + "  r[i] = w[3u - i];\n}");
  none.bind_unwritten(16);
  EXPECT_EQ(fault_of(none).sanitizer_kind(), SanitizerKind::DataRace);
}

TEST(SanitizerRaces, StorageWithinAWorkgroup) {
  KernelRun run(kernel("  let x = r[(i + 1u) % 4u];\n  r[i] = x;"));
  run.bind(std::vector<u32>(4));
  expect_fault(
      run, SanitizerKind::DataRace,
      "test.wgsl:4:3: error: data race: Invocation (0, 0, 0) writes byte 0 of 16 of 'r', which invocation (3, 0, "
      "0) read with no storageBarrier between. Seen in workgroup (0, 0, 0), invocation (0, 0, 0).\n"
      "    r[i] = x;\n"
      "    ^~~~~~~~~");
  KernelRun ordered(kernel("  let x = r[(i + 1u) % 4u];\n  storageBarrier();\n  r[i] = x;"));
  EXPECT_THAT(ordered.bind(std::vector<u32>{1, 2, 3, 4}).run().values<u32>(0), ElementsAre(2, 3, 4, 1));
}

TEST(SanitizerRaces, AcrossWorkgroups) {
  KernelRun run(out +
                "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {\n"
                "  storageBarrier();\n  r[g.x / 2u] = g.x;\n}");
  run.bind_unwritten(8);
  expect_fault(
      run, SanitizerKind::DataRace,
      "test.wgsl:4:3: error: data race: Invocation (0, 0, 0) writes byte 0 of 8 of 'r', which another workgroup "
      "wrote in the same dispatch; nothing orders workgroups. Seen in workgroup (1, 0, 0), invocation (0, 0, "
      "0).\n"
      "    r[g.x / 2u] = g.x;\n"
      "    ^~~~~~~~~~~~~~~~~~",
      4);
}

TEST(SanitizerRaces, ReadsOfTwoWorkgroupsThenAWrite) {
  KernelRun run(out +
                "@compute @workgroup_size(1) fn main(@builtin(workgroup_id) g: vec3u) {\n"
                "  let x = r[0];\n  if (g.x == 2u) { r[0] = x; }\n}");
  run.bind(std::vector<u32>(1));
  EXPECT_THAT(fault_of(run, 3).message(), testing::HasSubstr("which another workgroup read in the same dispatch"));
}

TEST(SanitizerRaces, DispatchesAreOrdered) {
  KernelRun run(kernel("  r[3u - i] = i;"));
  run.bind_unwritten(16);
  EXPECT_NO_THROW(run.run().run());
}

TEST(SanitizerRaces, AtomicsDoNotRaceWithEachOther) {
  KernelRun run(
      "@group(0) @binding(0) var<storage, read_write> c: atomic<u32>;\n"
      "@compute @workgroup_size(4) fn main() { atomicAdd(&c, 1u); }");
  EXPECT_EQ(run.bind(std::vector<u32>(1)).run(3).values<u32>(0)[0], 12U);
}

TEST(SanitizerRaces, TwoBindingsOfOneMemory) {
  KernelRun run(out +
                "@group(0) @binding(1) var<storage, read> a: array<u32>;\n"
                "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { r[i] = a[0]; }");
  run.bind(std::vector<u32>(8)).bind_part(0, 4, 16);
  EXPECT_EQ(fault_of(run).sanitizer_kind(), SanitizerKind::DataRace);
}

TEST(SanitizerRaces, NeighbouringHalvesAreApart) {
  KernelRun run(
      "enable f16;\n@group(0) @binding(0) var<storage, read_write> h: array<f16>;\n"
      "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) { h[i] = f16(i); }");
  EXPECT_NO_THROW(run.bind_unwritten(8).run());
}

// ---- barriers

TEST(SanitizerBarriers, DivergentControlFlow) {
  // The front end may see it first; the loop's bound comes from memory, so that only running shows it.
  KernelRun run(out +
                "fn wait() { workgroupBarrier(); }\n"
                "@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {\n"
                "  if (r[i] > 1u) {\n    wait();\n  }\n}");
  run.bind(std::vector<u32>{1, 2, 3, 4});
  expect_fault(
      run, SanitizerKind::DivergentBarrier,
      "test.wgsl:2:13: error: divergent barrier: workgroupBarrier is reached by 3 of 4 invocations; invocation "
      "(0, 0, 0) is elsewhere. Seen in workgroup (0, 0, 0), invocation (1, 0, 0).\n"
      "  fn wait() { workgroupBarrier(); }\n"
      "              ^~~~~~~~~~~~~~~~~~");
}

TEST(SanitizerBarriers, ReturnedInvocationsAreMissed) {
  KernelRun run(kernel("  if (r[i] == 0u) { return; }\n  storageBarrier();"));
  run.bind(std::vector<u32>{1, 1, 0, 1});
  EXPECT_THAT(fault_of(run).message(), testing::HasSubstr("storageBarrier is reached by 3 of 4 invocations; invocation "
                                                          "(2, 0, 0) is elsewhere."));
  KernelRun all(kernel("  if (r[i] == 0u) { return; }\n  storageBarrier();"));
  EXPECT_NO_THROW(all.bind(std::vector<u32>(4)).run());  // nobody comes: nobody waits
}

// ---- overflow in addressing

TEST(SanitizerOverflow, InTheIndexItself) {
  KernelRun run(kernel("  r[(i + 1u) * 0x80000001u % 4u] = 1u;"));
  run.bind_unwritten(16);
  expect_fault(
      run, SanitizerKind::AddressOverflow,
      "test.wgsl:3:6: error: address overflow: This wraps around in 32 bits on its way into the index 2 of 'r'. "
      "Seen in workgroup (0, 0, 0), invocation (1, 0, 0).\n"
      "    r[(i + 1u) * 0x80000001u % 4u] = 1u;\n"
      "       ^~~~~~~~~~~~~~~~~~~~~");
}

TEST(SanitizerOverflow, ThroughNamesVariablesAndFunctions) {
  KernelRun let_run(kernel("  let big = i * 0x50000000u;\n  let at = vec2u(big, 0u);\n  r[at.x & 3u] = 1u;", 8));
  let_run.bind_unwritten(16);
  EXPECT_THAT(fault_of(let_run).message(), testing::StartsWith("test.wgsl:3:13: error: address overflow"));

  KernelRun var_run(
      kernel("  var at = 0x7fffffff;\n  at += i32(i);\n  if (i < 2u) {\n    r[u32(at) >> 30u] = 1u;\n  }"));
  var_run.bind_unwritten(16);
  EXPECT_THAT(fault_of(var_run).message(), testing::StartsWith("test.wgsl:4:3: error: address overflow"));

  KernelRun function_run(out +
                         "fn row(x: u32) -> u32 { if (x == 9u) { return 0u; } return x * 0x40000000u; }\n"
                         "@compute @workgroup_size(8) fn main(@builtin(local_invocation_index) i: u32) {\n"
                         "  r[row(i) / 0x40000000u] = 1u;\n}");
  function_run.bind_unwritten(16);
  EXPECT_THAT(fault_of(function_run).message(), testing::StartsWith("test.wgsl:2:60: error: address overflow"));
}

TEST(SanitizerOverflow, WrappingElsewhereIsTheLanguage) {
  KernelRun run(
      kernel("  var hash = i * 0x9e3779b9u;\n  hash ^= hash << 13u;\n  r[i] = hash;\n"
             "  r[select(i - 1u, 0u, i == 0u)] = select(r[i - u32(i > 0u)], 1u, i == 0u);",
             1));
  EXPECT_NO_THROW(run.bind_unwritten(16).run());
}

TEST(SanitizerOverflow, SwitchedOff) {
  KernelRun run(kernel("  r[(i + 1u) * 0x80000001u % 4u] = i;"), {.check_races = false, .check_overflow = false});
  EXPECT_NO_THROW(run.bind_unwritten(16).run());
}

// ---- loops

TEST(SanitizerLoops, RunawayLoop) {
  KernelRun run(kernel("  var k = i;\n  while (k < 4u) { k ^= 0u; }\n  r[i] = k;"), {.max_loop_iterations = 1000});
  run.bind_unwritten(16);
  expect_fault(run, SanitizerKind::RunawayLoop,
               "test.wgsl:4:3: error: runaway loop: The workgroup runs through more than 1000 loop iterations and is "
               "still in this loop. Seen in workgroup (0, 0, 0), invocation (0, 0, 0).\n"
               "    while (k < 4u) { k ^= 0u; }\n"
               "    ^~~~~~~~~~~~~~~~~~~~~~~~~~~");
}

}  // namespace
}  // namespace driftwood::shader
