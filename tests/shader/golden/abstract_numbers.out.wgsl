@group(0) @binding(0) var<storage, read_write> f: array<f32>;
@group(0) @binding(1) var<storage, read_write> u: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn numbers() {
  f[0] = 349525.34f;
  u[0] = 1048577u;
  f[1] = f[0] * 2.0f + 0.33333334f;
  u[1] = select(1u, 2u, (u[0] > 3u));
}
