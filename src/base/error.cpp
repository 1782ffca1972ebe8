#include "base/error.h"

namespace driftwood {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidInput: return "invalid input";
    case ErrorKind::Unsupported: return "unsupported";
    case ErrorKind::OutOfMemory: return "out of memory";
    case ErrorKind::DeviceLost: return "device lost";
    case ErrorKind::Internal: return "internal error";
  }
  return "error";
}

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)), what_(message_) {}

void Error::add_context(std::string line) {
  what_ += '\n';
  what_ += line;
  context_.push_back(std::move(line));
}

}  // namespace driftwood
