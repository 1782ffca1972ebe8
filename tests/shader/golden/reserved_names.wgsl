// Names that mean something in OpenCL C get an underscore.
var<storage, read_write> global: array<f32>;

fn dot3(float4: f32, local: vec3f) -> f32 {
  var kernel = float4;
  for (var half = 0; half < 3; half++) {
    kernel += local[half] * global[half];
  }
  return kernel;
}

@compute @workgroup_size(1)
fn names(@builtin(local_invocation_id) local: vec3u) {
  let length = global[1];
  let fract = dot3(length, vec3f(global[2]));
  global[local.x] = dot3(fract, vec3f(local)) + sqrt(length);
}
