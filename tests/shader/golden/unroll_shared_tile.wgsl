// A tile in registers from a tile in workgroup memory: the inner loop of a matrix product.
var<storage, read> a: array<vec4f>;
var<storage, read> b: array<vec4f>;
var<storage, read_write> c: array<vec4f>;
var<workgroup> tile: array<vec4f, 64>;

@compute @workgroup_size(64)
fn product(@builtin(local_invocation_index) k: u32, @builtin(workgroup_id) group: vec3u) {
  var acc: array<vec4f, 2>;
  for (var step = 0u; step < 8u; step++) {
    tile[k] = b[step * 64u + k];
    workgroupBarrier();
    @unroll
    for (var i = 0u; i < 2u; i++) {
      let left = a[(group.x * 2u + i) * 8u + step];
      @unroll
      for (var j = 0u; j < 2u; j++) {
        acc[i] += left[j] * tile[(k + j) % 64u];
      }
    }
    workgroupBarrier();
  }
  @unroll
  for (var i = 0u; i < 2u; i++) {
    c[(group.x * 2u + i) * 64u + k] = acc[i];
  }
}
