// A text file that is written whole or not at all, and whose path is tried before the work for it begins.
//
//   measure::OutputFile trace(path);  // throws here where it cannot be written
//   ... measure ...
//   trace.write(text);
#pragma once

#include <filesystem>
#include <string_view>

namespace driftwood::measure {

class OutputFile {
 public:
  /// Opens another name in the same folder; `path` keeps what it holds until write(). Throws InvalidInput, naming the
  /// path and the system's reason, where it is a folder or nothing can be written there.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Writes the text and gives it its name. Throws InvalidInput where that fails.
  void write(std::string_view text);

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_, partial_;
  int handle_ = -1;
};

}  // namespace driftwood::measure
