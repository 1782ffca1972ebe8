var<storage, read_write> v: array<vec4f>;
var<workgroup> shared_vector: vec4f;

@compute @workgroup_size(4)
fn indexing(@builtin(local_invocation_index) k: u32) {
  let a = v[0];
  var b = v[1];
  b[k] = a[k];
  v[k][2] = a[3];
  v[2][k] = v[1][k];
  shared_vector[k] = b[k];
  workgroupBarrier();
  v[3] = shared_vector + b;
}
