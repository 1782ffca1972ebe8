// target: f16 f16_functions
enable f16;
var<storage, read> x: array<vec4<f16>>;
var<storage, read_write> y: array<vec4<f16>>;
var<storage, read_write> z: array<f32>;
var<workgroup> tile: array<vec4<f16>, 64>;

@compute @workgroup_size(64)
fn halves(@builtin(local_invocation_index) k: u32) {
  let a = x[k];
  tile[k] = a;
  workgroupBarrier();
  let b = tile[63u - k] * 0.5h + vec4<f16>(vec4f(f32(a.x)));
  y[k] = select(min(a, b), fma(a, b, vec4<f16>(1.0h)), a < b);
  y[k + 64u] = vec4<f16>(vec4i(b)) + vec4<f16>(f16(-2.0));
  z[k] = f32(dot(a, b)) + bitcast<f32>(a.xy);
  y[0].x = f16(z[0]) % 2.0h + saturate(a.y);
}
