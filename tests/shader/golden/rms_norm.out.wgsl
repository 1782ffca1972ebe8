@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> gamma: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> y: array<vec2<u32>>;
var<workgroup> reduce_scratch: array<f32, 32>;

fn pack_halves(v: vec4<f32>) -> vec2<u32> {
  return vec2<u32>(pack2x16float(v.xy), pack2x16float(v.zw));
}

fn workgroup_sum(value: f32, lane: u32) -> f32 {
  reduce_scratch[lane] = value;
  workgroupBarrier();
  for (var stride = 16u; stride > 0u; stride = stride / 2u) {
    if (lane < stride) {
      reduce_scratch[lane] += reduce_scratch[lane + stride];
    }
    workgroupBarrier();
  }
  let result = reduce_scratch[0];
  workgroupBarrier();
  return result;
}

@compute @workgroup_size(32, 1, 1)
fn rms_norm(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  var squares = 0.0f;
  for (var s = local.x; s < 144u; s += 32u) {
    let v = x[s * 4u + at.x];
    squares += dot(v, v);
  }
  let scale = inverseSqrt(workgroup_sum(squares, local.x) / 576.0f + 1e-5f);
  for (var s_1 = local.x; s_1 < 144u; s_1 += 32u) {
    y[s_1 * 4u + at.x] = pack_halves(x[s_1 * 4u + at.x] * scale * gamma[s_1]);
  }
}
