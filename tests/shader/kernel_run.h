// Runs kernel text in the interpreter and shows what it left in memory.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shader/checker.h"
#include "shader/interpreter/interpreter.h"
#include "shader/virtualize.h"

namespace driftwood::shader {

class KernelRun {
 public:
  explicit KernelRun(std::string text, const InterpreterOptions& options = {},
                     const Specialization& specialization = {}) {
    const SourceProvider sources = [&](std::string_view path) -> std::optional<SourceFile> {
      if (path != "package::test") return std::nullopt;
      return SourceFile{"test.wgsl", text};
    };
    Module module = check(sources, "package::test", specialization);
    virtualize(module);
    executable_ = std::make_unique<Executable>(module, options);
  }

  /// A module as it is, after passes of the optimiser.
  explicit KernelRun(const Module& module, const InterpreterOptions& options = {})
      : executable_(std::make_unique<Executable>(module, options)) {}

  /// The next binding, filled with values.
  template <class T>
  KernelRun& bind(const std::vector<T>& values) {
    memories_.emplace_back(values.size() * sizeof(T));
    memories_.back().write(0, std::as_bytes(std::span(values)));
    bindings_.push_back({&memories_.back(), 0, memories_.back().size()});
    return *this;
  }

  /// The next binding, of so many bytes that nothing has written.
  KernelRun& bind_unwritten(std::uint64_t bytes) {
    memories_.emplace_back(bytes);
    bindings_.push_back({&memories_.back(), 0, bytes});
    return *this;
  }

  /// The next binding: a part of the memory of an earlier one.
  KernelRun& bind_part(std::size_t of, std::uint64_t offset, std::uint64_t size) {
    bindings_.push_back({bindings_[of].memory, offset, size});
    return *this;
  }

  KernelRun& run(std::uint32_t x = 1, std::uint32_t y = 1, std::uint32_t z = 1) {
    interpreter_.run(*executable_, bindings_, {x, y, z});
    return *this;
  }

  /// What lies in a binding.
  template <class T>
  std::vector<T> values(std::size_t binding) const {
    const BoundMemory& bound = bindings_[binding];
    std::vector<T> result(bound.size / sizeof(T));
    std::memcpy(result.data(), bound.memory->data() + bound.offset, result.size() * sizeof(T));
    return result;
  }

  const Executable& executable() const { return *executable_; }

 private:
  std::unique_ptr<Executable> executable_;
  std::deque<CheckedMemory> memories_;
  std::vector<BoundMemory> bindings_;
  Interpreter interpreter_;
};

/// One invocation evaluates `expression`, which sees the words a[0].. as array<T> and gives a T.
template <class T>
T evaluate(const std::string& type, const std::string& expression, std::vector<T> a, const std::string& result = {}) {
  KernelRun run("@group(0) @binding(0) var<storage, read> a: array<" + type +
                ">;\n"
                "@group(0) @binding(1) var<storage, read_write> r: array<" +
                (result.empty() ? type : result) +
                ">;\n"
                "@compute @workgroup_size(1) fn main() { r[0] = " +
                expression + "; }\n");
  run.bind(a).bind(std::vector<T>(4));
  return run.run().template values<T>(1)[0];
}

}  // namespace driftwood::shader
