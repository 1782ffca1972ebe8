// The kernels of each operation, in order of preference; table.cpp joins them.
#pragma once

#include <span>

#include "graph/selection.h"

namespace driftwood::graph {

/// Convolutions, linears and gated linears on matrix units; they stand before the others of these operations.
std::span<const KernelRow> matrix_product_kernels();
/// Convolutions, linears and gated linears through the pipeline of a workgroup; they stand before those on matrix
/// units.
std::span<const KernelRow> pipeline_kernels();
std::span<const KernelRow> embedding_kernels();
std::span<const KernelRow> linear_kernels();
std::span<const KernelRow> gated_linear_kernels();
std::span<const KernelRow> integer_linear_kernels();  // and integer gated linears, and quantize-tokens
std::span<const KernelRow> qkv_linear_kernels();
std::span<const KernelRow> norm_kernels();
std::span<const KernelRow> rope_kernels();
std::span<const KernelRow> attention_kernels();
std::span<const KernelRow> select_token_kernels();
std::span<const KernelRow> sample_token_kernels();
std::span<const KernelRow> element_wise_kernels();
std::span<const KernelRow> conv2d_kernels();
std::span<const KernelRow> concat_kernels();
std::span<const KernelRow> group_statistics_kernels();
std::span<const KernelRow> multi_head_attention_kernels();

}  // namespace driftwood::graph
