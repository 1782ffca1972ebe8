// An image as the pipeline's tiles take it under a window (pipeline_tile): for each 8 channels a plane of positions, as
// f16, the zeroes around the image among them. A row of it is as wide as those of the output and what the window reaches
// beyond, so that the positions that a tap reads for neighbouring outputs are neighbours too. Joined, repeated and
// transformed once, where each tap and each row of tiles would do it again.
import package::joined_input::joined_load;

override lanes: u32;     // positions of a workgroup
override groups: u32;    // and how many sixteens of channels
override channels: u32;  // a multiple of 64
override plane: u32;     // positions of a plane
override row_width: u32; // of a padded row
override pad_top: u32;
override pad_left: u32;
override upsample: u32;
override repeated_h: u32;  // extents of the input after repetition and cropping
override repeated_w: u32;

@tensor var<read> x: tensor<f32>;
@tensor var<read> x2: tensor<f32>;
var<storage, read_write> planes: array<vec4<u32>>;

@fusion fn prologue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

fn loaded(b: u32, row: u32, column: u32, s: u32) -> vec2<u32> {
  let ready = prologue(joined_load(x, x2, b, row, column, s), b, row, column, s);
  return vec2<u32>(pack2x16float(ready.xy), pack2x16float(ready.zw));
}

@compute @workgroup_size(lanes, groups)
fn pipeline_image(@builtin(global_invocation_id) at: vec3u) {
  let p = at.x;
  let sixteen = at.y;
  if (p >= plane || sixteen >= channels / 16u) {
    return;
  }
  const batch = tensorBatch(x);
  let b = p % batch;
  // Of a position left of the image or above it the difference is large.
  let column = p / batch % row_width - pad_left;
  let row = p / (batch * row_width) - pad_top;
  var first: vec4<u32>;
  var second: vec4<u32>;
  if (row < repeated_h && column < repeated_w) {
    let s = sixteen * 4u;
    let from_row = row / upsample;
    let from_column = column / upsample;
    first = vec4<u32>(loaded(b, from_row, from_column, s), loaded(b, from_row, from_column, s + 1u));
    second = vec4<u32>(loaded(b, from_row, from_column, s + 2u), loaded(b, from_row, from_column, s + 3u));
  }
  planes[2u * sixteen * plane + p] = first;
  planes[(2u * sixteen + 1u) * plane + p] = second;
}
