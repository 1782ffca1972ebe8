#include "measure/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace driftwood::measure {

namespace fs = std::filesystem;

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const fs::file_status old = fs::status(path_, ignored);
  if (path_.empty()) fail(ENOENT);
  if (fs::is_directory(old)) fail(EISDIR);
  if (fs::exists(old) && !fs::is_regular_file(old)) {  // a pipe or a device is written in place
    handle_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    static std::atomic<unsigned> counter{0};
    do {
      partial_ = path_.parent_path() / fmt::format(".driftwood-{}-{}.partial", ::getpid(), counter++);
      handle_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (handle_ < 0 && errno == EEXIST);
  }
  if (handle_ < 0) {
    const int error = errno;
    partial_.clear();
    fail(error);
  }
}

OutputFile::~OutputFile() {
  if (handle_ >= 0) ::close(handle_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(handle_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(std::exchange(handle_, -1)) != 0) fail(errno);
  if (partial_.empty()) return;
  if (::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
  partial_.clear();
}

void OutputFile::fail(int error) const {
  throw InvalidInput(fmt::format("The file '{}' cannot be written: {}.", path_.string(), std::strerror(error)));
}

}  // namespace driftwood::measure
