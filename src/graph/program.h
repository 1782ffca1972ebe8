// A graph compiled for a device: kernels, memory, and a recording that runs again and again.
//
//   graph::Program program(device, graph, {.options = options, .store = store, .sources = kernels::source});
//   program.write("ids", std::as_bytes(std::span(ids)));
//   program.run({.tokens = 3, .position = 0});       // returns without waiting
//   program.read("logits", std::as_writable_bytes(std::span(logits)));
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "graph/lowering.h"
#include "graph/resource_store.h"
#include "graph/shared_arena.h"

namespace driftwood::graph {

/// The fastest kind of arithmetic that a kernel uses, for profiles.
enum class Arithmetic : std::uint8_t { Floats, Halves, Integers, Matrices };
std::string_view to_string(Arithmetic arithmetic);

/// Compiled kernels by content, shared between programs of one device.
class KernelCache {
 public:
  /// What a binding of the kernel is: a resource of its row, or a part of one that a binding does not reach whole.
  struct BoundResource {
    std::string name;
    std::uint64_t offset = 0, bytes = 0;  // of the part; 0 bytes: whole
  };
  struct Entry {
    std::shared_ptr<gpu::Kernel> kernel;
    std::vector<BoundResource> resources;  // in order of binding
    Arithmetic arithmetic = Arithmetic::Floats;
  };
  explicit KernelCache(gpu::Device& device, shader::SourceProvider sources)
      : device_(device), sources_(std::move(sources)) {}

  /// The kernel of a use, compiled when it is first asked for. Throws Unsupported where it binds more than the device
  /// takes.
  const Entry& get(const KernelUse& use, const Fitting& fitting = {});
  std::size_t size() const { return entries_.size(); }

 private:
  gpu::Device& device_;
  shader::SourceProvider sources_;
  std::map<std::string, Entry> entries_;
};

/// Everything that decides the code of a kernel, as text: equal keys, equal kernels.
std::string kernel_key(const KernelUse& use, const Fitting& fitting = {});

struct ProgramSettings {
  GraphOptions options = {};
  std::shared_ptr<ResourceStore> store = {};  // null: one of its own without weights
  std::shared_ptr<KernelCache> kernels = {};  // null: one of its own, which reads `sources`
  shader::SourceProvider sources = {};        // null: the kernels embedded in the binary
  std::span<const KernelRow> rows = kernel_rows();
  /// Memory for inputs and outputs given from outside, by name; those not named are made by the program.
  std::map<std::string, gpu::Binding> bindings = {};
  /// Memory of activations that programs share of which one runs at a time; null: its own.
  std::shared_ptr<SharedArena> arena = {};
  /// Whether a run is to be one launch (gpu::Device::record_joined); decodes_in_one_launch() says so of tokens.
  bool is_joined = false;
  /// Parameter buffer to share (16 bytes); none: one of its own.
  gpu::Binding parameters = {};
  /// Called after each kernel of the program: kernels done, kernels in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

/// Whether a decoded token is to be one launch on the device.
inline bool decodes_in_one_launch(const GraphOptions& options, const gpu::DeviceFacts& facts) {
  return options.decode_launches == DecodeLaunches::One ||
         (options.decode_launches == DecodeLaunches::Auto && facts.joins_dispatches);
}

struct DispatchProfile {
  std::string label;        // of the node
  std::string_view kernel;  // of the selection row
  double nanoseconds = 0;
  double bytes = 0;  // estimates
  double flops = 0;
  Arithmetic arithmetic = Arithmetic::Floats;
};

class Program {
 public:
  /// Compiles and allocates. Throws what lower(), compile() and allocate() throw, naming the node.
  Program(gpu::Device& device, const Graph& graph, ProgramSettings settings);

  /// Runs with these parameters, in order after all that was submitted before; returns without waiting. Throws
  /// InvalidInput for zero tokens or more than the graph's maximum, Unsupported where a grid has more workgroups
  /// than the device runs in one dispatch.
  void run(const Parameters& parameters);
  /// The same where the work submitted before leaves these parameters in the buffer: nothing is written there.
  void run_queued(const Parameters& parameters);
  /// Runs, waits and gives the time of each dispatch that ran.
  std::vector<DispatchProfile> run_profiled(const Parameters& parameters);

  /// Where the parameters are.
  const gpu::Binding& parameters() const { return parameter_buffer_; }
  /// Input, output or state by name. Throws InvalidInput, listing the names, where there is none.
  const gpu::Binding& binding(std::string_view name) const;
  const Value& value(std::string_view name) const;
  /// Bytes of an array, or of a tensor as it is stored, from its beginning.
  void write(std::string_view name, std::span<const std::byte> bytes);
  void read(std::string_view name, std::span<std::byte> bytes) const;
  /// Values of a tensor, channels innermost, converted from and to its stored type and layout. `values` may be shorter
  /// than the tensor where it ends at a whole position (W innermost).
  void write_floats(std::string_view name, std::span<const float> values);
  void read_floats(std::string_view name, std::span<float> values) const;

  /// All values of an activation or output, channels innermost, as the last run left them: those of an activation only
  /// where the memory plan gives its place to no other (strategy "naive", not in place).
  std::vector<float> read_value(ValueId id) const;
  /// Where a value is, other than weights: an activation as long as the memory plan keeps it there.
  gpu::Binding place(ValueId id) const;

  const LoweredGraph& lowered() const { return lowered_; }
  std::uint32_t max_tokens() const { return lowered_.graph.max_tokens; }
  std::size_t dispatches() const { return lowered_.steps.size(); }
  MemoryReport memory() const;
  gpu::Device& device() const { return device_; }
  /// Whether a run was asked to be one launch.
  bool is_joined() const { return is_joined_; }

 private:
  void select_within_limits(const Graph& graph, const ProgramSettings& settings);
  const gpu::Kernel& compiled(const LoweredStep& step);
  void bind_values(const ProgramSettings& settings);
  void allocate_activations(SharedArena* shared);
  void record();
  std::array<std::uint32_t, 3> grid(const LoweredStep& step, const Parameters& parameters) const;
  void set_grids(const Parameters& parameters);
  void set_parameters(const Parameters& parameters);
  gpu::Binding resolve(const KernelUse& use, const ResourceUse& resource) const;
  gpu::Binding memory_at(const Placement& place, const std::string& name) const;
  gpu::Binding bind(const LoweredStep& step, const KernelCache::BoundResource& bound) const;

  gpu::Device& device_;
  LoweredGraph lowered_;
  std::shared_ptr<ResourceStore> store_;
  std::shared_ptr<KernelCache> kernels_;
  std::map<std::string, ValueId, std::less<>> names_;                  // inputs, outputs and states
  std::vector<gpu::Binding> bindings_;                                 // by ValueId, of external values
  std::map<std::pair<ValueId, std::uint32_t>, gpu::Binding> weights_;  // by value and row group
  std::shared_ptr<gpu::Memory> arena_;
  std::vector<std::shared_ptr<gpu::Memory>> objects_;
  gpu::Binding parameter_buffer_;
  bool is_joined_ = false;
  std::vector<std::array<std::uint32_t, 3>> groups_;  // as they are recorded
  std::vector<std::size_t> varying_;                  // steps whose grids depend on the parameters
  std::unique_ptr<gpu::Recording> recording_;
};

}  // namespace driftwood::graph
