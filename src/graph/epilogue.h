// Source text of fusion points: an element-wise program in the kernel language.
//
//   @tensor var<read> fused_0: tensor<f32>;
//   fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
//     let t1 = tensorLoad(fused_0, b, y, x, s);
//     let t2 = value + t1;
//     return t2;
//   }
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace driftwood::graph {

/// An epilogue as a kernel applies it. Input 0 of `program` is the value computed, input 1 + i is inputs[i].
struct EffectiveEpilogue {
  ElementWise program;
  std::vector<ValueId> inputs;
};

/// The node's epilogue after the bias of a linear, if it has one.
EffectiveEpilogue effective_epilogue(const Node& node);

/// Number of operands of the operation itself that a kernel must bind: without the bias of a linear.
std::size_t operand_count(const Node& node);

/// A function `name` and the declarations of tensors `prefix`_0 ...; the input shapes decide how each is broadcast to
/// `output`. Padding channels of the last slice stay zero. Empty where the program is empty.
std::string fusion_source(std::string_view name, std::string_view prefix, const ElementWise& program,
                          std::span<const Shape> inputs, const Shape& output);

/// fusion_source("epilogue", "fused", ...) of a node's effective epilogue.
std::string epilogue_source(const Node& node, const Graph& graph);

}  // namespace driftwood::graph
