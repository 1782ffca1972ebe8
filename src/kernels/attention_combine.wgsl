// Attention of few queries over a KV cache, second half: the parts of each row that attention_split left become its
// result. A workgroup takes a row of queries of one KV head: `shares` invocations have each slice of it, and each of them
// every `shares`-th part.
import package::attention_parts::{parts_of_run, splits};
import package::head_rows::{place_in, slices};

@tensor var<read> parts: tensor<f32>;  // attention_parts
@tensor var<write> y: tensor<f32>;     // head_rows

override shares: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const turns = (splits + shares - 1u) / shares;

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

  var largest = -3.0e38;
  @unroll for (var n = 0u; n < turns; n++) {
    let part = n * shares + share;
    if (part < count) {
      largest = max(largest, tensorLoad(parts, part, head, row, slices).x);
    }
  }
  var sum = vec4f();
  var total = 0.0;
  @unroll for (var n = 0u; n < turns; n++) {
    let part = n * shares + share;
    if (part < count) {
      let of_part = tensorLoad(parts, part, head, row, slices);
      let weight = exp2(of_part.x - largest);
      sum = fma(vec4f(weight), tensorLoad(parts, part, head, row, slice), sum);
      total = fma(weight, of_part.y, total);
    }
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
