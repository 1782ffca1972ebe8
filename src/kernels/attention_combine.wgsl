// Attention of few queries over a KV cache, second half: the parts of each row that attention_split or
// attention_split_halves left become its result. A workgroup takes a row of queries of one KV head: `shares` invocations
// have each slice of it, and each of them every `shares`-th part, all of which are on their way from memory at once.
import package::attention_parts::{parts_of_run, splits};
import package::head_rows::{place_in, slices};

@tensor var<read> parts: tensor<f32>;  // attention_parts
@tensor var<write> y: tensor<f32>;     // head_rows

override shares: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const turns = (splits + shares - 1u) / shares;
const masked = -3.0e38;

@uninitialized var<workgroup> sums: array<vec4f, shares * slices>;
@uninitialized var<workgroup> largests: array<f32, shares>;
@uninitialized var<workgroup> totals: array<f32, shares>;

@compute @workgroup_size(slices, shares)
fn attention_combine(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let row = at.x;
  let head = at.y;
  let slice = local.x;
  let share = local.y;
  let count = parts_of_run().count;

  var of_parts: array<vec4f, turns>;
  var values: array<vec4f, turns>;
  @unroll for (var n = 0u; n < turns; n++) {
    let part = min(n * shares + share, count - 1u);
    of_parts[n] = tensorLoad(parts, part, head, row, slices);
    values[n] = tensorLoad(parts, part, head, row, slice);
  }
  var largest = masked;
  @unroll for (var n = 0u; n < turns; n++) {
    largest = max(largest, select(masked, of_parts[n].x, n * shares + share < count));
  }
  var sum = vec4f();
  var total = 0.0;
  @unroll for (var n = 0u; n < turns; n++) {
    let weight = select(0.0, exp2(of_parts[n].x - largest), n * shares + share < count);
    sum = fma(vec4f(weight), values[n], sum);
    total = fma(weight, of_parts[n].y, total);
  }
  sums[share * slices + slice] = sum;
  if (slice == 0u) {
    largests[share] = largest;
    totals[share] = total;
  }
  workgroupBarrier();
  if (share > 0u) {
    return;
  }
  for (var n = 1u; n < shares; n++) {
    largest = max(largest, largests[n]);
  }
  sum = vec4f();
  total = 0.0;
  for (var n = 0u; n < shares; n++) {
    let weight = exp2(largests[n] - largest);
    sum = fma(vec4f(weight), sums[n * slices + slice], sum);
    total = fma(weight, totals[n], total);
  }
  let to = place_in(y, head, row, slice);
  tensorStore(y, to.y, to.z, epilogue(sum / total, 0u, 0u, to.y, to.z));
}
