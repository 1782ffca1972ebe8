// What the statistics of a group norm become: of each channel the factor and the term that normalise it. A workgroup
// has as many groups as begin and end with whole slices.
override size: u32;  // channels of a group
override span: u32;  // groups of a workgroup; span * size is a multiple of 4
override epsilon: f32;

const span_slices = span * size / 4u;

alias OfGroups = array<f32, span>;

// The factor of a group's values, of their sum of squared differences from the mean.
fn factor_of(sum_of_squares: f32, positions: u32) -> f32 {
  return inverseSqrt(sum_of_squares / f32(positions * size) + epsilon);
}

// Slice i of the workgroup's, that is slice s of the tensor.
fn store_factors(gamma: tensor<f32>, beta: tensor<f32>, scale: tensor<f32>, shift: tensor<f32>, b: u32, s: u32, i: u32,
                 means: ptr<function, OfGroups>, factors: ptr<function, OfGroups>) {
  var mean = vec4f();
  var factor = vec4f();
  @unroll for (var k = 0u; k < 4u; k++) {
    let g = (4u * i + k) / size;
    mean[k] = (*means)[g];
    factor[k] = (*factors)[g];
  }
  factor *= tensorLoad(gamma, s);
  tensorStore(scale, b, 0u, 0u, s, factor);
  tensorStore(shift, b, 0u, 0u, s, tensorLoad(beta, s) - mean * factor);
}
