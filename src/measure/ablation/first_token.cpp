#include "measure/ablation/first_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/error.h"

extern char** environ;

namespace driftwood::measure {
namespace {

namespace fs = std::filesystem;

/// Where drivers keep what they compiled: NVIDIA, PoCL, Mesa.
constexpr const char* driver_folders[] = {"CUDA_CACHE_PATH", "POCL_CACHE_DIR", "MESA_SHADER_CACHE_DIR"};
constexpr const char* own_folder = "DRIFTWOOD_CACHE_DIR";

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "driftwood-caches-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw InvalidInput(fmt::format("The folder '{}' cannot be made: {}.", name, std::strerror(errno)));
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string last_line_of(const fs::path& path) {
  std::ifstream file(path);
  std::string line, last;
  while (std::getline(file, line)) {
    if (!line.empty()) last = line;
  }
  return last;
}

class Process {
 public:
  Process(const FirstTokenSettings& settings, fs::path messages)
      : settings_(settings), messages_(std::move(messages)) {}

  /// Runs it to its end with its caches in these folders.
  void run(const fs::path& own, const fs::path& driver) const {
    std::vector<std::string> environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
      const std::string_view text(*entry);
      const std::string_view name = text.substr(0, text.find('='));
      bool is_ours = name == own_folder;
      for (const char* folder : driver_folders) is_ours |= name == folder;
      if (!is_ours) environment.emplace_back(text);
    }
    fs::create_directories(own);
    fs::create_directories(driver);
    environment.push_back(fmt::format("{}={}", own_folder, own.string()));
    for (const char* folder : driver_folders) environment.push_back(fmt::format("{}={}", folder, driver.string()));
    std::vector<std::string> arguments = settings_.arguments;
    arguments.insert(arguments.begin(), settings_.program.string());
    spawn(arguments, environment);
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
  }

  void spawn(std::vector<std::string>& arguments, std::vector<std::string>& environment) const {
    ::posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::pid_t process = 0;
    const int error = ::posix_spawn(&process, settings_.program.c_str(), &actions, nullptr, pointers(arguments).data(),
                                    pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
      throw InvalidInput(
          fmt::format("The program '{}' cannot be started: {}.", settings_.program.string(), std::strerror(error)));
    }
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    throw InvalidInput(fmt::format("A process that should give its first result ended with {}: '{}'.",
                                   WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                                   last_line_of(messages_)));
  }

  const FirstTokenSettings& settings_;
  fs::path messages_;
};

}  // namespace

std::vector<Comparison> compare_first_token(const FirstTokenSettings& settings) {
  const TemporaryFolder folder;
  const fs::path own = folder.path() / "own", driver = folder.path() / "driver";
  const Process process(settings, folder.path() / "messages");
  process.run(own, driver);  // fills both
  process.run(own, driver);  // and what is written when something was found
  std::size_t count = 0;
  const auto empty = [&] { return folder.path() / fmt::format("empty-{}", ++count); };
  Comparison programs{.technique = "program-cache",
                      .stage = "a process to its first result",
                      .on = "programs kept",
                      .off = "compiled, driver's cache kept"};
  Comparison both = programs;
  both.off = "compiled, no cache at all";
  time_processes_in_turns([&] { process.run(own, driver); }, [&] { process.run(empty(), driver); }, settings.turns,
                          programs);
  time_processes_in_turns([&] { process.run(own, driver); }, [&] { process.run(empty(), empty()); }, settings.turns,
                          both);
  return {std::move(programs), std::move(both)};
}

}  // namespace driftwood::measure
