@binding(0) @object(buffer, f32, [16]) var<read> x: vec4<f32>;
@binding(1) @object(buffer, f32, [16]) var<write> y: vec4<f32>;

@compute @workgroup_size(4, 4, 1)
fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
  let v: vec4<f32> = x[i32((id.x * 4u) + id.y)] * 3f;
  y[i32((id.x * 4u) + id.y)] = v;
}
