#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "gpu/opencl/facts.h"
#include "gpu/opencl/program.h"
#include "opencl_test_device.h"

namespace driftwood::gpu::opencl::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::byte> bytes(std::string_view text) {
  const auto raw = std::as_bytes(std::span(text.data(), text.size()));
  return {raw.begin(), raw.end()};
}

std::size_t file_count(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(ProgramCacheTest, KeepsValuesByWholeKey) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path() / "a" / "b");
  EXPECT_FALSE(cache.load("key"));
  cache.store("key", bytes("value"));
  cache.store("other", bytes(""));
  EXPECT_EQ(cache.load("key"), bytes("value"));
  EXPECT_EQ(cache.load("other"), bytes(""));
  EXPECT_FALSE(cache.load("key of another driver"));
  cache.store("key", bytes("newer"));
  EXPECT_EQ(cache.load("key"), bytes("newer"));
  EXPECT_EQ(file_count(cache.folder()), 2u) << "no partial file is left";
}

TEST(ProgramCacheTest, EveryTruncationAndEveryDamagedByteIsAMiss) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  cache.store("key", bytes("some value"));
  const fs::path path = cache.file_of("key");
  std::ifstream stream(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(stream)), {});
  const auto replace = [&](const std::string& content) { std::ofstream(path, std::ios::binary) << content; };
  for (std::size_t size = 0; size < whole.size(); ++size) {
    replace(whole.substr(0, size));
    EXPECT_FALSE(cache.load("key")) << "cut to " << size << " bytes";
  }
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x20);
    replace(damaged);
    EXPECT_FALSE(cache.load("key")) << "byte " << i;
  }
  replace(whole + "x");
  EXPECT_FALSE(cache.load("key"));
  cache.store("key", bytes("again"));
  EXPECT_EQ(cache.load("key"), bytes("again"));
}

TEST(ProgramCacheTest, AForeignFileUnderTheSameNameIsAMiss) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  cache.store("one key", bytes("one value"));
  fs::rename(cache.file_of("one key"), cache.file_of("two key"));  // what a collision of the hashes would look like
  EXPECT_FALSE(cache.load("two key"));
  fs::remove(cache.file_of("two key"));
  fs::create_directory(cache.file_of("two key"));
  EXPECT_FALSE(cache.load("two key"));
  cache.store("two key", bytes("v"));
  EXPECT_FALSE(cache.load("two key"));
}

TEST(ProgramCacheTest, TheLongestUnusedGoFirst) {
  const TemporaryFolder folder;
  const std::string value(1000, 'v');
  const ProgramCache cache(folder.path(), 3500);
  const auto age = [&](std::string_view key, int hours) {
    fs::last_write_time(cache.file_of(key), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const char* key : {"a", "b", "c"}) cache.store(key, bytes(value));
  age("a", 3);
  age("b", 2);
  age("c", 1);
  EXPECT_TRUE(cache.load("a"));  // used just now
  cache.store("d", bytes(value));
  EXPECT_TRUE(cache.load("a"));
  EXPECT_FALSE(cache.load("b"));
  EXPECT_TRUE(cache.load("c"));
  EXPECT_TRUE(cache.load("d"));
}

TEST(ProgramCacheTest, AFolderThatCannotBeWrittenIsNoError) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "file") << "not a folder";
  const ProgramCache cache(folder.path() / "file" / "programs");
  cache.store("key", bytes("value"));
  EXPECT_FALSE(cache.load("key"));
  const ProgramCache off({});
  off.store("key", bytes("value"));
  EXPECT_FALSE(off.load("key"));
}

TEST(ProgramCacheTest, TheFolderFollowsTheEnvironment) {
  {
    const ScopedVariable own("DRIFTWOOD_CACHE_DIR", "/somewhere");
    EXPECT_EQ(ProgramCache::standard().folder(), "/somewhere/programs");
  }
  {
    const ScopedVariable off("DRIFTWOOD_CACHE_DIR", "");
    EXPECT_FALSE(ProgramCache::standard().is_enabled());
  }
  if (std::getenv("DRIFTWOOD_CACHE_DIR") == nullptr) {
    const ScopedVariable home("HOME", "/home/somebody");
    {
      const ScopedVariable xdg("XDG_CACHE_HOME", "/xdg");
      EXPECT_EQ(ProgramCache::standard().folder(), "/xdg/driftwood/programs");
    }
    const ScopedVariable relative("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(ProgramCache::standard().folder(), "/home/somebody/.cache/driftwood/programs");
  }
}

TEST(ProgramCacheTest, ProcessesAndThreadsMayStoreAtOnce) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  const auto work = [&cache](int who) {
    for (int i = 0; i < 200; ++i) {
      const std::string key = "key" + std::to_string(i % 5);
      const std::string value = key + std::string(static_cast<std::size_t>(100 + 37 * who), 'x');
      cache.store(key, bytes(value));
      const auto loaded = cache.load(key);
      if (loaded && (loaded->size() < key.size() || std::memcmp(loaded->data(), key.data(), key.size()) != 0)) return 1;
    }
    return 0;
  };
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) _exit(work(child));
    children.push_back(pid);
  }
  std::atomic<int> faults{0};
  std::thread first([&] { faults += work(4); }), second([&] { faults += work(5); });
  first.join();
  second.join();
  EXPECT_EQ(faults, 0);
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(file_count(folder.path()), 5u);
}

TEST_F(OpenClTest, AProgramComesBackFromItsBinaryAndADamagedBinaryIsReplaced) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  const FoundDevice found = enumerate().devices.front();
  const auto context = Context::open(found.platform.api, found.platform.platform, found.device);
  const BuildSettings settings{.device_key = "this driver"};
  const std::string source = "__kernel void run(__global float* x) { x[0] = 42.0f; }";
  const std::string key = program_key(settings, source);
  EXPECT_TRUE(build_program(*context, settings, cache, source, "k"));
  const auto kept = cache.load(key);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(build_program(*context, settings, cache, source, "k"));
  EXPECT_EQ(cache.load(key), kept) << "the second build came from the file";

  cache.store(key, bytes("no program at all"));  // a valid entry with a value that the driver refuses
  EXPECT_TRUE(build_program(*context, settings, cache, source, "k"));
  EXPECT_NE(cache.load(key), bytes("no program at all"));

  const BuildSettings other{.device_key = "another driver"};
  EXPECT_FALSE(cache.load(program_key(other, source)));
}

TEST_F(OpenClTest, AProgramComesBackFromItsObjectAndADamagedObjectIsReplaced) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  const FoundDevice found = enumerate().devices.front();
  const auto context = Context::open(found.platform.api, found.platform.platform, found.device);
  const BuildSettings settings{.device_key = "this driver", .keeps_binaries = false};
  const std::string source = "__kernel void run(__global float* x) { x[0] = 42.0f; }";
  const std::string key = program_key(settings, source);
  EXPECT_NE(key, program_key({.device_key = "this driver"}, source));
  EXPECT_TRUE(build_program(*context, settings, cache, source, "k"));
  const auto kept = cache.load(key);
  ASSERT_TRUE(kept);
  EXPECT_TRUE(build_program(*context, settings, cache, source, "k"));
  EXPECT_EQ(cache.load(key), kept) << "the second build came from the file";
  // NVIDIA's linker ends the process at what is no object (580.159.04); its binaries are kept, and no file reaches a
  // driver whose checksum is wrong.
  if (!has_extension(*context->api, context->device, "cl_nv_device_attribute_query")) {
    cache.store(key, bytes("no program at all"));
    EXPECT_TRUE(build_program(*context, settings, cache, source, "k"));
    EXPECT_NE(cache.load(key), bytes("no program at all"));
  }
  EXPECT_THROW(build_program(*context, settings, cache, "__kernel void run() { x = 1; }", "k"), InternalError);
}

TEST_F(OpenClTest, ProbeResultsAreKept) {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  const FoundDevice found = enumerate().devices.front();
  const OpenClDevice first(found, cache);
  EXPECT_EQ(file_count(folder.path()), 1u);
  const OpenClDevice second(found, cache);
  EXPECT_EQ(first.facts().has_f16_arithmetic, second.facts().has_f16_arithmetic);
  EXPECT_EQ(first.facts().subgroup_size, second.facts().subgroup_size);
}

}  // namespace
}  // namespace driftwood::gpu::opencl::test
