#include "graph/operations/rope_qkv.h"

#include <fmt/format.h>

namespace driftwood::graph {

namespace {

void check_channels(const Operand& x, std::string_view what, std::uint32_t channels, const RopeQkv& operation) {
  if (x.shape.c == channels) return;
  operation_error(
      RopeQkv::name,
      fmt::format("the {} {} have {} channels, but {} heads and {} KV heads of {} channels need {}.", what, describe(x),
                  x.shape.c, operation.heads, operation.kv_heads, operation.rope.head_size, channels));
}

void check_cache(const Operand& cache, std::uint32_t tokens, const RopeQkv& operation) {
  const Shape expected{.h = operation.kv_heads, .w = cache.shape.w, .c = operation.rope.head_size};
  if (cache.shape != expected) {
    operation_error(RopeQkv::name,
                    fmt::format("the cache {} does not have the shape {} of {} KV heads of {} channels.",
                                describe(cache), to_string(expected), operation.kv_heads, operation.rope.head_size));
  }
  if (tokens > cache.shape.w) {
    operation_error(RopeQkv::name, fmt::format("{} tokens are more than the {} places of the cache {}.", tokens,
                                               cache.shape.w, describe(cache)));
  }
}

}  // namespace

std::vector<Shape> output_shapes(const RopeQkv& operation, std::span<const Operand> inputs) {
  const std::size_t projections = operation.projections();
  const std::size_t count = projections + (operation.normed ? 5 : 3);
  check_input_count(RopeQkv::name, inputs, count, count);
  check_rope(RopeQkv::name, operation.rope, inputs[projections]);
  if (operation.kv_heads == 0 || operation.heads % operation.kv_heads != 0) {
    operation_error(RopeQkv::name,
                    fmt::format("{} heads are no multiple of {} KV heads.", operation.heads, operation.kv_heads));
  }
  const std::uint32_t q = operation.q_channels();
  const std::uint32_t kv = operation.kv_channels();
  if (operation.merged) {
    check_channels(inputs[0], "projections", q + 2 * kv, operation);
  } else {
    check_channels(inputs[0], "queries", q, operation);
    check_channels(inputs[1], "keys", kv, operation);
    check_channels(inputs[2], "values", kv, operation);
  }
  const Shape x = inputs[0].shape;
  for (std::size_t i = 1; i < projections; ++i) {
    if (inputs[i].shape.w == x.w && inputs[i].shape.b == x.b) continue;
    operation_error(RopeQkv::name, fmt::format("{} and {} differ in their number of tokens.", describe(inputs[0]),
                                               describe(inputs[i])));
  }
  const Operand& k_cache = inputs[projections + 1];
  const Operand& v_cache = inputs[projections + 2];
  check_cache(k_cache, x.w, operation);
  check_cache(v_cache, x.w, operation);
  for (std::size_t i = projections + 3; i < count; ++i) {
    if (inputs[i].shape == Shape{.c = operation.rope.head_size}) continue;
    operation_error(RopeQkv::name, fmt::format("the factors {} are not one for each of the {} channels of a head.",
                                               describe(inputs[i]), operation.rope.head_size));
  }
  const std::uint32_t group = operation.heads / operation.kv_heads;
  return {Shape{.b = x.b, .h = operation.kv_heads, .w = x.w * group, .c = operation.rope.head_size}, k_cache.shape,
          v_cache.shape};
}

}  // namespace driftwood::graph
