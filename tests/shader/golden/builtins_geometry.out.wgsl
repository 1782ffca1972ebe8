@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(1, 1, 1)
fn geometry() {
  let a = x[0];
  let b = x[1];
  y[0] = vec4<f32>(dot(a, b), length(a), distance(a, b), dot(a.xy, b.zw));
  y[1] = normalize(a);
  y[2] = vec4<f32>(cross(a.xyz, b.xyz), 1.0f);
}
