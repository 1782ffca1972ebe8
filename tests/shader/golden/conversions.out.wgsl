@group(0) @binding(0) var<storage, read_write> f: array<f32>;
@group(0) @binding(1) var<storage, read_write> i: array<i32>;
@group(0) @binding(2) var<storage, read_write> u: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn conversions() {
  i[0] = i32(f[0]);
  u[0] = u32(f[1]);
  f[2] = f32(i[1]);
  f[3] = f32(u[1]);
  i[2] = i32(u[2]);
  u[3] = u32(i[3] + 1i);
  f[4] = f32(f[0] > 0.0f);
  i[4] = i32(i[0] == 3i);
  f[5] = select(1.0f, 2.0f, bool(u[4]));
  f[6] = select(1.0f, 2.0f, bool(f[7]));
  f[8] = bitcast<f32>(u[5]);
  u[6] = bitcast<u32>(f[9] + 1.0f);
  i[5] = bitcast<i32>(u[7]);
}
