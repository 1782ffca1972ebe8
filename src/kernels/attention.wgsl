// softmax(scale q K^T + mask) V for one query row: a workgroup a (row, KV head), positions in blocks of `block` with
// the running maximum and sum kept (online softmax), so that no score leaves the workgroup.
//
// Within a block each invocation takes the scores of whole positions, then each takes output slices over a share of the
// positions; the shares are added at the end.
import package::kv_cache::{cache_place, load_k, load_v};
import package::parameters::Parameters;
import package::reduce::{lanes, workgroup_max, workgroup_sum};

@tensor var<read> q: tensor<f32>;   // {H = kv_heads, W = tokens * group, C = head_size}
@tensor var<write> y: tensor<f32>;  // {W = tokens, C = heads * head_size}, or by head {H = heads, W = tokens, C = head_size}
var<uniform> parameters: Parameters;

override group: u32;       // query heads for each KV head
override scale: f32;
override causal: bool;
override window: u32;      // 0: none
override softcap: f32;     // 0: none
override by_head: bool;    // y is by head: head sizes that are no multiple of four are merged after, and the epilogue is there
override block: u32;       // positions a step, a multiple of lanes

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const slices = tensorSlices(q);
const shares = max(1u, lanes / slices);               // invocations that share the positions of one slice
const columns = (slices * shares + lanes - 1u) / lanes;  // slices an invocation holds

var<workgroup> weights: array<f32, block>;
var<workgroup> partials: array<vec4f, select(1u, slices * shares, shares > 1u)>;

@compute @workgroup_size(lanes)
fn attention(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let row = at.x;
  let head = at.y;
  let lane = local.x;
  let token = row / group;
  let position = parameters.position + token;
  let end = select(parameters.position + parameters.tokens, position + 1u, causal);
  var begin = 0u;
  if (window > 0u && position + 1u > window) {
    begin = position + 1u - window;
  }

  var query: array<vec4f, slices>;
  @unroll for (var s = 0u; s < slices; s++) {
    query[s] = tensorLoad(q, 0u, head, row, s) * scale;
  }
  var sums: array<vec4f, columns>;
  @unroll for (var i = 0u; i < columns; i++) {
    sums[i] = vec4f();
  }
  var largest = -3.0e38;
  var total = 0.0;

  for (var start = begin; start < end; start += block) {
    var block_largest = -3.0e38;
    for (var j = lane; j < block; j += lanes) {
      var score = -3.0e38;
      if (start + j < end) {
        let place = cache_place(start + j);
        var products = vec4f();
        @unroll for (var s = 0u; s < slices; s++) {
          products += query[s] * load_k(head, place, s);
        }
        score = products.x + products.y + products.z + products.w;
        if (softcap > 0.0) {
          score = softcap * tanh(score / softcap);
        }
      }
      weights[j] = score;
      block_largest = max(block_largest, score);
    }
    let new_largest = max(largest, workgroup_max(block_largest, lane));
    let correction = exp(largest - new_largest);
    var block_total = 0.0;
    for (var j = lane; j < block; j += lanes) {
      var weight = 0.0;
      if (start + j < end) {
        weight = exp(weights[j] - new_largest);
      }
      weights[j] = weight;
      block_total += weight;
    }
    total = total * correction + workgroup_sum(block_total, lane);
    largest = new_largest;
    workgroupBarrier();

    let count = min(block, end - start);
    @unroll for (var i = 0u; i < columns; i++) {
      let place = lane + i * lanes;
      if (place < slices * shares) {
        let s = place % slices;
        var sum = sums[i] * correction;
        for (var j = place / slices; j < count; j += shares) {
          sum += weights[j] * load_v(head, cache_place(start + j), s);
        }
        sums[i] = sum;
      }
    }
    workgroupBarrier();
  }

  let query_head = head * group + row % group;
  @unroll for (var i = 0u; i < columns; i++) {
    let place = lane + i * lanes;
    if (shares > 1u) {
      if (place < slices * shares) {
        partials[place] = sums[i];
      }
      workgroupBarrier();
      if (place < slices) {
        var sum = partials[place];
        for (var share = 1u; share < shares; share++) {
          sum += partials[place + share * slices];
        }
        store(token, query_head, place, sum / total);
      }
    } else if (place < slices) {
      store(token, query_head, place, sums[i] / total);
    }
  }
}

fn store(token: u32, query_head: u32, s: u32, value: vec4f) {
  if (by_head) {
    tensorStore(y, 0u, query_head, token, s, value);
  } else {
    let place = query_head * slices + s;
    tensorStore(y, token, place, epilogue(value, 0u, 0u, token, place));
  }
}
