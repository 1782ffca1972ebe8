@group(0) @binding(0) var<storage, read_write> v: array<vec4<f32>>;
var<workgroup> shared_vector: vec4<f32>;

@compute @workgroup_size(4, 1, 1)
fn indexing(@builtin(local_invocation_index) k: u32) {
  let a = v[0];
  var b = v[1];
  b[k] = a[k];
  v[k].z = a.w;
  v[2][k] = v[1][k];
  shared_vector[k] = b[k];
  workgroupBarrier();
  v[3] = shared_vector + b;
}
