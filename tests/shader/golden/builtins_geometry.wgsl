var<storage, read> x: array<vec4f>;
var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(1)
fn geometry() {
  let a = x[0];
  let b = x[1];
  y[0] = vec4f(dot(a, b), length(a), distance(a, b), dot(a.xy, b.zw));
  y[1] = normalize(a);
  y[2] = vec4f(cross(a.xyz, b.xyz), 1.0);
}
