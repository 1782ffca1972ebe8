@group(0) @binding(0) var<storage, read_write> i: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read_write> u: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> s: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn integers() {
  i[1] = abs(i[0]) + sign(i[2]);
  i[2] = min(i[0], i[1]) + max(i[0], vec4<i32>(3i));
  i[3] = clamp(i[0], vec4<i32>(-8i), vec4<i32>(7i));
  i[4] = clamp(i[0], i[1], i[2]);
  u[1] = abs(u[0]);
  s[0] = abs(s[1]) + sign(s[2]);
  s[3] = dot(i[0], i[1]);
  u[2].x = dot(u[0].xyz, u[1].xyz);
}
