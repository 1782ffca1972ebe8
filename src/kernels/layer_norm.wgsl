// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta over the channels. A workgroup a position.
//
// The variance is that of the differences from the mean, in a second pass: the mean of squares less the square of the
// mean would lose its digits where the mean is large.
import package::reduce::{lanes, workgroup_sum};

@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<read> beta: tensor<f32>;
@tensor var<write> y: tensor<f32>;

override epsilon: f32;
override keeps: bool;  // each invocation keeps its slices in registers between the passes; else they are loaded again

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const slices = tensorSlices(x);
const columns = (slices + lanes - 1u) / lanes;  // slices of an invocation

// Channels of the last slice that are padding are no part of the sums.
fn within(s: u32, value: vec4f) -> vec4f {
  if (tensorChannels(x) % 4u == 0u || s + 1u < slices) {
    return value;
  }
  return select(vec4f(), value, vec4u(0u, 1u, 2u, 3u) < vec4u(tensorChannels(x) % 4u));
}

fn sum_of(v: vec4f) -> f32 {
  return (v.x + v.y) + (v.z + v.w);
}

@compute @workgroup_size(lanes)
fn layer_norm(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let column = group.x;
  let row = group.y % tensorHeight(x);
  let b = group.y / tensorHeight(x);
  let lane = local.x;
  let count = f32(tensorChannels(x));
  if (keeps) {
    var kept: array<vec4f, columns>;
    var sum = vec4f();
    @unroll for (var i = 0u; i < columns; i++) {
      let s = lane + i * lanes;
      kept[i] = vec4f();
      if (s < slices) {
        kept[i] = tensorLoad(x, b, row, column, s);
      }
      sum += kept[i];
    }
    let mean = workgroup_sum(sum_of(sum), lane) / count;
    var squares = vec4f();
    @unroll for (var i = 0u; i < columns; i++) {
      let s = lane + i * lanes;
      kept[i] -= mean;
      if (s < slices) {
        let difference = within(s, kept[i]);
        squares += difference * difference;
      }
    }
    let scale = inverseSqrt(workgroup_sum(sum_of(squares), lane) / count + epsilon);
    @unroll for (var i = 0u; i < columns; i++) {
      let s = lane + i * lanes;
      if (s < slices) {
        store(b, row, column, s, kept[i] * scale);
      }
    }
  } else {
    var sum = vec4f();
    for (var s = lane; s < slices; s += lanes) {
      sum += tensorLoad(x, b, row, column, s);
    }
    let mean = workgroup_sum(sum_of(sum), lane) / count;
    var squares = vec4f();
    for (var s = lane; s < slices; s += lanes) {
      let difference = within(s, tensorLoad(x, b, row, column, s) - mean);
      squares += difference * difference;
    }
    let scale = inverseSqrt(workgroup_sum(sum_of(squares), lane) / count + epsilon);
    for (var s = lane; s < slices; s += lanes) {
      store(b, row, column, s, (tensorLoad(x, b, row, column, s) - mean) * scale);
    }
  }
}

fn store(b: u32, row: u32, column: u32, s: u32, normal: vec4f) {
  let value = fma(normal, tensorLoad(gamma, s), tensorLoad(beta, s));
  tensorStore(y, b, row, column, s, epilogue(value, b, row, column, s));
}
