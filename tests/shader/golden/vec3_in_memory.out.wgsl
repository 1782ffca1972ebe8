@group(0) @binding(0) var<storage, read> p: array<vec3<f32>>;
@group(0) @binding(1) var<storage, read_write> q: array<vec3<f32>>;
var<workgroup> w: array<vec3<u32>, 4>;

@compute @workgroup_size(4, 1, 1)
fn points(@builtin(local_invocation_index) k: u32) {
  w[k] = vec3<u32>(k, k * 2u, 7u);
  workgroupBarrier();
  q[k] = p[k] * 2.0f + vec3<f32>(w[3u - k]);
  q[k].y = dot(p[k], p[k + 1u]);
}
