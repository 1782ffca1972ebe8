// The products of conv_tiled and gated_image_tiled, for devices with many narrow lanes: a workgroup multiplies a tile
// of positions with a tile of outputs, `depth` slices of the columns a step. An invocation has four outputs, one slice,
// of `rows` positions; what it multiplies comes from workgroup memory, and the next step's is on its way from memory
// meanwhile.
import package::window::{window_w, stride, Position, position, input_slices, is_inside, loaded};

override lanes_o: u32;   // invocations along the outputs
override lanes_p: u32;   // and along the positions
override rows: u32;      // positions of an invocation
override depth: u32;     // slices of a step; divides lanes_o * lanes_p
override matrices: u32;  // that are multiplied with the same input

const invocations = lanes_o * lanes_p;
const tile_positions = rows * lanes_p;
const input_loads = rows * depth / lanes_o;                           // of an invocation in a step
const weight_loads = (lanes_o * depth + invocations - 1u) / invocations;  // of four rows each
const stride_inputs = tile_positions + 1u;                            // spreads the slices over the banks
const matrix_size = depth * 4u * lanes_o;

var<workgroup> input_tile: array<vec4f, depth * stride_inputs>;   // [slice][position]
var<workgroup> weight_tile: array<vec4f, matrices * matrix_size>;  // [matrix][slice][column of it][four outputs]

alias Positions = array<Position, input_loads>;
alias Inputs = array<vec4f, input_loads>;
alias Weights = array<vec4f, weight_loads * 4u>;
alias Sums = array<vec4f, rows>;

// The positions whose input invocation t loads: slice t % depth of a step, `invocations / depth` positions apart. Those
// past the last repeat it.
fn find_positions(y: tensor<f32>, tokens: u32, first: u32, t: u32, places: ptr<function, Positions>) {
  @unroll for (var i = 0u; i < input_loads; i++) {
    let p = first + t / depth + i * (invocations / depth);
    let at = position(y, min(p, tensorHeight(y) * tensorWidth(y) * tensorBatch(y) - 1u));
    (*places)[i] = Position(at.b, at.y * stride, min(at.x, tokens - 1u) * stride);
  }
}

fn load_inputs(x: tensor<f32>, x2: tensor<f32>, columns: u32, begin: u32, t: u32, places: ptr<function, Positions>,
               values: ptr<function, Inputs>) {
  let slices = input_slices(x, x2);
  let k = begin + t % depth;
  let tap = k / slices;
  let s = k % slices;
  @unroll for (var i = 0u; i < input_loads; i++) {
    let row = (*places)[i].y + tap / window_w;
    let column = (*places)[i].x + tap % window_w;
    var value = vec4f();
    if (k < columns && is_inside(row, column)) {
      value = loaded(x, x2, (*places)[i].b, row, column, s);
    }
    (*values)[i] = value;
  }
}

fn put_inputs(t: u32, values: ptr<function, Inputs>) {
  @unroll for (var i = 0u; i < input_loads; i++) {
    input_tile[t % depth * stride_inputs + t / depth + i * (invocations / depth)] = (*values)[i];
  }
}

fn row_of(w: weights<f32>, row: u32, slice: u32, columns: u32) -> vec4f {
  var value = vec4f();
  if (row < weightsRows(w) && slice < columns) {
    value = weightsLoad(w, row, slice);
  }
  return value;
}

fn load_weights(w: weights<f32>, first_slice: u32, columns: u32, begin: u32, t: u32, values: ptr<function, Weights>) {
  @unroll for (var i = 0u; i < weight_loads; i++) {
    let place = t + i * invocations;
    let row = 4u * (first_slice + place % lanes_o);
    @unroll for (var r = 0u; r < 4u; r++) {
      (*values)[4u * i + r] = row_of(w, row + r, begin + place / lanes_o, columns);
    }
  }
}

fn put_weights(matrix: u32, t: u32, values: ptr<function, Weights>) {
  @unroll for (var i = 0u; i < weight_loads; i++) {
    let place = t + i * invocations;
    if (place < lanes_o * depth) {
      let at = matrix * matrix_size + place / lanes_o * 4u * lanes_o + place % lanes_o;
      let a = (*values)[4u * i];
      let b = (*values)[4u * i + 1u];
      let c = (*values)[4u * i + 2u];
      let d = (*values)[4u * i + 3u];
      weight_tile[at] = vec4f(a.x, b.x, c.x, d.x);
      weight_tile[at + lanes_o] = vec4f(a.y, b.y, c.y, d.y);
      weight_tile[at + 2u * lanes_o] = vec4f(a.z, b.z, c.z, d.z);
      weight_tile[at + 3u * lanes_o] = vec4f(a.w, b.w, c.w, d.w);
    }
  }
}

fn multiply(matrix: u32, t: u32, sums: ptr<function, Sums>) {
  for (var k = 0u; k < depth; k++) {
    let at = matrix * matrix_size + k * 4u * lanes_o + t % lanes_o;
    let a = weight_tile[at];
    let b = weight_tile[at + lanes_o];
    let c = weight_tile[at + 2u * lanes_o];
    let d = weight_tile[at + 3u * lanes_o];
    @unroll for (var r = 0u; r < rows; r++) {
      let v = input_tile[k * stride_inputs + t / lanes_o + r * lanes_p];
      var sum = fma(vec4f(v.x), a, (*sums)[r]);
      sum = fma(vec4f(v.y), b, sum);
      sum = fma(vec4f(v.z), c, sum);
      (*sums)[r] = fma(vec4f(v.w), d, sum);
    }
  }
}
