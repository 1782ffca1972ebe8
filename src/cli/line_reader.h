// Lines that a person types: with editing and a history of lines where libedit is built in and standard input is a
// terminal that can move its cursor, plain ones elsewhere. Prompts go to standard error.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace driftwood::cli {

class LineReader {
 public:
  enum class Outcome : std::uint8_t { Line, End, Interrupted };

  LineReader();
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Reads a line without its end into `line`. End: of the input (Ctrl-D). Interrupted: Ctrl-C, as Interrupt says;
  /// what was typed is dropped. Throws InvalidInput for a line over 16 MiB.
  Outcome read(const std::string& prompt, std::string& line);

  /// Adds to the lines that the arrow keys bring back.
  void remember(const std::string& line);

 private:
  class Editor;
  Outcome read_plain(std::string& line);

  std::unique_ptr<Editor> editor_;  // null: plain lines
};

}  // namespace driftwood::cli
