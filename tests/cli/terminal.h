// The binary on a terminal, as a person uses it: keys in, what the screen shows out.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <vector>

namespace driftwood {

class Terminal {
 public:
  /// Starts `driftwood ARGUMENTS` with TERM set.
  Terminal(std::vector<std::string> arguments, const char* kind = "xterm") {
    arguments.insert(arguments.begin(), DRIFTWOOD_BINARY);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    winsize size = {.ws_row = 24, .ws_col = 200, .ws_xpixel = 0, .ws_ypixel = 0};
    process_ = ::forkpty(&side_, nullptr, nullptr, &size);
    if (process_ == 0) {
      ::setenv("TERM", kind, 1);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
  }
  ~Terminal() {
    ::close(side_);
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void type(const std::string& keys) const { ASSERT_EQ(::write(side_, keys.data(), keys.size()), std::ssize(keys)); }

  /// Whether the text shows up in what comes after that which was expected last; reads until then.
  bool shows(const std::string& text, double seconds = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (true) {
      const std::size_t at = screen_.find(text, seen_);
      if (at != std::string::npos) {
        seen_ = at + text.size();
        return true;
      }
      if (std::chrono::steady_clock::now() > end || !read_some()) return false;
    }
  }

  /// Reads until `bytes` more than were there have come.
  bool shows_more(std::size_t bytes, double seconds = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (screen_.size() < seen_ + bytes) {
      if (std::chrono::steady_clock::now() > end || !read_some()) return false;
    }
    return true;
  }

  /// The exit status, once the program has ended; 128 + signal where it was killed, -1 where it goes on for too long.
  int status(double seconds = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      read_some();
      int status = 0;
      if (::waitpid(process_, &status, WNOHANG) == process_) {
        process_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
    }
    return -1;
  }

  /// All that came so far.
  const std::string& screen() const { return screen_; }

 private:
  /// False where the program has closed its side.
  bool read_some() {
    pollfd ready = {.fd = side_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 100) <= 0) return true;
    char block[4096];
    const ssize_t count = ::read(side_, block, sizeof block);
    if (count <= 0) return false;
    screen_.append(block, static_cast<std::size_t>(count));
    return true;
  }

  int side_ = -1;
  pid_t process_ = -1;
  std::string screen_;
  std::size_t seen_ = 0;
};

}  // namespace driftwood
