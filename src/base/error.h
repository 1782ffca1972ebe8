// Typed errors. Every failure that a file, a prompt, a flag or a driver can cause is thrown as one of
// these; the message is a full sentence in the present tense that gives the value and the limit, and
// callers add "While ..." lines with add_context as the error passes them:
//
//   try { read_tensor(...); }
//   catch (Error& e) { e.add_context("While reading the tensor 'blk.0.attn_q.weight'."); throw; }
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood {

enum class ErrorKind {
  InvalidInput,  // a file, prompt, flag or kernel source is wrong
  Unsupported,   // valid, but this build, device or version does not do it
  OutOfMemory,   // host or device memory is exhausted, or an allocation limit is exceeded
  DeviceLost,    // a driver failed; the call fails, the process goes on
  Internal,      // a fault of Driftwood itself
};

/// The name of a kind as printed in diagnostics, e.g. "invalid input".
std::string_view to_string(ErrorKind kind);

/// Base of all errors of the library. what() is the message followed by the context lines.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& context() const { return context_; }
  const char* what() const noexcept override { return what_.c_str(); }

  /// Appends a line such as "While loading 'model.gguf'." (innermost first).
  void add_context(std::string line);

 private:
  ErrorKind kind_;
  std::string message_;
  std::vector<std::string> context_;
  std::string what_;
};

class InvalidInput : public Error {
 public:
  explicit InvalidInput(std::string message) : Error(ErrorKind::InvalidInput, std::move(message)) {}
};

class Unsupported : public Error {
 public:
  explicit Unsupported(std::string message) : Error(ErrorKind::Unsupported, std::move(message)) {}
};

class OutOfMemory : public Error {
 public:
  explicit OutOfMemory(std::string message) : Error(ErrorKind::OutOfMemory, std::move(message)) {}
};

class DeviceLost : public Error {
 public:
  explicit DeviceLost(std::string message) : Error(ErrorKind::DeviceLost, std::move(message)) {}
};

class InternalError : public Error {
 public:
  explicit InternalError(std::string message) : Error(ErrorKind::Internal, std::move(message)) {}
};

}  // namespace driftwood
