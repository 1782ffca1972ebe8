// The first half of a group norm's statistics: mean and sum of squared differences from it, of each channel over a
// chunk of positions. A workgroup takes `columns` x `width` slices of `chunk` positions; group_statistics.wgsl joins
// the chunks.
//
// Positions are taken in blocks whose loads are all on their way before the first is used. Each block has its own mean,
// and is joined to those before it by the formula of Chan, Golub and LeVeque: nothing is ever the difference of large
// sums.
@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;          // its channels come after those of x, where `joined`
@tensor var<write> means: tensor<f32>;      // {B, W = chunks, C = channels of both}
@tensor var<write> squares: tensor<f32>;

override joined: bool;
override columns: u32;  // invocations along the slices, neighbours of neighbouring memory
override rows: u32;     // invocations that share the positions of a slice, a power of two
override width: u32;    // slices of an invocation
override chunk: u32;    // positions of a workgroup
override block: u32;

const positions = tensorHeight(x) * tensorWidth(x);

struct Moments {
  count: f32,
  mean: vec4f,
  squares: vec4f,
}

var<workgroup> counts: array<f32, columns * rows>;
var<workgroup> shared_means: array<vec4f, columns * rows>;
var<workgroup> shared_squares: array<vec4f, columns * rows>;

fn loaded(b: u32, position: u32, s: u32) -> vec4f {
  let y = position / tensorWidth(x);
  let column = position % tensorWidth(x);
  if (joined && s >= tensorSlices(x)) {
    return tensorLoad(x2, b, y, column, s - tensorSlices(x));
  }
  return tensorLoad(x, b, y, column, s);
}

fn joined_moments(a: Moments, b: Moments) -> Moments {
  let count = a.count + b.count;
  let share = b.count / max(count, 1.0);
  let difference = b.mean - a.mean;
  return Moments(count, a.mean + difference * share,
                 a.squares + b.squares + difference * difference * (a.count * share));
}

@compute @workgroup_size(columns, rows)
fn channel_statistics(@builtin(workgroup_id) at: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let first = (at.x * columns + local.x) * width;
  let b = at.z;
  let end = min(at.y * chunk + chunk, positions);
  var position = at.y * chunk + local.y;

  var moments: array<Moments, width>;
  for (; position + (block - 1u) * rows < end; position += block * rows) {
    var values: array<vec4f, block * width>;
    @unroll for (var i = 0u; i < block; i++) {
      @unroll for (var j = 0u; j < width; j++) {
        values[i * width + j] = loaded(b, position + i * rows, min(first + j, tensorSlices(means) - 1u));
      }
    }
    @unroll for (var j = 0u; j < width; j++) {
      var sum = values[j];
      @unroll for (var i = 1u; i < block; i++) {
        sum += values[i * width + j];
      }
      let mean = sum * (1.0 / f32(block));
      var sum_of_squares = vec4f();
      @unroll for (var i = 0u; i < block; i++) {
        let difference = values[i * width + j] - mean;
        sum_of_squares += difference * difference;
      }
      moments[j] = joined_moments(moments[j], Moments(f32(block), mean, sum_of_squares));
    }
  }
  for (; position < end; position += rows) {
    @unroll for (var j = 0u; j < width; j++) {
      let value = loaded(b, position, min(first + j, tensorSlices(means) - 1u));
      moments[j] = joined_moments(moments[j], Moments(1.0, value, vec4f()));
    }
  }

  if (rows > 1u) {
    let place = local.y * columns + local.x;
    counts[place] = moments[0].count;
    shared_means[place] = moments[0].mean;
    shared_squares[place] = moments[0].squares;
    for (var stride = rows / 2u; stride > 0u; stride = stride / 2u) {
      workgroupBarrier();
      if (local.y < stride) {
        let other = place + stride * columns;
        moments[0] = joined_moments(moments[0], Moments(counts[other], shared_means[other], shared_squares[other]));
        counts[place] = moments[0].count;
        shared_means[place] = moments[0].mean;
        shared_squares[place] = moments[0].squares;
      }
    }
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
