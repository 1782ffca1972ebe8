// Tokens as the pipeline's tiles take them (pipeline_tile): for each tile of tokens and 64 columns, 8 columns after one
// another, as f16, of all tokens of the tile (Layout::tile). Of 16 columns the even ones come first, where weights are decoded so. Tokens
// that fill the last tile are zeroes.
import package::active_rows::active_rows;
import package::matrix_operands::position;
import package::parameters::Parameters;

override tile_tokens: u32;
override lanes: u32;    // tokens of a workgroup
override groups: u32;   // and how many sixteens of columns
override columns: u32;  // a multiple of 64
override even_first: bool;

@tensor var<read> x: tensor<f32>;
var<storage, read_write> packed: array<vec4<u32>>;
var<uniform> parameters: Parameters;

@fusion fn prologue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes, groups)
fn pipeline_input(@builtin(global_invocation_id) at: vec3u) {
  let p = at.x;
  let sixteen = at.y;
  if (sixteen >= columns / 16u) {
    return;
  }
  var first: vec4<u32>;
  var second: vec4<u32>;
  if (p < active_rows(tensorBatch(x) * tensorHeight(x) * tensorWidth(x), parameters.tokens)) {
    let place = position(p, x);
    var values: array<vec4f, 4>;
    @unroll for (var i = 0u; i < 4u; i++) {
      let s = sixteen * 4u + i;
      values[i] = prologue(tensorLoad(x, place, s), place.x, place.y, place.z, s);
    }
    if (even_first) {
      first = vec4<u32>(pack2x16float(values[0].xz), pack2x16float(values[1].xz), pack2x16float(values[2].xz),
                        pack2x16float(values[3].xz));
      second = vec4<u32>(pack2x16float(values[0].yw), pack2x16float(values[1].yw), pack2x16float(values[2].yw),
                         pack2x16float(values[3].yw));
    } else {
      first = vec4<u32>(pack2x16float(values[0].xy), pack2x16float(values[0].zw), pack2x16float(values[1].xy),
                        pack2x16float(values[1].zw));
      second = vec4<u32>(pack2x16float(values[2].xy), pack2x16float(values[2].zw), pack2x16float(values[3].xy),
                         pack2x16float(values[3].zw));
    }
  }
  let step = p / tile_tokens * (columns / 64u) + sixteen / 4u;
  let to = (step * 8u + sixteen % 4u * 2u) * tile_tokens + p % tile_tokens;
  packed[to] = first;
  packed[to + tile_tokens] = second;
}
