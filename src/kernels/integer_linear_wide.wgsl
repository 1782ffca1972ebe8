// y[t, r] = sum over c of w[r, c] scale[t, c / 32] q[t, c] of integers q, for devices whose invocations run on wide
// registers: sixteen rows an invocation in one vec16, `tile` tokens at once share each word of weights; with two
// matrices activation(gate x) * (up x).
//
// The bytes of weights are unsigned, as the processor's product of four bytes has it: what was added to make them so,
// and the minimum of a format that has one, is multiplied with the sum of the integers.
import package::active_rows::active_rows;
import package::integer_wide_fields::{load_scales, load_word};
import package::parameters::Parameters;
import package::wide_fields::slice_of;

override tile: u32;      // tokens of a workgroup
override matrices: u32;  // that are multiplied with the same input
override words: u32;     // of a token, eight a chunk of 32 columns

// Four sums for each token break the chain of dependent products where there are too few tokens to hide it.
const chains = select(1u, 4u, tile < 4u);

@weights var<read> w: weights<vec16<f32>>;
@weights var<read> up: weights<vec16<f32>>;
@tensor var<read> q: tensor<u32>;
@tensor var<read> sums: tensor<f32>;  // of each 32 columns: of scale times q
@tensor var<read> scale: tensor<f32>;
@tensor var<write> y: tensor<f32>;
var<uniform> parameters: Parameters;

// The scales of sixteen rows, where the format has them.
@fusion fn row_scales(rows: u32) -> vec16<f32> {
  return vec16<f32>(1.0);
}

@fusion fn up_row_scales(rows: u32) -> vec16<f32> {
  return vec16<f32>(1.0);
}

@fusion fn activation(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn up_bias(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

fn add_wide(w: weights<vec16<f32>>, rows: u32, first: u32, tokens: u32, values: ptr<function, array<vec16<f32>, tile>>) {
  const chunks = words / 8u;
  for (var chunk = 0u; chunk < chunks; chunk++) {
    var products: array<vec16<i32>, tile * chains>;
    @unroll for (var part = 0u; part < 8u; part++) {
      let integers = load_word(w, rows, chunk, part);
      @unroll for (var t = 0u; t < tile; t++) {
        let input = tensorLoad(q, min(first + t, tokens - 1u), chunk * 2u + part / 4u);
        let i = t * chains + part % chains;
        products[i] = products[i] + dot4U8I8Packed(integers, vec16<u32>(input[part % 4u]));
      }
    }
    let scales = load_scales(w, rows, chunk);
    @unroll for (var t = 0u; t < tile; t++) {
      let token = min(first + t, tokens - 1u);
      let factor = tensorLoad(scale, token, chunk / 4u)[chunk % 4u];
      let total = tensorLoad(sums, token, chunk / 4u)[chunk % 4u];
      var product = products[t * chains];
      @unroll for (var i = 1u; i < chains; i++) {
        product += products[t * chains + i];
      }
      (*values)[t] = fma(scales.scale * vec16<f32>(factor), vec16<f32>(product),
                         fma(scales.minimum, vec16<f32>(total), (*values)[t]));
    }
  }
}

@compute @workgroup_size(1)
fn integer_linear_wide(@builtin(workgroup_id) at: vec3u) {
  let first = at.y * tile;
  let tokens = active_rows(tensorWidth(y), parameters.tokens);
  var gates: array<vec16<f32>, tile>;
  var ups: array<vec16<f32>, tile>;
  add_wide(w, at.x, first, tokens, &gates);
  if (matrices > 1u) {
    add_wide(up, at.x, first, tokens, &ups);
  }
  let scales = row_scales(at.x);
  var up_scales = vec16<f32>();
  if (matrices > 1u) {
    up_scales = up_row_scales(at.x);
  }
  @unroll for (var t = 0u; t < tile; t++) {
    if (first + t < tokens) {
      @unroll for (var i = 0u; i < 4u; i++) {
        let s = at.x * 4u + i;
        if (s < tensorSlices(y)) {
          var value = slice_of(gates[t] * scales, i);
          if (matrices > 1u) {
            value = activation(value, 0u, 0u, first + t, s) *
                    up_bias(slice_of(ups[t] * up_scales, i), 0u, 0u, first + t, s);
          }
          tensorStore(y, first + t, s, epilogue(value, 0u, 0u, first + t, s));
        }
      }
    }
  }
}
