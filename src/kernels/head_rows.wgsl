// Positions of queries and keys that count in a run: all of an image, or those of the active tokens.
override query_rows_per_token: u32;  // 0: no token axis, all count
override key_rows_per_token: u32;

fn query_count(q: tensor<f32>, tokens: u32) -> u32 {
  if (query_rows_per_token > 0u) {
    return tokens * query_rows_per_token;
  }
  return tensorHeight(q) * tensorWidth(q);
}

fn key_count(k: tensor<f32>, tokens: u32) -> u32 {
  if (key_rows_per_token > 0u) {
    return tokens * key_rows_per_token;
  }
  return tensorHeight(k) * tensorWidth(k);
}
