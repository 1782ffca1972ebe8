@group(0) @binding(0) var<storage, read_write> f: array<f32>;
@group(0) @binding(1) var<storage, read_write> u: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn compound(@builtin(local_invocation_index) k: u32) {
  f[k] += 1.0f;
  f[k] -= f[0] * 2.0f;
  f[k] *= 3.0f;
  f[k] /= f[1];
  f[k] = f[k] % 2.0f;
  u[k]++;
  u[k]--;
  u[k] &= 255u;
  u[k] |= 1u;
  u[k] ^= 3u;
  u[k] = u[k] << 2u;
  u[k] = u[k] >> 1u;
  u[k] *= u[0] + 1u;
}
