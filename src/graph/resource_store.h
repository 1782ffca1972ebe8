// Device memory that several programs share: weights, constants and states, made once and found again by what they are.
//
//   auto store = std::make_shared<graph::ResourceStore>(device, weights_of(checkpoint));
//   graph::Program prefill(device, prefill_graph, {.options = options, .store = store});
//   graph::Program decode(device, decode_graph, {.options = options, .store = store});
#pragma once

#include <map>
#include <memory>
#include <string>

#include "gpu/device.h"
#include "graph/graph.h"
#include "graph/row_source.h"

namespace driftwood::graph {

class ResourceStore {
 public:
  ResourceStore(gpu::Device& device, WeightsProvider provider) : device_(device), provider_(std::move(provider)) {}
  ResourceStore(const ResourceStore&) = delete;
  ResourceStore& operator=(const ResourceStore&) = delete;

  /// Packs and uploads a matrix when it is first asked for; the same source and descriptor give the same memory. Throws
  /// InvalidInput where the provider's bytes do not match the rows and columns.
  gpu::Binding weights(const WeightsSource& source, const WeightsDescriptor& descriptor);
  /// Host data of a Constant, by name and descriptor.
  gpu::Binding constant(const Value& value);
  /// Memory of a State, by name. Nothing is in it: kernels read of a cache only what was written, and a cache of which
  /// little is used need not be resident. Throws InvalidInput where the name exists and is stored otherwise.
  gpu::Binding state(const Value& value);

  std::uint64_t weights_bytes() const { return weights_bytes_; }
  std::uint64_t constant_bytes() const { return constant_bytes_; }
  std::uint64_t state_bytes() const { return state_bytes_; }

 private:
  struct StateEntry {
    gpu::Binding binding;
    std::string stored;  // how, in words
  };
  gpu::Device& device_;
  WeightsProvider provider_;
  std::map<std::string, gpu::Binding> weights_, constants_;
  std::map<std::string, StateEntry, std::less<>> states_;
  std::uint64_t weights_bytes_ = 0, constant_bytes_ = 0, state_bytes_ = 0;
};

}  // namespace driftwood::graph
