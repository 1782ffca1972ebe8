#include "graph/selection/kv_cache.h"

#include <fmt/format.h>

#include "graph/storage_choice.h"

namespace driftwood::graph {

void bind_cache(KernelUse& use, const SelectionContext& context, char letter, ValueId cache, bool writes) {
  const Value& value = context.value(cache);
  const std::string tensor = fmt::format("{}_cache", letter);
  const std::string bound = value.is_array ? fmt::format("{}_words", letter) : tensor;
  use.resources.push_back(writes ? write(bound, cache) : read(bound, cache));
  use.specialization.overrides[fmt::format("{}_quantized", letter)] = value.is_array;
  // The extents of a quantized cache; the kernel never touches the tensor itself.
  if (value.is_array) {
    use.specialization.tensors[tensor] = {.shape = value.shape, .layout = default_layout(StorageKind::Buffer)};
  }
}

}  // namespace driftwood::graph
