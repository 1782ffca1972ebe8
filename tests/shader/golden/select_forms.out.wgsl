@group(0) @binding(0) var<storage, read_write> f: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> s: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn selects() {
  s[0] = select(s[1], s[2], (s[3] > 0.0f));
  s[4] = select(s[1], select(s[2], s[5], (s[6] < 1.0f)), (s[3] > 0.0f)) + 1.0f;
  f[0] = select(f[1], f[2], (s[0] == 0.0f));
  f[3] = select(f[1], f[2], (f[1] <= f[2]));
  s[7] = s[2];
}
