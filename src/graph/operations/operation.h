// The operations of a graph. A new one is a file here with its struct and shape rule, a place in this variant, and a
// row in a selection table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "graph/operations/add_rms_norm.h"
#include "graph/operations/attention.h"
#include "graph/operations/cache_write.h"
#include "graph/operations/concat.h"
#include "graph/operations/conv2d.h"
#include "graph/operations/element_wise.h"
#include "graph/operations/embedding.h"
#include "graph/operations/gated_linear.h"
#include "graph/operations/group_statistics.h"
#include "graph/operations/head_layout.h"
#include "graph/operations/head_norm.h"
#include "graph/operations/integer_gated_linear.h"
#include "graph/operations/integer_linear.h"
#include "graph/operations/layer_norm.h"
#include "graph/operations/linear.h"
#include "graph/operations/multi_head_attention.h"
#include "graph/operations/qkv_linear.h"
#include "graph/operations/quantize_tokens.h"
#include "graph/operations/rms_norm.h"
#include "graph/operations/rope.h"
#include "graph/operations/rope_qkv.h"
#include "graph/operations/sample_token.h"
#include "graph/operations/select_token.h"

namespace driftwood::graph {

using Operation =
    std::variant<Embedding, Linear, GatedLinear, RmsNorm, AddRmsNorm, ElementWise, Rope, HeadLayout, CacheWrite,
                 RopeQkv, Attention, SelectToken, Conv2d, Concat, LayerNorm, GroupStatistics, MultiHeadAttention,
                 HeadNorm, QuantizeTokens, IntegerLinear, IntegerGatedLinear, QkvLinear, SampleToken>;

/// "linear", "rope-qkv".
std::string_view name(const Operation& operation);

/// Shapes of the outputs. Throws InvalidInput, naming the operation and the shapes, where the inputs do not fit.
std::vector<Shape> output_shapes(const Operation& operation, std::span<const Operand> inputs);

/// Attributes for dumps, "epsilon 1e-05"; empty where there are none.
std::string attributes(const Operation& operation);

/// Whether a kernel of this operation stores its only output through an epilogue.
bool accepts_epilogue(const Operation& operation);

/// Whether a kernel of this operation loads input 0 (and what is joined to it) through a prologue.
bool accepts_prologue(const Operation& operation);

/// Whether a linear takes input 0 before an RMS norm, and the norm's factors as its last input.
bool normalizes(const Operation& operation);

/// Place of the operand that is joined to input 0 along the channels where there is one more than without; 0: the
/// operation takes none.
std::size_t joined_operand(const Operation& operation);

/// Whether output `output` is the state input that the operation wrote to, and which input that is; -1: a value of its
/// own.
int written_state(const Operation& operation, std::size_t output);

}  // namespace driftwood::graph
