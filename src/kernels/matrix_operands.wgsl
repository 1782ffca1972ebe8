// What enters a tile of a matrix product: the input of a convolution under its window, and packed weights, both as f16.
//
// Positions are counted with the batch innermost, then columns, then rows: neighbours in memory. A column of the
// product is a tap of the window and a channel; x may be two tensors joined along the channels.
import package::matrix_tile::{depth, input_row, input_unit, input_units, weight_row, weight_unit, weight_units};

override window_w: u32;
override taps: u32;
override stride: u32;
override pad_top: u32;
override pad_left: u32;
override upsample: u32;
override repeated_h: u32;  // extents of the input after repetition and cropping
override repeated_w: u32;
override joined: bool;        // whether x2 follows x
override transforms: bool;    // x is loaded through the prologue
override half_weights: bool;  // weights are f16 as they are

@fusion fn prologue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

const outside = -0x1000000;  // a row that no tap brings into the input

// A position of the output: (batch, row, column).
fn position(p: u32, y: tensor<f32>) -> vec3u {
  const batch = tensorBatch(y);
  const width = tensorWidth(y);
  return vec3u(p % batch, p / (batch * width), p / batch % width);
}

// Where the window of each row of the tile begins in the repeated input: (batch, row, column).
fn find_windows(t: u32, first: u32, positions: u32, y: tensor<f32>, windows: ptr<function, array<vec3i, input_units>>) {
  @unroll for (var n = 0u; n < input_units; n++) {
    let p = first + input_row(t, n);
    let at = vec3i(position(p, y));
    let row = select(outside, at.y * i32(stride) - i32(pad_top), p < positions);
    (*windows)[n] = vec3i(at.x, row, at.z * i32(stride) - i32(pad_left));
  }
}

// (row, column) of the tap and the slice in the input that slice q of the columns is.
fn tap_of(q: u32, slices: u32) -> vec3i {
  if (taps == 1u) {
    return vec3i(select(outside, 0, q < slices), 0, i32(q));
  }
  let tap = q / slices;
  return vec3i(select(outside, i32(tap / window_w), tap < taps), i32(tap % window_w), i32(q % slices));
}

// Slice s of the joined channels, as four f16.
fn loaded(x: tensor<f32>, x2: tensor<f32>, b: u32, row: u32, column: u32, s: u32) -> vec2<u32> {
  if (transforms) {
    if (joined && s >= tensorSlices(x)) {
      return packed(prologue(tensorLoad(x2, b, row, column, s - tensorSlices(x)), b, row, column, s));
    }
    return packed(prologue(tensorLoad(x, b, row, column, s), b, row, column, s));
  }
  if (joined && s >= tensorSlices(x)) {
    return tensorLoadHalves(x2, b, row, column, s - tensorSlices(x));
  }
  return tensorLoadHalves(x, b, row, column, s);
}

fn input_slice(x: tensor<f32>, x2: tensor<f32>, window: vec3i, tap: vec3i) -> vec2<u32> {
  var bits = vec2<u32>();
  let row = u32(window.y + tap.x);
  let column = u32(window.z + tap.y);
  if (row < repeated_h && column < repeated_w) {
    bits = loaded(x, x2, u32(window.x), row / upsample, column / upsample, u32(tap.z));
  }
  return bits;
}

// Two slices of one tensor under one tap.
fn input_pair(x: tensor<f32>, x2: tensor<f32>, window: vec3i, tap: vec3i) -> vec4<u32> {
  var bits = vec4<u32>();
  let row = u32(window.y + tap.x);
  let column = u32(window.z + tap.y);
  if (row < repeated_h && column < repeated_w) {
    let b = u32(window.x);
    let y = row / upsample;
    let at = column / upsample;
    let s = u32(tap.z);
    bits = vec4<u32>(loaded(x, x2, b, y, at, s), loaded(x, x2, b, y, at, s + 1u));
  }
  return bits;
}

fn load_inputs(x: tensor<f32>, x2: tensor<f32>, step: u32, t: u32, windows: ptr<function, array<vec3i, input_units>>,
               units: ptr<function, array<vec4<u32>, input_units>>) {
  let slices = tensorSlices(x) + select(0u, tensorSlices(x2), joined);
  let q = step * (depth / 4u) + input_unit(t) * 2u;
  let low = tap_of(q, slices);
  if (slices % 2u == 0u && (!joined || tensorSlices(x) % 2u == 0u)) {
    @unroll for (var n = 0u; n < input_units; n++) {
      (*units)[n] = input_pair(x, x2, (*windows)[n], low);
    }
  } else {
    let high = tap_of(q + 1u, slices);
    @unroll for (var n = 0u; n < input_units; n++) {
      (*units)[n] = vec4<u32>(input_slice(x, x2, (*windows)[n], low), input_slice(x, x2, (*windows)[n], high));
    }
  }
}

fn packed(value: vec4f) -> vec2<u32> {
  return vec2<u32>(pack2x16float(value.xy), pack2x16float(value.zw));
}

// Eight columns of a row; rows past the last repeat it.
fn load_unit(w: weights<f32>, row: u32, step: u32, unit: u32) -> vec4<u32> {
  let r = min(row, weightsRows(w) - 1u);
  if (half_weights) {
    return weightsWords(w, r, step, unit);
  }
  let s = step * (depth / 4u) + unit * 2u;
  return vec4<u32>(packed(weightsLoad(w, r, s)), packed(weightsLoad(w, r, s + 1u)));
}

fn load_weights(w: weights<f32>, first: u32, step: u32, t: u32, units: ptr<function, array<vec4<u32>, weight_units>>) {
  @unroll for (var n = 0u; n < weight_units; n++) {
    (*units)[n] = load_unit(w, first + weight_row(t, n), step, weight_unit(t, n));
  }
}

// The last slice of a tensor holds zeroes where it has no channel.
fn without_padding(value: vec4f, s: u32, channels: u32) -> vec4f {
  if (channels % 4u == 0u) {
    return value;
  }
  return select(vec4f(), value, vec4u(s * 4u) + vec4u(0u, 1u, 2u, 3u) < vec4u(channels));
}
