var<storage, read> p: array<vec3f>;
var<storage, read_write> q: array<vec3f>;
var<workgroup> w: array<vec3u, 4>;

@compute @workgroup_size(4)
fn points(@builtin(local_invocation_index) k: u32) {
  w[k] = vec3u(k, 2u * k, 7u);
  workgroupBarrier();
  q[k] = p[k] * 2.0 + vec3f(w[3u - k]);
  q[k].y = dot(p[k], p[k + 1u]);
}
