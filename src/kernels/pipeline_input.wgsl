// Tokens as the pipeline's tiles take them (pipeline_tile): for each tile of tokens and 64 columns, 8 columns after one
// another, as f16, of all tokens of the tile. Of 16 columns the even ones come first. Tokens that fill the last tile are
// zeroes.
import package::active_rows::active_rows;
import package::matrix_operands::position;
import package::parameters::Parameters;

override tile_tokens: u32;
override lanes: u32;    // tokens of a workgroup
override groups: u32;   // and how many sixteens of columns
override columns: u32;  // a multiple of 64

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
  var even: array<u32, 4>;
  var odd: array<u32, 4>;
  if (p < active_rows(tensorBatch(x) * tensorHeight(x) * tensorWidth(x), parameters.tokens)) {
    let place = position(p, x);
    @unroll for (var i = 0u; i < 4u; i++) {
      let s = sixteen * 4u + i;
      let value = prologue(tensorLoad(x, place, s), place.x, place.y, place.z, s);
      even[i] = pack2x16float(value.xz);
      odd[i] = pack2x16float(value.yw);
    }
  }
  let step = p / tile_tokens * (columns / 64u) + sixteen / 4u;
  let to = (step * 8u + sixteen % 4u * 2u) * tile_tokens + p % tile_tokens;
  packed[to] = vec4<u32>(even[0], even[1], even[2], even[3]);
  packed[to + tile_tokens] = vec4<u32>(odd[0], odd[1], odd[2], odd[3]);
}
