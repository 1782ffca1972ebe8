// The second half of a group norm's statistics: joins what channel_statistics.wgsl found of each channel and chunk of
// positions, and gives each channel the factor and the term that normalise it. A workgroup takes as many groups as
// begin and end with whole slices, one after the other.
import package::reduce::{lanes, workgroup_sum};

@tensor var<read> means: tensor<f32>;  // {B, W = chunks, C}
@tensor var<read> squares: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<read> beta: tensor<f32>;
@tensor var<write> scale: tensor<f32>;
@tensor var<write> shift: tensor<f32>;

override positions: u32;
override chunk: u32;  // positions of a chunk; the last has those that are left
override size: u32;   // channels of a group
override span: u32;   // groups of a workgroup; span * size is a multiple of 4
override epsilon: f32;

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
  var group_mean: array<f32, span>;
  var group_factor: array<f32, span>;
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
    group_factor[g] = inverseSqrt(workgroup_sum(sum_of_squares, lane) / f32(positions * size) + epsilon);
  }

  for (var i = lane; i < span * size / 4u; i += lanes) {
    let s = first_group * size / 4u + i;
    if (s < tensorSlices(means)) {
      var mean = vec4f();
      var factor = vec4f();
      @unroll for (var k = 0u; k < 4u; k++) {
        let g = (4u * i + k) / size;
        mean[k] = group_mean[g];
        factor[k] = group_factor[g];
      }
      factor *= tensorLoad(gamma, s);
      tensorStore(scale, b, 0u, 0u, s, factor);
      tensorStore(shift, b, 0u, 0u, s, tensorLoad(beta, s) - mean * factor);
    }
  }
}
