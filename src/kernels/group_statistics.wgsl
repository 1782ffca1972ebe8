// The second half of a group norm's statistics: joins what channel_statistics.wgsl found of each channel and chunk of
// positions, and gives each channel the factor and the term that normalise it. A workgroup takes as many groups as
// begin and end with whole slices, one after the other.
import package::group_factors::{size, span, span_slices, OfGroups, factor_of, store_factors};
import package::reduce::{lanes, workgroup_sum};

@tensor var<read> means: tensor<f32>;  // {B, W = chunks, C}
@tensor var<read> squares: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<read> beta: tensor<f32>;
@tensor var<write> scale: tensor<f32>;
@tensor var<write> shift: tensor<f32>;

override positions: u32;
override chunk: u32;  // positions of a chunk; the last has those that are left

const chunks = tensorWidth(means);
const groups = tensorChannels(means) / size;

fn mean_of(b: u32, k: u32, c: u32) -> f32 {
  return tensorLoad(means, b, 0u, k, c / 4u)[c % 4u];
}

fn count_of(k: u32) -> f32 {
  return f32(min(chunk, positions - k * chunk));
}

@compute @workgroup_size(lanes)
fn group_statistics(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let lane = local.x;
  let b = at.y;
  let first_group = at.x * span;
  var group_mean: OfGroups;
  var group_factor: OfGroups;
  for (var g = 0u; g < min(span, groups - first_group); g++) {
    let first = (first_group + g) * size;
    // Means are taken from the first of them on, so that their sum keeps its digits.
    let origin = mean_of(b, 0u, first);
    var sum = 0.0;
    for (var i = lane; i < chunks * size; i += lanes) {
      sum += count_of(i / size) * (mean_of(b, i / size, first + i % size) - origin);
    }
    let mean = origin + workgroup_sum(sum, lane) / f32(positions * size);
    var sum_of_squares = 0.0;
    for (var i = lane; i < chunks * size; i += lanes) {
      let c = first + i % size;
      let difference = mean_of(b, i / size, c) - mean;
      sum_of_squares += tensorLoad(squares, b, 0u, i / size, c / 4u)[c % 4u] +
                        count_of(i / size) * difference * difference;
    }
    group_mean[g] = mean;
    group_factor[g] = factor_of(workgroup_sum(sum_of_squares, lane), positions);
  }

  for (var i = lane; i < span_slices; i += lanes) {
    let s = first_group * size / 4u + i;
    if (s < tensorSlices(means)) {
      store_factors(gamma, beta, scale, shift, b, s, i, &group_mean, &group_factor);
    }
  }
}
