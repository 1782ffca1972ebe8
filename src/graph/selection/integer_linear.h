// Products with integers (QuantizeTokens): which formats of weights have kernels of their own, and how the integers are
// stored for the kernel that a device will take.
#pragma once

#include <optional>

#include "graph/selection.h"

namespace driftwood::graph {

/// Whether weights of a format are multiplied as the integers that they are stored as; those of others are multiplied
/// as the values that they stand for.
bool has_integer_kernels(DataType format);

/// How the input of a linear or gated linear becomes integers. Nothing: it is rounded to them, stored in that type, and
/// multiplied by a kernel of floats.
struct IntegerForm {
  std::optional<IntegerInput> input = {};
  DataType stored = DataType::F32;
  bool operator==(const IntegerForm&) const = default;
};

/// `linear` is a Linear or GatedLinear of rows. One token is quantized in the kernel that reads its weights, on devices
/// with many lanes where workgroup memory holds it. Matrix units multiply what is rounded as halves, and CPUs without
/// an instruction for four products of bytes as floats.
IntegerForm integer_form(const Graph& graph, const Node& linear, const gpu::DeviceFacts& facts,
                         const GraphOptions& options);

}  // namespace driftwood::graph
