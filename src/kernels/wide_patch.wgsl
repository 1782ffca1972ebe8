// The products of conv_wide and gated_image_wide, for devices whose invocations run on wide registers (CPUs): sixteen
// rows of weights in a vec16 times `tile` positions.
//
// The columns of a convolution's weights are the taps of its window, each with the slices of the input's channels. For
// `block` of these slices the inputs of all positions are gathered first; then sixteen rows after sixteen rows are
// multiplied with them. So borders, strides, joined inputs and the prologue cost little, and the loop of the products
// is one for all shapes.
import package::window::{window_w, stride, position, input_slices, is_inside, loaded};

override tile: u32;    // positions of a workgroup
override groups: u32;  // times sixteen rows of a workgroup
override block: u32;   // slices gathered at once

// Four sums for each position break the chain of dependent additions where there are too few to hide it.
const chains = select(1u, 4u, tile < 4u);

alias Patch = array<f32, block * 4u * tile>;  // [slice][channel of it][position]
alias Sums = array<vec16<f32>, groups * tile * chains>;

// Gathers `count` slices from slice `begin` of the columns, for the positions from `first`; those past the last repeat
// it.
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
      let has_value = is_inside(row, column);
      for (; s < end; s++) {
        var value = vec4f();
        if (has_value) {
          value = loaded(x, x2, at.b, row, column, s);
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
