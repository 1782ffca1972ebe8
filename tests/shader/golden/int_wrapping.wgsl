// i32 wraps in WGSL and is undefined in C: sums and products go through uint.
var<storage, read_write> x: array<i32>;
var<storage, read_write> v: array<vec4i>;

@compute @workgroup_size(1)
fn wrapping() {
  let a = x[0];
  let b = x[1];
  let c = x[2];
  x[3] = a + b;
  x[4] = a * b + c;
  x[5] = a + b * c;
  x[6] = a - 1;
  x[7] = 2 * a;
  x[8] = -a;
  x[9] = (a & 255) * 3 + (b & 7);
  x[10] = (a + b) & c;
  x[11] += a;
  x[12]++;
  v[1] = v[0] + v[2] * a;
  v[2] = -v[0];
  v[3] = v[0] * 3;
}
