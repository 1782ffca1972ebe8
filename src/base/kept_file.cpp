#include "base/kept_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <sstream>

namespace driftwood {

namespace fs = std::filesystem;

std::optional<std::string> read_kept_file(const fs::path& path, std::uintmax_t most_bytes) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > most_bytes) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) return std::nullopt;
  return text.str();
}

bool write_kept_file(const fs::path& path, std::initializer_list<std::string_view> parts) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  static std::atomic<unsigned> counter{0};
  const fs::path partial =
      path.parent_path() / fmt::format("{}-{}-{}{}", path.stem().string(), getpid(), counter++, partial_suffix);
  bool is_written = false;
  {
    std::ofstream file(partial, std::ios::binary | std::ios::trunc);
    for (const std::string_view part : parts) file.write(part.data(), static_cast<std::streamsize>(part.size()));
    file.flush();
    is_written = static_cast<bool>(file);
  }
  if (is_written) fs::rename(partial, path, error);
  if (is_written && !error) return true;
  fs::remove(partial, error);
  return false;
}

}  // namespace driftwood
