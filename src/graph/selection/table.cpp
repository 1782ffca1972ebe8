#include <vector>

#include "graph/selection/rows.h"

namespace driftwood::graph {

std::span<const KernelRow> kernel_rows() {
  static const std::vector<KernelRow> table = [] {
    std::vector<KernelRow> joined;
    for (const auto& rows :
         {pipeline_kernels(), matrix_product_kernels(), embedding_kernels(), linear_kernels(), gated_linear_kernels(),
          integer_linear_kernels(), qkv_linear_kernels(), norm_kernels(), rope_kernels(), attention_kernels(),
          select_token_kernels(), sample_token_kernels(), element_wise_kernels(), group_statistics_kernels(),
          multi_head_attention_kernels(), conv2d_kernels(), concat_kernels()})
      joined.insert(joined.end(), rows.begin(), rows.end());
    return joined;
  }();
  return table;
}

}  // namespace driftwood::graph
