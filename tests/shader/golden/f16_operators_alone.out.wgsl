enable f16;

@group(0) @binding(0) var<storage, read> x: array<vec4<f16>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f16>>;
@group(0) @binding(2) var<storage, read_write> z: array<f32>;
var<workgroup> tile: array<vec4<f16>, 64>;

@compute @workgroup_size(64, 1, 1)
fn halves(@builtin(local_invocation_index) k: u32) {
  let a = x[k];
  tile[k] = a;
  workgroupBarrier();
  let b = tile[63u - k] * 0.5h + vec4<f16>(vec4<f32>(f32(a.x)));
  y[k] = select(min(a, b), fma(a, b, vec4<f16>(1.0h)), (a < b));
  y[k + 64u] = vec4<f16>(vec4<i32>(b)) + vec4<f16>(-2.0h);
  z[k] = f32(dot(a, b)) + bitcast<f32>(a.xy);
  y[0].x = f16(z[0]) % 2.0h + saturate(a.y);
}
