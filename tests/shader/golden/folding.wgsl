override n: u32 = 8;
override use_bias: bool = false;
var<storage, read> x: array<f32>;
var<storage, read> bias: array<f32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(n)
fn folding(@builtin(global_invocation_id) id: vec3u) {
  let stride = n * 4u;
  var v = x[id.x * 1u + 0u] * 1.0;
  if (use_bias) {
    v += bias[id.x];
  }
  if (stride > 16u && n % 2u == 0u) {
    v = v / 1.0;
  } else {
    v = 0.0;
  }
  y[(id.x + 1u) + 2u] = v;
  y[(id.x * 4u) * 2u] = select(v, -v, n == 9u);
  y[id.x << 0u] = vec4f(v, 1.0, 2.0, 3.0).x + array(4.0, 5.0)[1];
  y[id.x | 0u] = f32(min(n, 3u)) + max(1.5, 2.5) + abs(-3.0);
  y[id.x / 1u + id.x % 1u] = vec3f(1.0, v, 2.0).zyx.y;
}
