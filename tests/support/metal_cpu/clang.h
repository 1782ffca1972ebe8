// The C++ compiler that makes Metal kernels run on the CPU: clang, found when tests run, its results kept on disk.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace driftwood::test {

class Clang {
 public:
  /// Null where there is no clang that compiles half floats; why_not() then says why. Looks for $DRIFTWOOD_CLANG,
  /// clang++ and clang++-14 to clang++-21.
  static const Clang* find();
  static const std::string& why_not();

  /// A shared object of `source`, C++ that includes <metal_stdlib>. `name` is for messages: they give lines of
  /// `source`. The same source is compiled once. Throws InternalError with what the compiler says.
  std::filesystem::path compile(const std::string& source, const std::string& name) const;

  /// The command, without flags.
  const std::string& command() const { return command_; }

 private:
  Clang() = default;
  static std::optional<Clang> search(std::string& why_not);
  bool try_flags(const std::string& flags) const;
  void precompile();

  std::string command_;
  std::string flags_;
  std::filesystem::path header_;  // precompiled
};

}  // namespace driftwood::test
