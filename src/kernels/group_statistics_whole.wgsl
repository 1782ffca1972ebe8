// A group norm's statistics in one launch, where there are few positions: a workgroup takes `span` whole groups of an
// image over all positions, a slice a column. It joins the rows of each channel, then the channels of each group.
import package::group_factors::{size, span, span_slices, OfGroups, factor_of, store_factors};
import package::moments::{columns, rows, SliceMoments, add_positions, join_rows, shared_means, shared_squares};

@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;  // its channels come after those of x, where `joined`
@tensor var<read> gamma: tensor<f32>;
@tensor var<read> beta: tensor<f32>;
@tensor var<write> scale: tensor<f32>;
@tensor var<write> shift: tensor<f32>;

const positions = tensorHeight(x) * tensorWidth(x);
const groups = tensorChannels(scale) / size;

@uninitialized var<workgroup> group_mean: array<f32, span>;
@uninitialized var<workgroup> group_factor: array<f32, span>;

fn sum_of(v: vec4f) -> f32 {
  return (v.x + v.y) + (v.z + v.w);
}

// Those channels of slice i that are among the `size` from `first` on; zero for the others.
fn within(i: u32, first: u32, value: vec4f) -> vec4f {
  return select(vec4f(), value, vec4u(4u * i) + vec4u(0u, 1u, 2u, 3u) - vec4u(first) < vec4u(size));
}

// The channels of a group, from `first` of the workgroup's on. All have the same number of values.
fn join_channels(g: u32, first: u32) {
  let end = (first + size + 3u) / 4u;
  // Means are taken from the first of them on, so that their sum keeps its digits.
  let origin = shared_means[first / 4u][first % 4u];
  var sum = vec4f();
  for (var i = first / 4u; i < end; i++) {
    sum += within(i, first, shared_means[i] - vec4f(origin));
  }
  let mean = origin + sum_of(sum) / f32(size);
  var sum_of_squares = vec4f();
  for (var i = first / 4u; i < end; i++) {
    let difference = shared_means[i] - vec4f(mean);
    sum_of_squares += within(i, first, shared_squares[i] + difference * difference * f32(positions));
  }
  group_mean[g] = mean;
  group_factor[g] = factor_of(sum_of(sum_of_squares), positions);
}

@compute @workgroup_size(columns, rows)
fn group_statistics_whole(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let b = at.y;
  let s = at.x * span_slices + local.x;
  var moments: SliceMoments;
  add_positions(x, x2, b, local.y, positions, s, tensorSlices(scale), &moments);
  moments[0] = join_rows(local.x, local.y, moments[0]);
  workgroupBarrier();
  for (var g = local.y * columns + local.x; g < span; g += columns * rows) {
    group_mean[g] = 0.0;  // of those past the last, for padding
    group_factor[g] = 0.0;
    if (at.x * span + g < groups) {
      join_channels(g, g * size);
    }
  }
  workgroupBarrier();
  if (local.y == 0u && s < tensorSlices(scale)) {
    var means: OfGroups;
    var factors: OfGroups;
    @unroll for (var g = 0u; g < span; g++) {
      means[g] = group_mean[g];
      factors[g] = group_factor[g];
    }
    store_factors(gamma, beta, scale, shift, b, s, local.x, &means, &factors);
  }
}
