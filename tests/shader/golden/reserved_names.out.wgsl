@group(0) @binding(0) var<storage, read_write> global: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn names(@builtin(local_invocation_id) local_1: vec3<u32>) {
  let length_ = global[1];
  let local_2 = vec3<f32>(global[2]);
  var kernel_1 = length_;
  for (var half_1 = 0i; half_1 < 3i; half_1++) {
    kernel_1 += local_2[half_1] * global[half_1];
  }
  let fract_ = kernel_1;
  let local_3 = vec3<f32>(local_1);
  var kernel_2 = fract_;
  for (var half_2 = 0i; half_2 < 3i; half_2++) {
    kernel_2 += local_3[half_2] * global[half_2];
  }
  global[local_1.x] = kernel_2 + sqrt(length_);
}
