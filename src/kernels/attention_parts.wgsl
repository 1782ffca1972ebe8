// How the positions that a run sees are divided between workgroups (attention_split, attention_split_halves), and where
// their results lie.
//
// The positions come in `blocks` blocks of `block` of them, of which a part has as many as any other, or one more; there
// are `count` parts, at most `splits`, and no empty ones. A part leaves in the tensor `parts` {B = splits,
// H = kv_heads, W = tokens * group, C = head size + 4}, f32, for each row of queries (token * group + query head of the
// KV head):
// - slices 0 to head size / 4 - 1: the sum of exp2(score - largest) * value over the positions that the row sees there,
// - the last slice: x = largest, its largest score (-3e38 where the row sees none), y = the sum of exp2(score - largest).
// Scores are times log2(e). The parts of a row lie next to each other. The row's result is the sum over its parts of
// exp2(largest - m) * sums, divided by that of exp2(largest - m) * total, where m is the largest of all.
import package::head_rows::{parameters, window};

override splits: u32;
override block: u32;

struct Parts {
  begin: u32,
  blocks: u32,
  count: u32,
}

fn parts_of_run() -> Parts {
  let end = parameters.position + parameters.tokens;
  var begin = 0u;
  if (window > 0u) {
    begin = max(parameters.position + 1u, window) - window;
  }
  let blocks = (end - begin + block - 1u) / block;
  return Parts(begin, blocks, min(blocks, splits));
}

// The first position of a part; that of the part after the last may be past the context.
fn part_begin(run: Parts, part: u32) -> u32 {
  return run.begin + part * run.blocks / run.count * block;
}
