@group(0) @binding(0) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(8, 4, 2)
fn inputs(@builtin(local_invocation_id) local_id: vec3<u32>, @builtin(local_invocation_index) index: u32, @builtin(global_invocation_id) global_id: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  y[index] = local_id.x + local_id.z + global_id.y + group.z * groups.x;
}
