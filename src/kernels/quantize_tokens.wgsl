// Integers of tokens: q = round(x / scale), scale = the largest magnitude of 32 channels over 127. A workgroup a token,
// 32 channels an invocation at a time.
import package::quantize::{inverse_of, largest_of, load_chunk, packed, scale_of, whole};

override packs: bool;  // words of four integers, their scales and sums; else the values that the integers stand for
override lanes: u32;

@tensor var<read> x: tensor<f32>;
@tensor var<write> words: tensor<u32>;   // eight for each 32 channels
@tensor var<write> scale: tensor<f32>;   // of these
@tensor var<write> sums: tensor<f32>;    // of what they stand for
@tensor var<write> values: tensor<f32>;  // where it does not pack

const chunks = (tensorSlices(x) + 7u) / 8u;
const padded = 4u * ((chunks + 3u) / 4u);

var<workgroup> chunk_scales: array<f32, padded>;
var<workgroup> chunk_sums: array<f32, padded>;

@compute @workgroup_size(lanes)
fn quantize_tokens(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = group.x;
  for (var chunk = local.x; chunk < padded; chunk += lanes) {
    var chunk_scale = 0.0;
    var total = 0.0;
    if (chunk < chunks) {
      let channels = load_chunk(x, token, chunk);
      let largest = largest_of(channels);
      let inverse = inverse_of(largest);
      chunk_scale = scale_of(largest);
      if (packs) {
        var bits: array<u32, 8>;
        var sum = vec4f();
        @unroll for (var i = 0u; i < 8u; i++) {
          bits[i] = packed(channels[i], inverse);
          sum += whole(channels[i], inverse);
        }
        tensorStore(words, token, 2u * chunk, vec4<u32>(bits[0], bits[1], bits[2], bits[3]));
        tensorStore(words, token, 2u * chunk + 1u, vec4<u32>(bits[4], bits[5], bits[6], bits[7]));
        total = chunk_scale * dot(sum, vec4f(1.0));
      } else {
        @unroll for (var i = 0u; i < 8u; i++) {
          if (8u * chunk + i < tensorSlices(x)) {
            tensorStore(values, token, 8u * chunk + i, whole(channels[i], inverse) * chunk_scale);
          }
        }
      }
    }
    if (packs) {
      chunk_scales[chunk] = chunk_scale;
      chunk_sums[chunk] = total;
    }
  }
  if (packs) {
    workgroupBarrier();
    for (var i = local.x; i < padded / 4u; i += lanes) {
      tensorStore(scale, token, i, vec4f(chunk_scales[4u * i], chunk_scales[4u * i + 1u], chunk_scales[4u * i + 2u],
                                         chunk_scales[4u * i + 3u]));
      tensorStore(sums, token, i, vec4f(chunk_sums[4u * i], chunk_sums[4u * i + 1u], chunk_sums[4u * i + 2u],
                                        chunk_sums[4u * i + 3u]));
    }
  }
}
