// The first half of a group norm's statistics: mean and sum of squared differences from it, of each channel over a
// chunk of positions. A workgroup takes `columns` x `width` slices of `chunk` positions; group_statistics.wgsl joins
// the chunks.
import package::moments::{columns, rows, width, SliceMoments, add_positions, join_rows};

@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;          // its channels come after those of x, where `joined`
@tensor var<write> means: tensor<f32>;      // {B, W = chunks, C = channels of both}
@tensor var<write> squares: tensor<f32>;

override chunk: u32;  // positions of a workgroup

const positions = tensorHeight(x) * tensorWidth(x);

@compute @workgroup_size(columns, rows)
fn channel_statistics(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = (at.x * columns + local.x) * width;
  let b = at.z;
  let begin = at.y * chunk;
  var moments: SliceMoments;
  add_positions(x, x2, b, begin + local.y, min(begin + chunk, positions), first, tensorSlices(means), &moments);
  if (rows > 1u) {
    moments[0] = join_rows(local.x, local.y, moments[0]);
  }
  if (local.y == 0u) {
    @unroll for (var j = 0u; j < width; j++) {
      if (first + j < tensorSlices(means)) {
        tensorStore(means, b, 0u, at.y, first + j, moments[j].mean);
        tensorStore(squares, b, 0u, at.y, first + j, moments[j].squares);
      }
    }
  }
}
