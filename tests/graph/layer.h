// One decoder layer in the separate operations that model builders use, for tests of passes and lowering.
#pragma once

#include "graph/builder.h"

namespace driftwood::graph::testing {

struct LayerOptions {
  std::uint32_t tokens = 4, hidden = 32, heads = 4, kv_heads = 2, head_size = 8, intermediate = 64, cache = 16;
  bool biased = false;
  bool q_normed = false, k_normed = false;
  DataType cache_type = DataType::F16;
  DataType v_format = DataType::Q4_0;
  RopePairing pairing = RopePairing::Halves;
};

inline Graph decoder_layer(const LayerOptions& o = {}) {
  Builder b({.activation = DataType::F32, .max_tokens = o.tokens});
  const auto matrix = [&](const std::string& name, std::uint32_t rows, std::uint32_t columns,
                          DataType format = DataType::Q4_0) {
    return b.weights({.format = format, .columns = columns, .blocks = {{name, rows}}});
  };
  const auto ones = [&](const std::string& name, std::uint32_t count) {
    return b.vector(name, std::vector<float>(count, 1.0F));
  };
  const std::uint32_t q_size = o.heads * o.head_size, kv_size = o.kv_heads * o.head_size;
  const Rope rope{.head_size = o.head_size, .rotary = o.head_size, .pairing = o.pairing};
  const Tensor frequencies = ones("freq", o.head_size / 2);
  Tensor x = b.embedding(b.ids("ids"), matrix("embd", 64, o.hidden));
  const Tensor normed = b.as("norm", b.rms_norm(x, ones("attn_norm", o.hidden), 1e-5F));
  const auto bias = [&](const std::string& name, std::uint32_t count) {
    return o.biased ? std::optional<Tensor>(ones(name, count)) : std::nullopt;
  };
  const Tensor q = b.as("q", b.linear(normed, matrix("wq", q_size, o.hidden), bias("bq", q_size)));
  const Tensor k = b.as("k", b.linear(normed, matrix("wk", kv_size, o.hidden), bias("bk", kv_size)));
  const Tensor v = b.as("v", b.linear(normed, matrix("wv", kv_size, o.hidden, o.v_format), bias("bv", kv_size)));
  const Shape cache{.h = o.kv_heads, .w = o.cache, .c = o.head_size};
  const auto normed_heads = [&](bool is_normed, const std::string& name, const Tensor& x) {
    return is_normed ? b.as(name, b.head_norm(x, ones(name + "_gamma", o.head_size), o.head_size, 1e-6F)) : x;
  };
  const Tensor q_heads = normed_heads(o.q_normed, "q_norm", q), k_heads = normed_heads(o.k_normed, "k_norm", k);
  const Tensor k_cache =
      b.as("k_write", b.cache_write(b.rope(k_heads, frequencies, rope), b.state("K", cache, o.cache_type)));
  const Tensor v_cache = b.as("v_write", b.cache_write(v, b.state("V", cache, o.cache_type)));
  const Tensor heads = b.as("heads", b.head_layout(b.rope(q_heads, frequencies, rope), o.kv_heads, o.head_size));
  const Tensor attended = b.as("attention", b.attention(heads, k_cache, v_cache, {.heads = o.heads, .scale = 0.5F}));
  x = b.as("sum", b.add(x, b.as("wo_out", b.linear(attended, matrix("wo", o.hidden, q_size)))));
  const Tensor feed = b.as("feed", b.rms_norm(x, ones("ffn_norm", o.hidden), 1e-5F));
  const Tensor gate = b.as("gate", b.linear(feed, matrix("wgate", o.intermediate, o.hidden)));
  const Tensor up = b.as("up", b.linear(feed, matrix("wup", o.intermediate, o.hidden)));
  const Tensor product = b.as("product", b.multiply(b.silu(gate), up));
  x = b.as("out", b.add(x, b.as("down", b.linear(product, matrix("wdown", o.hidden, o.intermediate)))));
  b.output("logits", b.linear(b.as("last", b.select_token(x)), matrix("head", 64, o.hidden)));
  return std::move(b).build();
}

}  // namespace driftwood::graph::testing
