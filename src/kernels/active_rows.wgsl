// How many rows of a tensor count in a run.
override rows_per_token: u32;  // 0: no token axis, all rows count

fn active_rows(rows: u32, tokens: u32) -> u32 {
  if (rows_per_token > 0u) {
    return tokens * rows_per_token;
  }
  return rows;
}
