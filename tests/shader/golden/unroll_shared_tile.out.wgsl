@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
var<workgroup> tile: array<vec4<f32>, 64>;

@compute @workgroup_size(64, 1, 1)
fn product(@builtin(local_invocation_index) k: u32, @builtin(workgroup_id) group: vec3<u32>) {
  var acc_0 = vec4<f32>();
  var acc_1 = vec4<f32>();
  for (var step_ = 0u; step_ < 8u; step_++) {
    tile[k] = b[step_ * 64u + k];
    workgroupBarrier();
    let left_1 = a[group.x * 16u + step_];
    acc_0 += left_1.x * tile[k % 64u];
    acc_0 += left_1.y * tile[(k + 1u) % 64u];
    let left_2 = a[(group.x * 2u + 1u) * 8u + step_];
    acc_1 += left_2.x * tile[k % 64u];
    acc_1 += left_2.y * tile[(k + 1u) % 64u];
    workgroupBarrier();
  }
  c[group.x * 128u + k] = acc_0;
  c[(group.x * 2u + 1u) * 64u + k] = acc_1;
}
