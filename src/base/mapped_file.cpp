#include "base/mapped_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace driftwood {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: opening a FIFO must fail below as "no regular file", not wait for a writer.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0)
    throw InvalidInput(fmt::format("The file '{}' cannot be opened: {}.", path.string(), std::strerror(errno)));
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0)
    throw InvalidInput(fmt::format("The file '{}' cannot be read: {}.", path.string(), std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) throw InvalidInput(fmt::format("'{}' is no regular file.", path.string()));
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // an empty mapping is refused by the system; an empty span serves
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED)
    throw OutOfMemory(
        fmt::format("The file '{}' of {} bytes cannot be mapped: {}.", path.string(), size_, std::strerror(errno)));
  data_ = static_cast<const std::byte*>(address);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::release(std::span<const std::byte> part) const {
  if (part.empty()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<std::uintptr_t>(part.data());
  const std::uintptr_t skipped = (page - address % page) % page;
  if (part.size() <= skipped) return;
  const std::size_t whole = (part.size() - skipped) / page * page;
  if (whole != 0) ::madvise(const_cast<std::byte*>(part.data() + skipped), whole, MADV_DONTNEED);
}

}  // namespace driftwood
