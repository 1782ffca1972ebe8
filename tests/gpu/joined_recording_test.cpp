// Dispatches as one launch: the same results as launches of their own.
#include "gpu/opencl/joined_recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gpu/launch_gave_up.h"
#include "opencl_test_device.h"
#include "run_kernel.h"
#include "shader/compile.h"

namespace driftwood::gpu::opencl::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::uint32_t>;

// Every kernel reads all of `x` and writes its part of `y`, so that each depends on the whole of the one before.
constexpr const char* mix = R"(
override size: u32;
struct Parameters { add: u32, times: u32 }
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@group(0) @binding(2) var<uniform> parameters: Parameters;
fn turned(i: u32) -> u32 { return x[(i * 7u + 3u) % arrayLength(&x)]; }
@compute @workgroup_size(size) fn run(@builtin(global_invocation_id) id: vec3u) {
  let times = parameters.times;
  for (var i = id.x; i < arrayLength(&y); i += size * 3u) { y[i] = turned(i) * times + parameters.add; }
}
)";
// Through workgroup memory, with a barrier, from a grid of two dimensions: workgroup (a, b) has its own words.
constexpr const char* sum = R"(
override size: u32;
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<workgroup> parts: array<u32, size>;
var<workgroup> offset: u32;
fn turned(i: u32) -> u32 { return parts[(i + 1u) % size] + offset; }
@compute @workgroup_size(size) fn run(@builtin(workgroup_id) at: vec3u, @builtin(num_workgroups) grid: vec3u,
                                      @builtin(local_invocation_index) i: u32) {
  let group = at.y * grid.x + at.x;
  parts[i] = x[(group * size + i) % arrayLength(&x)];
  if (i == 0u) { offset = x[group % arrayLength(&x)] ^ 5u; }
  workgroupBarrier();
  if (group * size + i < arrayLength(&y)) { y[group * size + i] = turned(i); }
}
)";
// The same names as in the others, with other meanings.
constexpr const char* copy_back = R"(
override size: u32;
struct Parameters { by: vec2u }
@group(0) @binding(0) var<storage, read> x: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> y: array<vec2u>;
fn turned(v: vec2u) -> Parameters { return Parameters(v.yx + vec2u(1u, 2u)); }
@compute @workgroup_size(1, size) fn run(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let i = at.z * size + local.y;
  if (i < arrayLength(&y)) { y[i] = turned(x[arrayLength(&x) - 1u - i]).by; }
}
)";

constexpr std::uint32_t words = 96;

class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : engine_(seed) {}
  std::uint32_t operator()() { return static_cast<std::uint32_t>(engine_()); }

 private:
  std::mt19937 engine_;
};

class JoinedRecording : public OpenClTest {
 protected:
  std::shared_ptr<Kernel> compile(const std::string& text, std::uint32_t size) {
    const shader::SourceProvider sources = [&](std::string_view) -> std::optional<shader::SourceFile> {
      return shader::SourceFile{"test.wgsl", text};
    };
    shader::Specialization specialization;
    specialization.overrides["size"] = size;
    return device().compile(
        shader::compile(sources, "package::test", specialization, driftwood::test::traits_of(device().facts())),
        "test kernel");
  }
  /// Sizes of workgroups that may go together.
  Words sizes() { return device().join_settings().dialect.ptx ? Words{32, 64, 256} : Words{16}; }

  /// A chain of random dispatches between two buffers, whose contents it leaves in `first` and `second`.
  std::vector<Dispatch> chain(Numbers& random, std::size_t length) {
    Words start(words);
    for (auto& each : start) each = random();
    first = buffer_of(start);
    second = buffer_of(start);
    const auto parameters = buffer_of(Words{random() % 100, random() % 100 * 2 + 1});
    const auto below = [&](std::size_t limit) { return random() % static_cast<std::uint32_t>(limit); };
    std::vector<Dispatch> dispatches;
    for (std::size_t i = 0; i < length; ++i) {
      const std::uint32_t size = sizes()[below(sizes().size())];
      Dispatch each{.kernel = {}, .bindings = {{first}, {second}}};
      switch (below(3)) {
        case 0:
          each.kernel = compile(mix, size);
          each.bindings.push_back({parameters});
          each.workgroups = {3, 1, 1};
          break;
        case 1:
          each.kernel = compile(sum, size);
          each.workgroups = {1 + below(4), 1 + below(4), 1};
          break;
        default:
          each.kernel = compile(copy_back, size);
          each.workgroups = {1, 1, 1 + below(5)};
          break;
      }
      if (below(2) == 0) std::swap(each.bindings[0], each.bindings[1]);
      dispatches.push_back(std::move(each));
    }
    return dispatches;
  }
  Words both() {
    Words all = values_of<std::uint32_t>(*first, words);
    const Words more = values_of<std::uint32_t>(*second, words);
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  void set(const Words& contents) {
    const auto bytes = std::as_bytes(std::span(contents));
    device().write(*first, 0, bytes.first(bytes.size() / 2));
    device().write(*second, 0, bytes.last(bytes.size() / 2));
  }

  std::shared_ptr<Memory> first, second;
};

TEST_F(JoinedRecording, ComputesWhatLaunchesOfTheirOwnCompute) {
  Numbers random(1);
  for (const std::size_t length : {2, 9}) {
    const std::vector<Dispatch> dispatches = chain(random, length);
    const auto joined = device().record_joined(dispatches, device().join_settings());
    ASSERT_GT(joined->workgroups(), 0U);
    const auto separate = device().record(dispatches);
    Words contents = both();
    for (int turn = 0; turn < 3; ++turn) {
      set(contents);
      device().submit(*separate);
      const Words expected = both();
      set(contents);
      device().submit(*joined);
      EXPECT_EQ(both(), expected) << length << " dispatches, turn " << turn;
      EXPECT_NE(expected, contents);
      contents = expected;
    }
  }
}

TEST_F(JoinedRecording, FollowsGridsThatChange) {
  Numbers random(2);
  const std::vector<Dispatch> dispatches = chain(random, 8);
  const auto joined = device().record_joined(dispatches, device().join_settings());
  ASSERT_GT(joined->workgroups(), 0U);
  const auto separate = device().record(dispatches);
  const Words contents = both();
  for (int turn = 0; turn < 6; ++turn) {
    const std::size_t changed = random() % dispatches.size();
    std::array<std::uint32_t, 3> grid = dispatches[changed].workgroups;
    for (auto& each : grid) each = std::min<std::uint32_t>(each, random() % 3);  // 0: skipped
    for (Recording* each : {static_cast<Recording*>(joined.get()), separate.get()}) each->set_workgroups(changed, grid);
    set(contents);
    device().submit(*separate);
    const Words expected = both();
    set(contents);
    device().submit(*joined);
    EXPECT_EQ(both(), expected);
  }
  for (std::size_t i = 0; i < dispatches.size(); ++i) joined->set_workgroups(i, {0, 1, 1});
  set(contents);
  device().submit(*joined);
  EXPECT_EQ(both(), contents);
}

TEST_F(JoinedRecording, GivesTheTimeOfEachDispatch) {
  Numbers random(3);
  const std::vector<Dispatch> dispatches = chain(random, 5);
  const auto joined = device().record_joined(dispatches, device().join_settings());
  const Words contents = both();
  const std::vector<double> times = device().submit_profiled(*joined);
  EXPECT_THAT(times, testing::SizeIs(5));
  const Words expected = both();
  set(contents);
  device().submit(*joined);
  EXPECT_EQ(both(), expected);
}

TEST_F(JoinedRecording, IsNotJoinedWhereAKernelWritesWhatOneReadsBeforeItWaits) {
  const std::uint32_t size = sizes().front();
  const auto parameters = buffer_of(Words(words, 3));
  first = buffer_of(Words(words, 1));
  second = buffer_of(Words(words, 2));
  const auto recording = device().record_joined(
      {{.kernel = compile(sum, size), .bindings = {{first}, {parameters}}},
       {.kernel = compile(mix, size), .bindings = {{first}, {second}, {parameters}}, .workgroups = {3, 1, 1}}},
      device().join_settings());
  EXPECT_EQ(recording->workgroups(), 0U);
  device().submit(*recording);
  EXPECT_EQ(values_of<std::uint32_t>(*second, 1).front(), 1U * 5 + 5);  // 1 and 1 ^ 5, twice
}

TEST_F(JoinedRecording, GivesUpWhereWorkgroupsAreAbsentAndIsRightAfterwards) {
  OpenClDevice own(enumerate().devices.front());
  const std::vector<Dispatch> dispatches = [&] {
    // Memory and kernels of the device that is to fail.
    std::vector<Dispatch> made;
    const shader::SourceProvider sources = [](std::string_view) -> std::optional<shader::SourceFile> {
      return shader::SourceFile{"test.wgsl", sum};
    };
    shader::Specialization specialization;
    specialization.overrides["size"] = sizes().front();
    const auto kernel = own.compile(
        shader::compile(sources, "package::test", specialization, driftwood::test::traits_of(own.facts())), "sum");
    std::vector<std::shared_ptr<Memory>> memories;
    for (int i = 0; i < 3; ++i) {
      memories.push_back(own.allocate({.bytes = words * 4}));
      own.write(*memories.back(), 0, std::as_bytes(std::span<const std::uint32_t>(Words(words, 7))));
    }
    for (std::size_t i = 0; i < 2; ++i)
      made.push_back({.kernel = kernel, .bindings = {{memories[i]}, {memories[i + 1]}}, .workgroups = {2, 1, 1}});
    return made;
  }();
  JoinSettings settings = own.join_settings();
  settings.looks = 1000;
  settings.absent = 1;
  const auto joined = own.record_joined(dispatches, settings);
  ASSERT_GT(joined->workgroups(), 0U);
  own.submit(*joined);
  Words result(words);
  const auto read = [&] {
    own.read(*dispatches[1].bindings[1].memory, 0, std::as_writable_bytes(std::span<std::uint32_t>(result)));
  };
  try {
    read();
    FAIL() << "The launch gave up, and nobody said so.";
  } catch (const LaunchGaveUp& error) {
    EXPECT_THAT(error.what(), HasSubstr("did not all run at once"));
  }
  own.submit(*joined);
  read();
  EXPECT_EQ(result.front(), 21U);  // 7 and 7 ^ 5, 9 and 9 ^ 5
  const auto later = own.read_later(*dispatches[1].bindings[1].memory, 0, 4);
  EXPECT_EQ(later->wait().size(), 4U);
}

TEST_F(JoinedRecording, TakesFewerWorkgroupsWhereManyDoNotMeet) {
  Numbers random(5);
  const std::vector<Dispatch> dispatches = chain(random, 3);
  JoinSettings settings = device().join_settings();
  settings.looks = 2000;
  const std::uint32_t most = settings.workgroups.back();
  settings.workgroups.insert(settings.workgroups.begin(), 1U << 14);
  const auto joined = device().record_joined(dispatches, settings);
  EXPECT_GE(joined->workgroups(), most);
  EXPECT_LT(joined->workgroups(), 1U << 14);
  settings.workgroups = {1U << 14};
  EXPECT_EQ(device().record_joined(dispatches, settings)->workgroups(), 0U);
}

// What only a GPU runs: the text for workgroups of several sizes.
TEST(JoinedProgram, GivesSmallerWorkgroupsBarriersOfTheirOwn) {
  shader::OpenClBody large{
      .source = "static void run_body() {}\n", .function = "run_body", .workgroup_size = {32, 8, 1}};
  shader::OpenClBody small = large, warp = large, odd = large;
  small.workgroup_size = {64, 1, 1};
  warp.workgroup_size = {32, 1, 1};
  odd.workgroup_size = {48, 1, 1};
  for (auto* each : {&small, &large, &warp, &odd}) each->has_barriers = true;
  const std::vector<const shader::OpenClBody*> bodies = {&large, &small, &warp};
  EXPECT_TRUE(can_join(bodies, {.ptx = true}));
  EXPECT_FALSE(can_join(bodies, {.ptx = false}));
  EXPECT_FALSE(can_join(std::vector<const shader::OpenClBody*>{&large, &odd}, {.ptx = true}));
  const JoinedProgram program = join(bodies, {.ptx = true});
  EXPECT_EQ(program.workgroup_size, 256U);
  EXPECT_THAT(program.source, HasSubstr("bar.sync %0, 64;"));
  EXPECT_THAT(program.source, HasSubstr("bar.warp.sync"));
  EXPECT_THAT(program.source, Not(HasSubstr("bar.sync %0, 256;")));
}

}  // namespace
}  // namespace driftwood::gpu::opencl::test
