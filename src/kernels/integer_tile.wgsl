// The products of integer_linear_tiled, for devices with many narrow lanes: a workgroup multiplies a tile of positions
// with a tile of outputs, `chunks` times 32 columns a step, as words of four integers. An invocation has four outputs
// of `rows` positions; what it multiplies comes from workgroup memory, and the next step's is on its way from memory
// meanwhile.
import package::byte_fields::{Words, has_minimum};
import package::integer_fields::{load_integers, load_scale};

override lanes_o: u32;   // invocations along the outputs
override lanes_p: u32;   // and along the positions
override rows: u32;      // positions of an invocation
override chunks: u32;    // of a step: each invocation loads one of one row of weights
override matrices: u32;  // that are multiplied with the same input
override words: u32;     // of a position, eight a chunk

const invocations = lanes_o * lanes_p;
const tile_rows = 4u * lanes_o;
const tile_positions = rows * lanes_p;
const input_loads = tile_positions * 2u * chunks / invocations;
const scale_loads = tile_positions * chunks / invocations;
const input_stride = tile_positions + 1u;  // spreads the texels over the banks
const all_chunks = words / 8u;
const minimums = select(1u, matrices * chunks * lanes_o, has_minimum);
const_assert tile_rows * chunks == invocations;
const_assert scale_loads * invocations == tile_positions * chunks;
const_assert input_loads * invocations == tile_positions * 2u * chunks;

var<workgroup> input_tile: array<vec4<u32>, chunks * 2u * input_stride>;             // [half a chunk][position]
var<workgroup> input_scales: array<f32, chunks * input_stride>;                      // [chunk][position]
var<workgroup> weight_tile: array<vec4<u32>, matrices * chunks * 8u * lanes_o>;      // [matrix][chunk][word][slice]
var<workgroup> scale_tile: array<vec4f, matrices * chunks * lanes_o>;                // [matrix][chunk][slice]
var<workgroup> minimum_tile: array<vec4f, minimums>;

struct Inputs {
  words: array<vec4<u32>, input_loads>,
  scales: array<f32, scale_loads>,
}

alias Sums = array<vec4f, matrices * rows>;

struct RowChunk {
  integers: Words,
  scale: vec2f,
}

fn load_inputs(q: tensor<u32>, scale: tensor<f32>, first: u32, tokens: u32, begin: u32, t: u32, values: ptr<function, Inputs>) {
  @unroll for (var i = 0u; i < input_loads; i++) {
    let unit = t + i * invocations;
    let texel = 2u * begin + unit % (2u * chunks);
    var value = vec4<u32>();
    if (texel < 2u * all_chunks) {
      value = tensorLoad(q, min(first + unit / (2u * chunks), tokens - 1u), texel);
    }
    (*values).words[i] = value;
  }
  @unroll for (var i = 0u; i < scale_loads; i++) {
    let unit = t + i * invocations;
    let chunk = begin + unit % chunks;
    var value = 0.0;
    if (chunk < all_chunks) {
      value = tensorLoad(scale, min(first + unit / chunks, tokens - 1u), chunk / 4u)[chunk % 4u];
    }
    (*values).scales[i] = value;
  }
}

fn put_inputs(t: u32, values: ptr<function, Inputs>) {
  @unroll for (var i = 0u; i < input_loads; i++) {
    let unit = t + i * invocations;
    input_tile[unit % (2u * chunks) * input_stride + unit / (2u * chunks)] = (*values).words[i];
  }
  @unroll for (var i = 0u; i < scale_loads; i++) {
    let unit = t + i * invocations;
    input_scales[unit % chunks * input_stride + unit / chunks] = (*values).scales[i];
  }
}

fn load_weights(w: weights<f32>, first_row: u32, begin: u32, t: u32) -> RowChunk {
  let row = first_row + t % tile_rows;
  let chunk = begin + t / tile_rows;
  var result: RowChunk;
  if (row < weightsRows(w) && chunk < all_chunks) {
    result = RowChunk(load_integers(w, row, chunk), load_scale(w, row, chunk));
  }
  return result;
}

fn put_weights(matrix: u32, t: u32, values: RowChunk) {
  let slice = t % tile_rows / 4u;
  let place = t % 4u;
  let block = matrix * chunks + t / tile_rows;
  @unroll for (var j = 0u; j < 8u; j++) {
    weight_tile[(block * 8u + j) * lanes_o + slice][place] = values.integers[j];
  }
  scale_tile[block * lanes_o + slice][place] = values.scale.x;
  if (has_minimum) {
    minimum_tile[block * lanes_o + slice][place] = values.scale.y;
  }
}

fn multiply(t: u32, sums: ptr<function, Sums>) {
  let slice = t % lanes_o;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    @unroll for (var matrix = 0u; matrix < matrices; matrix++) {
      let block = matrix * chunks + chunk;
      var products: array<vec4<i32>, rows>;
      var totals: array<i32, rows>;
      @unroll for (var half = 0u; half < 2u; half++) {
        let at = (block * 8u + half * 4u) * lanes_o + slice;
        let a = weight_tile[at];
        let b = weight_tile[at + lanes_o];
        let c = weight_tile[at + 2u * lanes_o];
        let d = weight_tile[at + 3u * lanes_o];
        @unroll for (var r = 0u; r < rows; r++) {
          let x = input_tile[(chunk * 2u + half) * input_stride + t / lanes_o + r * lanes_p];
          @unroll for (var o = 0u; o < 4u; o++) {
            products[r][o] = products[r][o] + dot4I8Packed(a[o], x.x) + dot4I8Packed(b[o], x.y) +
                             dot4I8Packed(c[o], x.z) + dot4I8Packed(d[o], x.w);
          }
          if (has_minimum) {
            totals[r] = totals[r] + dot4I8Packed(0x01010101u, x.x) + dot4I8Packed(0x01010101u, x.y) +
                        dot4I8Packed(0x01010101u, x.z) + dot4I8Packed(0x01010101u, x.w);
          }
        }
      }
      let scale = scale_tile[block * lanes_o + slice];
      @unroll for (var r = 0u; r < rows; r++) {
        let i = matrix * rows + r;
        let factor = input_scales[chunk * input_stride + t / lanes_o + r * lanes_p];
        (*sums)[i] = fma(scale * factor, vec4f(products[r]), (*sums)[i]);
        if (has_minimum) {
          (*sums)[i] = fma(minimum_tile[block * lanes_o + slice] * factor, vec4f(f32(totals[r])), (*sums)[i]);
        }
      }
    }
  }
}
