// The input of a convolution as its window sees it: repeated, padded with zeros, read at a stride. A window of one tap
// is a matrix times each position.
override window_w: u32;
override taps: u32;
override stride: u32;
override pad_top: u32;
override pad_left: u32;
override upsample: u32;
override repeated_h: u32;  // extents of the input after upsampling
override repeated_w: u32;
override is_bordered: bool;  // whether a window reaches beyond the input
override is_joined: bool;    // whether the channels of x2 come after those of x

@fusion fn prologue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

struct Position {
  b: u32,
  y: u32,
  x: u32,
}

// Positions in the order of buffers: the batch innermost.
fn position(y: tensor<f32>, p: u32) -> Position {
  let pixel = p / tensorBatch(y);
  return Position(p % tensorBatch(y), pixel / tensorWidth(y), pixel % tensorWidth(y));
}

// Slices of the joined inputs: those of one tap.
fn input_slices(x: tensor<f32>, x2: tensor<f32>) -> u32 {
  return tensorSlices(x) + select(0u, tensorSlices(x2), is_joined);
}

// Whether a row and column of the padded input are no padding.
fn is_inside(row: u32, column: u32) -> bool {
  return !is_bordered || (row >= pad_top && row < pad_top + repeated_h && column >= pad_left &&
                          column < pad_left + repeated_w);
}

// What is there, inside.
fn loaded(x: tensor<f32>, x2: tensor<f32>, b: u32, row: u32, column: u32, s: u32) -> vec4f {
  let h = (row - pad_top) / upsample;
  let w = (column - pad_left) / upsample;
  var value: vec4f;
  if (is_joined && s >= tensorSlices(x)) {
    value = tensorLoad(x2, b, h, w, s - tensorSlices(x));
  } else {
    value = tensorLoad(x, b, h, w, s);
  }
  return prologue(value, b, h, w, s);
}
