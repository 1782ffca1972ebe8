// tensor: x f16 2,3,4,1,10
// tensor: y f32 2,3,4,1,10
// Vector coordinates are taken apart; extents are numbers.
@tensor var<read> x: tensor<f32>;
@tensor var<read_write> y: tensor<f32>;
const slices = tensorSlices(x);

fn place() -> vec2u { return vec2u(1, 2); }

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) at: vec3u) {
  var sum: array<vec4f, slices>;
  for (var s = 0u; s < slices; s++) {
    sum[s] = tensorLoad(x, at, s) + tensorLoad(x, at.zyx, s);
  }
  let a = tensorLoad(x, at + vec3u(0, 1, 0), 2);
  let b = tensorLoad(x, vec2u(at.x, 1), 0u, 0);
  let c = tensorLoad(x, place(), 0);
  let d = tensorLoad(x, vec2i(at.xy), -1 + i32(at.z));
  tensorStore(y, at, 0, sum[0] * f32(tensorChannels(y)) + f32(tensorBatch(y) * tensorHeight(y) * tensorWidth(y) * tensorDepth(y)));
}
