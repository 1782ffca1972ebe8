var<storage, read_write> f: array<vec4f>;
var<storage, read_write> s: array<f32>;

@compute @workgroup_size(1)
fn selects() {
  s[0] = select(s[1], s[2], s[3] > 0.0);
  s[4] = select(s[1], select(s[2], s[5], s[6] < 1.0), s[3] > 0.0) + 1.0;
  f[0] = select(f[1], f[2], s[0] == 0.0);
  f[3] = select(f[1], f[2], f[1] <= f[2]);
  s[7] = select(s[1], s[2], true);
}
