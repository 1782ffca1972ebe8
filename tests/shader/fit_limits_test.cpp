// Buffers larger than a binding in parts, and grids larger than a device launches: the numbers stay the same.
#include "shader/fit_limits.h"

#include <gmock/gmock.h>

#include <numeric>

#include "base/error.h"
#include "kernel_run.h"
#include "shader/compile.h"
#include "tensor/storage.h"

namespace driftwood::shader {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

Module compiled(const std::string& text, const Specialization& specialization = {}) {
  const SourceProvider sources = [&](std::string_view path) -> std::optional<SourceFile> {
    if (path != "package::test") return std::nullopt;
    return SourceFile{"test.wgsl", text};
  };
  return compile(sources, "package::test", specialization, {});
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Unsupported& error) {
    return error.what();
  }
  return "no error";
}

// The buffers of a module before it is divided, by name, run in the interpreter.
struct Contents {
  std::map<std::string, std::vector<std::uint32_t>> words;

  std::vector<std::string> operator()(const Module& module, std::array<std::uint32_t, 3> groups,
                                      const std::vector<BufferPart>& parts = {}) {
    std::deque<CheckedMemory> memories;
    std::map<std::string, CheckedMemory*> by_name;
    for (const auto& [name, values] : words) {
      memories.emplace_back(values.size() * 4);
      memories.back().write(0, std::as_bytes(std::span(values)));
      by_name[name] = &memories.back();
    }
    std::vector<BoundMemory> bindings;
    std::vector<std::string> names;
    for (const auto& resource : module.resources) {
      names.push_back(resource->name);
      const auto part = std::ranges::find(parts, resource->name, &BufferPart::name);
      const bool is_part = part != parts.end();
      CheckedMemory& memory = *by_name.at(is_part ? part->of : resource->name);
      bindings.push_back({&memory, is_part ? part->offset : 0, is_part ? part->bytes : memory.size()});
    }
    const Executable executable(module, {});
    Interpreter().run(executable, bindings, groups);
    for (auto& [name, values] : words) std::memcpy(values.data(), by_name[name]->data(), values.size() * 4);
    return names;
  }
};

std::vector<std::uint32_t> counted(std::size_t count, std::uint32_t first = 1) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

constexpr const char* words_kernel = R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<vec4<u32>>;
@compute @workgroup_size(1) fn main() {
  for (var i = 0u; i < 75u; i++) {
    b[i] = vec4<u32>(a[i], a[299u - i], a[70], arrayLength(&a));
    b[74u - i].y += a[i * 2u];
    b[i].z = b[i].x * 3u;
    b[0].w = a[i % 2u];
  }
}
)";

TEST(SplitBindings, ElementsAreFoundInTheirParts) {
  Contents whole{{{"a", counted(300)}, {"b", counted(300, 1000)}}}, parts = whole;
  whole(compiled(words_kernel), {1, 1, 1});
  Module module = compiled(words_kernel);
  const auto made = split_bindings(module, 256, 64, {{"a", 1200}, {"b", 1200}});
  EXPECT_THAT(parts(module, {1, 1, 1}, made),
              ElementsAreArray({"a_0", "a_1", "a_2", "a_3", "a_4", "b_0", "b_1", "b_2", "b_3", "b_4"}));
  EXPECT_EQ(parts.words, whole.words);
  EXPECT_EQ(made[4].of, "a");
  EXPECT_EQ(made[4].offset, 4U * 256);
  EXPECT_EQ(made[4].bytes, 1200U - 4 * 256);
}

TEST(SplitBindings, KnownIndicesChooseAndUnusedPartsGo) {
  Module module = compiled(R"(
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn main() { b[100] = a[65] + a[129]; b[3] = arrayLength(&a); }
)");
  const auto parts = split_bindings(module, 256, 4, {{"a", 1024}, {"b", 1024}});
  Contents run{{{"a", counted(256)}, {"b", counted(256)}}};
  EXPECT_THAT(run(module, {1, 1, 1}, parts), ElementsAreArray({"a_1", "a_2", "b_0", "b_1"}));
  EXPECT_EQ(run.words["b"][100], 66U + 130U);
  EXPECT_EQ(run.words["b"][3], 256U);
  EXPECT_EQ(module.functions.size(), 1U);  // no function to choose
}

TEST(SplitBindings, TensorsInBuffersAreDividedBetweenTexels) {
  constexpr const char* kernel = R"(
@tensor @group(0) @binding(0) var<read> x: tensor<f32>;
@tensor @group(0) @binding(1) var<read_write> y: tensor<f32>;
@compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) {
  tensorStore(y, id.x, 1u - id.y, tensorLoad(x, id.x, id.y) + tensorLoad(x, 9, 1) + tensorLoad(y, id.x, 1u - id.y));
  if (id.x + id.y == 0u) {
    tensorStore(y, 8, 0, tensorLoad(x, 8, 0));
  }
}
)";
  const TensorDescriptor tensor{.shape = {.w = 10, .c = 8}, .layout = default_layout(StorageKind::Buffer, {})};
  Specialization s;
  s.tensors = {{"x", tensor}, {"y", tensor}};
  std::vector<std::uint32_t> x(80), y(80);
  for (std::uint32_t i = 0; i < 80; ++i) x[i] = std::bit_cast<std::uint32_t>(static_cast<float>(i));
  Contents whole{{{"x", x}, {"y", y}}}, parts = whole;
  whole(compiled(kernel, s), {8, 2, 1});
  Module module = compiled(kernel, s);
  const auto made = split_bindings(module, 100, 32);
  EXPECT_EQ(parts(module, {8, 2, 1}, made).size(), 8U);  // 320 bytes by 96
  EXPECT_EQ(parts.words, whole.words);
  EXPECT_EQ(module.resources[3]->extent[0], 2U);
}

TEST(SplitBindings, WhatCannotBeDividedIsSaid) {
  const auto kernel = [](const std::string& type, const std::string& body) {
    return "@group(0) @binding(0) var<storage, read_write> a: array<" + type +
           ">;\n@compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) { " + body + " }";
  };
  const auto message = [&](const std::string& text, std::uint64_t alignment = 4) {
    Module module = compiled(text);
    return error_of([&] { split_bindings(module, 128, alignment, {{"a", 1000}}); });
  };
  EXPECT_EQ(message(kernel("atomic<u32>", "atomicAdd(&a[i], 1u);")),
            "The buffer 'a' of 1000 bytes exceeds the 128 bytes that one binding reaches, and the kernel takes an "
            "element's address.");
  EXPECT_EQ(
      message(kernel("u32", "a[i] = 1u;"), 256),
      "The buffer 'a' of 1000 bytes exceeds the 128 bytes that one binding reaches, and cannot be divided: a part "
      "is a multiple of 256 bytes.");
  EXPECT_EQ(
      message(kernel("u32", "for (a[i] = 1u; a[i] < 9u; a[i] += 1u) {}")),
      "The buffer 'a' of 1000 bytes exceeds the 128 bytes that one binding reaches, and a loop's header stores to "
      "it.");
}

// Each group of the wanted grid writes who it is, and how large the grid is.
constexpr const char* grid_kernel = R"(
struct Parameters { tokens: u32, position: u32, reserved_0: u32, reserved_1: u32 }
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
USES
var<workgroup> sum: array<u32, 2>;
@compute @workgroup_size(2, 1, 1)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>,
        @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  sum[lane] = id.x + 10u * id.y + 1000u * id.z;
  workgroupBarrier();
  let at = (group.z * groups.y + group.y) * groups.x + group.x;
  a[2u * at + lane] = sum[1u - lane] + 100000u * (groups.x + groups.y + groups.z);
}
)";

std::string grid_text(const std::string& uses) {
  std::string text = grid_kernel;
  return text.replace(text.find("USES"), 4, uses);
}

TEST(FoldGrid, EveryGroupOfTheWantedGridRunsOnce) {
  const FoldedGrid grid{.extents = {{{.fixed = 5}, {.fixed = 3}, {.fixed = 2}}}};
  Contents plain{{{"a", counted(64)}}}, folded = plain;
  plain(compiled(grid_text("")), {5, 3, 2});
  Module module = compiled(grid_text(""));
  fold_grid(module, grid);
  EXPECT_EQ(module.resources.size(), 1U);
  folded(module, {7, 5, 1});
  EXPECT_EQ(folded.words, plain.words);
  Contents planes{{{"a", counted(64)}}};
  planes(module, {4, 2, 4});
  EXPECT_EQ(planes.words, plain.words);
}

TEST(FoldGrid, ExtentsFollowTheParameters) {
  // 2 * ceil(3 * tokens / 4) by ceil((position + tokens) / 8).
  const FoldedGrid grid{
      .extents = {{{.fixed = 2, .rows_per_group = 4, .rows_per_token = 3}, {.context_per_group = 8}, {}}}};
  const std::string own = "@group(0) @binding(1) var<uniform> parameters: Parameters;\n";
  for (const bool has_own : {false, true}) {
    std::string text = grid_text(has_own ? own : "");
    if (has_own) text.replace(text.find("workgroupBarrier"), 0, "sum[lane] += parameters.reserved_0;\n  ");
    Module module = compiled(text);
    fold_grid(module, grid);
    ASSERT_EQ(module.resources.size(), 2U);
    EXPECT_EQ(module.resources[1]->name, has_own ? "parameters" : "grid_parameters");
    for (const std::uint32_t tokens : {1U, 3U}) {
      const std::uint32_t x = 2 * ((3 * tokens + 3) / 4), y = (20 + tokens + 7) / 8;
      Contents plain{{{"a", counted(64)}, {module.resources[1]->name, {tokens, 20, 0, 0}}}}, folded = plain;
      plain(compiled(text), {x, y, 1});
      folded(module, {4, (x * y + 3) / 4, 1});
      EXPECT_EQ(folded.words, plain.words) << tokens;
    }
  }
}

}  // namespace
}  // namespace driftwood::shader
