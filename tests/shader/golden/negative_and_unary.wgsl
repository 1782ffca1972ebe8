var<storage, read_write> i: array<i32>;
var<storage, read_write> f: array<f32>;

@compute @workgroup_size(1)
fn unary() {
  i[0] = -i[1] - -i[2];
  i[3] = ~i[1] & ~(i[2] | 1);
  i[4] = i[1] - -5;
  i[5] = i[1] + -2147483648;
  f[0] = -f[1] * -f[2] - -2.5;
  f[3] = -(f[1] + f[2]);
  i[6] = -(i[1] & 7);
  f[4] = select(1.0, 2.0, !(f[1] < f[2]));
  f[5] = select(1.0, 2.0, !(i[1] < i[2]));
}
