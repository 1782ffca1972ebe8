// Literals of every type, constructors, components.
var<storage, read_write> f: array<vec4f>;
var<storage, read_write> i: array<vec4i>;
var<storage, read_write> u: array<vec2u>;

@compute @workgroup_size(64)
fn literals(@builtin(global_invocation_id) id: vec3u) {
  let k = id.x;
  f[k] = vec4f(1.0, -2.5, 1e-30, 16777216.0);
  f[k + 1] = vec4f(f[k].x);
  f[k + 2] = vec4f(f[k].xy, f[k].zw);
  f[k + 3] = vec4f(f[k].wzyx.xyz, 0.1);
  i[k] = vec4i(-2147483648, 2147483647, 0, -1);
  i[k + 1] = vec4i(7);
  u[k] = vec2u(4294967295u, 0u);
  u[k + 1] = vec2u();
}
