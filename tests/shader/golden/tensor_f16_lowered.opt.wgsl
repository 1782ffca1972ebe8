@binding(0) @object(buffer, f16, [45]) var<read> x: vec4<f32>;
@binding(1) @object(buffer, f16, [45]) var<write> y: vec4<f32>;

@compute @workgroup_size(8, 4, 1)
fn double(@builtin(global_invocation_id) id: vec3<u32>) {
  let v: vec4<f32> = x[i32((((id.x * 3u) + id.z) * 5u) + id.y)];
  y[i32((((id.x * 3u) + id.z) * 5u) + id.y)] = v * 2f;
}
