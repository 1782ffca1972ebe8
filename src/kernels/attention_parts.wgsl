// How the positions that a run sees are divided between workgroups (attention_split), and where their results lie.
//
// Part i has the positions begin + i * length to begin + (i + 1) * length - 1, of which none is over the context; there
// are `count` parts, at most `splits`. A part leaves in the tensor `parts` {B = splits, H = kv_heads, W = tokens * group,
// C = head size + 4}, f32, for each row of queries (token * group + query head of the KV head):
// - slices 0 to head size / 4 - 1: the sum of exp2(score - largest) * value over the positions that the row sees there,
// - the last slice: x = largest, its largest score (-3e38 where the row sees none), y = the sum of exp2(score - largest).
// Scores are times log2(e). The parts of a row lie next to each other. The row's result is the sum over its parts of
// exp2(largest - m) * sums, divided by that of exp2(largest - m) * total, where m is the largest of all.
import package::head_rows::{parameters, window};

override splits: u32;
override block: u32;  // lengths are multiples of it

struct Parts {
  begin: u32,
  length: u32,
  count: u32,
}

fn parts_of_run() -> Parts {
  let end = parameters.position + parameters.tokens;
  var begin = 0u;
  if (window > 0u) {
    begin = max(parameters.position + 1u, window) - window;
  }
  let length = (end - begin + splits * block - 1u) / (splits * block) * block;
  return Parts(begin, length, (end - begin + length - 1u) / length);
}
