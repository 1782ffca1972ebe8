const stages = 2u;
var<workgroup> ring: array<vec2<u32>, 2u * stages>;
var<workgroup> tile: array<vec4<u32>, 64>;
var<storage, read> x: array<vec4<u32>>;
@compute @workgroup_size(128)
fn main(@builtin(local_invocation_index) t: u32) {
  var sums: array<f32, 8>;
  var left: array<vec2<u32>, 1>;
  workgroupMatrixMultiplyAccumulate(&sums, &left, &tile, 0u, 16u);
}
