#include "support/metal_cpu/clang.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include "base/error.h"

namespace driftwood::test {
namespace {

namespace fs = std::filesystem;

const fs::path include_folder = METAL_CPU_INCLUDE;
const fs::path cache_folder = METAL_CPU_CACHE;

// What both the header and kernels are compiled with. Checks that Metal leaves undefined call functions of the header.
constexpr const char* common_flags =
    " -std=c++17 -O1 -fPIC -fdeclspec -fsigned-char -fwrapv -fno-strict-aliasing -fno-math-errno -ffp-contract=off"
    " -fno-exceptions -fno-rtti -fvisibility=hidden -ffreestanding -nostdinc -fno-threadsafe-statics"
    " -fsanitize=array-bounds,integer-divide-by-zero,shift-exponent"
    " -Wall -Wno-unknown-attributes -Wno-unused-variable -Wno-unused-function -Wno-unused-but-set-variable"
    " -Wno-user-defined-literals -Wno-reserved-user-defined-literal -Wno-duplicate-decl-specifier"
    " -Wno-unknown-warning-option";

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// FNV-1a, two of them with different starts: names of files among a few thousand.
std::string digest(const std::string& text) {
  std::string name;
  for (std::uint64_t hash : {std::uint64_t{0xcbf29ce484222325}, std::uint64_t{0x9ae16a3b2f90404f}}) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    for (int k = 60; k >= 0; k -= 4) name += "0123456789abcdef"[hash >> k & 15];
  }
  return name;
}

// A name that no other process uses, in the folder of `path`.
fs::path unfinished(const fs::path& path) {
  static int count = 0;
  return path.string() + "." + std::to_string(getpid()) + "." + std::to_string(count++);
}

// Runs a command; its output goes to `said`.
bool run(const std::string& command, std::string* said = nullptr) {
  const fs::path log = unfinished(cache_folder / "log");
  const int status = std::system(("{ " + command + "; } > " + quoted(log.string()) + " 2>&1 < /dev/null").c_str());
  if (said) *said = contents(log);
  std::error_code ignored;
  fs::remove(log, ignored);
  return status == 0;
}

std::string processor_flags() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("f16c") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return " -mf16c -mavx2 -mfma";
  }
#endif
  return "";
}

}  // namespace

bool Clang::try_flags(const std::string& flags) const {
  const fs::path source = unfinished(cache_folder / "probe.cpp");
  std::ofstream(source) << "#include \"metal_cpu/vectors.h\"\nhalf twice(half x) { return x + x; }\n";
  const bool works = run(command_ + common_flags + flags + " -I " + quoted(include_folder.string()) +
                         " -fsyntax-only -x c++ " + quoted(source.string()));
  std::error_code ignored;
  fs::remove(source, ignored);
  return works;
}

std::optional<Clang> Clang::search(std::string& why_not) {
  std::error_code failed;
  fs::create_directories(cache_folder, failed);
  std::vector<std::string> names;
  if (const char* named = std::getenv("DRIFTWOOD_CLANG")) {
    names.emplace_back(named);
  } else {
    names.emplace_back("clang++-14");
    names.emplace_back("clang++");
    for (int version = 15; version <= 21; ++version) names.push_back("clang++-" + std::to_string(version));
  }
  why_not = "No clang++ is installed, which compiles Metal kernels for the CPU.";
  for (const std::string& name : names) {
    std::string version;
    if (!run("command -v " + name + " && " + name + " --version", &version)) continue;
    Clang clang;
    clang.command_ = name;
    // Halves that are rounded after each operation: how depends on version and processor.
    for (const char* halves :
         {" -DMETAL_CPU_FP16_STORAGE=1 -Xclang -fnative-half-type -Xclang -fallow-half-arguments-and-returns",
          " -ffloat16-excess-precision=none", ""}) {
      const std::string flags = processor_flags() + halves;
      if (!clang.try_flags(flags)) continue;
      clang.flags_ = std::string(common_flags) + flags + " -I " + quoted(include_folder.string());
      clang.precompile();
      return clang;
    }
    why_not = "The compiler " + name + " has no half floats on this processor.";
  }
  return std::nullopt;
}

// The name of the precompiled header holds all that it is made of.
void Clang::precompile() {
  std::string key;
  run(command_ + " --version", &key);
  key += flags_;
  for (const auto& entry : fs::recursive_directory_iterator(include_folder)) {
    if (!entry.is_regular_file()) continue;
    key += entry.path().string() + contents(entry.path());
    key += std::to_string(entry.last_write_time().time_since_epoch().count());  // clang looks at it too
  }
  header_ = cache_folder / ("metal_stdlib-" + digest(key) + ".pch");
  if (fs::exists(header_)) return;
  const fs::path made = unfinished(header_);
  std::string said;
  if (!run(command_ + flags_ + " -x c++-header " + quoted((include_folder / "metal_stdlib").string()) + " -o " +
               quoted(made.string()),
           &said)) {
    throw InternalError("The header of Metal for the CPU does not compile.\n" + said);
  }
  fs::rename(made, header_);
}

const Clang* Clang::find() {
  static std::string why;
  static const std::optional<Clang> found = search(why);
  return found ? &*found : nullptr;
}

const std::string& Clang::why_not() {
  static const std::string why = [] {
    std::string reason;
    if (!find()) search(reason);
    return reason;
  }();
  return why;
}

fs::path Clang::compile(const std::string& source, const std::string& name) const {
  const fs::path object = cache_folder / (digest(header_.string() + source) + ".so");
  if (fs::exists(object)) return object;
  const fs::path code = unfinished(cache_folder / "kernel.cpp");
  const fs::path made = unfinished(object);
  std::ofstream(code, std::ios::binary) << "#line 1 \"" + name + ".metal\"\n" + source;
  std::string said;
  // The linker is called here and not by clang, which would start a second clang to do so.
  const std::string unlinked = made.string() + ".o";
  const bool works = run(command_ + flags_ + " -include-pch " + quoted(header_.string()) + " -c -x c++ " +
                             quoted(code.string()) + " -o " + quoted(unlinked) + " && ld -shared --build-id=none " +
                             quoted(unlinked) + " -o " + quoted(made.string()),
                         &said);
  std::error_code ignored;
  fs::remove(code, ignored);
  fs::remove(unlinked, ignored);
  if (!works) throw InternalError("The kernel '" + name + "' does not compile as Metal.\n" + said + source);
  fs::rename(made, object);
  return object;
}

}  // namespace driftwood::test
