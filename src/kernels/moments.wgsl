// Moments of channels over positions: how many values, their mean, and the sum of squared differences from it. An
// invocation takes every so manieth position of `width` slices; the rows of a workgroup are joined.
//
// Positions are taken in blocks whose loads are all on their way before the first is used. Each block has its own mean,
// and is joined to those before it by the formula of Chan, Golub and LeVeque: nothing is ever the difference of large
// sums.
import package::joined_input::joined_load;

override columns: u32;     // invocations along the slices, neighbours of neighbouring memory
override rows: u32;        // invocations that share the positions of a slice, a power of two
override width: u32 = 1;   // slices of an invocation
override block: u32;

struct Moments {
  count: f32,
  mean: vec4f,
  squares: vec4f,
}

alias SliceMoments = array<Moments, width>;

@uninitialized var<workgroup> counts: array<f32, columns * rows>;
@uninitialized var<workgroup> shared_means: array<vec4f, columns * rows>;
@uninitialized var<workgroup> shared_squares: array<vec4f, columns * rows>;

fn joined_moments(a: Moments, b: Moments) -> Moments {
  let count = a.count + b.count;
  let share = b.count / max(count, 1.0);
  let difference = b.mean - a.mean;
  return Moments(count, a.mean + difference * share,
                 a.squares + b.squares + difference * difference * (a.count * share));
}

// Slice s of x and x2 at a position; past the last of the `slices` of both, that one.
fn loaded(x: tensor<f32>, x2: tensor<f32>, b: u32, position: u32, s: u32, slices: u32) -> vec4f {
  return joined_load(x, x2, b, position / tensorWidth(x), position % tensorWidth(x), min(s, slices - 1u));
}

// Adds the positions begin, begin + rows, ... below `end` of the slices from `first` on.
fn add_positions(x: tensor<f32>, x2: tensor<f32>, b: u32, begin: u32, end: u32, first: u32, slices: u32,
                 moments: ptr<function, SliceMoments>) {
  var position = begin;
  for (; position + (block - 1u) * rows < end; position += block * rows) {
    var values: array<vec4f, block * width>;
    @unroll for (var i = 0u; i < block; i++) {
      @unroll for (var j = 0u; j < width; j++) {
        values[i * width + j] = loaded(x, x2, b, position + i * rows, first + j, slices);
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
      (*moments)[j] = joined_moments((*moments)[j], Moments(f32(block), mean, sum_of_squares));
    }
  }
  for (; position < end; position += rows) {
    @unroll for (var j = 0u; j < width; j++) {
      let value = loaded(x, x2, b, position, first + j, slices);
      (*moments)[j] = joined_moments((*moments)[j], Moments(1.0, value, vec4f()));
    }
  }
}

fn put(place: u32, moments: Moments) {
  counts[place] = moments.count;
  shared_means[place] = moments.mean;
  shared_squares[place] = moments.squares;
}

// Joins what the rows of the workgroup have, of one slice each. The first row gets it, and workgroup memory the same,
// at the place of the column.
fn join_rows(column: u32, row: u32, moments: Moments) -> Moments {
  let place = row * columns + column;
  var all = moments;
  put(place, all);
  for (var stride = rows / 2u; stride > 0u; stride = stride / 2u) {
    workgroupBarrier();
    if (row < stride) {
      let other = place + stride * columns;
      all = joined_moments(all, Moments(counts[other], shared_means[other], shared_squares[other]));
      put(place, all);
    }
  }
  return all;
}
