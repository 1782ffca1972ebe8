// The products of conv_wide and gated_conv_wide, for devices whose invocations run on wide registers (CPUs): sixteen
// rows of weights in a vec16 times `tile` positions.
//
// The columns of a convolution's weights are the taps of its window, each with the slices of the input's channels. For
// `block` of these slices the inputs of all positions are gathered first; then sixteen rows after sixteen rows are
// multiplied with them. So borders, strides, joined inputs and the prologue cost little, and the loop of the products is
// one for all shapes.
override tile: u32;    // positions of a workgroup
override groups: u32;  // times sixteen rows of a workgroup
override block: u32;   // slices gathered at once
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

// Four sums for each position break the chain of dependent additions where there are too few to hide it.
const chains = select(1u, 4u, tile < 4u);

alias Patch = array<f32, block * 4u * tile>;  // [slice][channel of it][position]
alias Sums = array<vec16<f32>, groups * tile * chains>;

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

fn input_slices(x: tensor<f32>, x2: tensor<f32>) -> u32 {
  return tensorSlices(x) + select(0u, tensorSlices(x2), is_joined);
}

fn loaded(x: tensor<f32>, x2: tensor<f32>, b: u32, row: u32, column: u32, s: u32) -> vec4f {
  var value: vec4f;
  if (is_joined && s >= tensorSlices(x)) {
    value = tensorLoad(x2, b, row, column, s - tensorSlices(x));
  } else {
    value = tensorLoad(x, b, row, column, s);
  }
  return prologue(value, b, row, column, s);
}

// Gathers `count` slices from slice `begin` of the columns, for the positions from `first`; those past the last repeat it.
fn gather(x: tensor<f32>, x2: tensor<f32>, y: tensor<f32>, tokens: u32, first: u32, begin: u32, count: u32,
          gathered: ptr<function, Patch>) {
  let slices = input_slices(x, x2);
  for (var t = 0u; t < tile; t++) {
    let at = position(y, min(first + t, tensorHeight(y) * tensorWidth(y) * tensorBatch(y) - 1u));
    var tap = begin / slices;
    var s = begin % slices;
    var k = 0u;
    while (k < count) {
      let end = min(slices, s + count - k);
      let row = at.y * stride + tap / window_w;
      let column = min(at.x, tokens - 1u) * stride + tap % window_w;
      let is_inside = !is_bordered || (row >= pad_top && row < pad_top + repeated_h && column >= pad_left &&
                                       column < pad_left + repeated_w);
      for (; s < end; s++) {
        var value = vec4f();
        if (is_inside) {
          value = loaded(x, x2, at.b, (row - pad_top) / upsample, (column - pad_left) / upsample, s);
        }
        (*gathered)[4u * k * tile + t] = value.x;
        (*gathered)[(4u * k + 1u) * tile + t] = value.y;
        (*gathered)[(4u * k + 2u) * tile + t] = value.z;
        (*gathered)[(4u * k + 3u) * tile + t] = value.w;
        k++;
      }
      s = 0u;
      tap++;
    }
  }
}

// Adds the gathered slices times the sixteen rows `rows` to the sums number `group`.
fn multiply(w: weights<vec16<f32>>, rows: u32, begin: u32, count: u32, group: u32, gathered: ptr<function, Patch>,
            sums: ptr<function, Sums>) {
  const width = tile * chains;
  var chain: array<vec16<f32>, width>;
  @unroll for (var i = 0u; i < width; i++) {
    chain[i] = (*sums)[group * width + i];
  }
  for (var k = 0u; k < count; k++) {
    let values = weightsLoadPart(w, rows, (begin + k) / 8u, (begin + k) % 8u);
    let place = 4u * k * tile;
    @unroll for (var c = 0u; c < 4u; c++) {
      @unroll for (var t = 0u; t < tile; t++) {
        let i = t * chains + c % chains;
        chain[i] = fma(values[c], vec16<f32>((*gathered)[place + c * tile + t]), chain[i]);
      }
    }
  }
  @unroll for (var i = 0u; i < width; i++) {
    (*sums)[group * width + i] = chain[i];
  }
}

fn clear(group: u32, sums: ptr<function, Sums>) {
  for (var i = 0u; i < tile * chains; i++) {
    (*sums)[group * tile * chains + i] = vec16<f32>();
  }
}

// What is summed for position t.
fn total(sums: ptr<function, Sums>, group: u32, t: u32) -> vec16<f32> {
  let first = (group * tile + t) * chains;
  var sum = (*sums)[first];
  @unroll for (var i = 1u; i < chains; i++) {
    sum += (*sums)[first + i];
  }
  return sum;
}
