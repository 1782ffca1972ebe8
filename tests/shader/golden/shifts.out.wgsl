@group(0) @binding(0) var<storage, read_write> x: array<i32>;
@group(0) @binding(1) var<storage, read_write> u: array<vec2<u32>>;

@compute @workgroup_size(1, 1, 1)
fn shifts() {
  x[1] = x[0] << 4u;
  x[2] = x[0] >> 31u;
  x[3] = x[0] >> u[0].x;
  u[1] = u[0] << u[2];
  u[3] = (u[0] >> vec2<u32>(4u)) & vec2<u32>(15u);
  x[4] = x[4] << 2u;
}
