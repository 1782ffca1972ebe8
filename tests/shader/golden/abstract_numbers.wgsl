// Abstract numbers take the type of what they meet.
const big = 1 << 20;
const third = 1.0 / 3.0;
var<storage, read_write> f: array<f32>;
var<storage, read_write> u: array<u32>;

@compute @workgroup_size(1)
fn numbers() {
  f[0] = big * third;
  u[0] = big + 1;
  f[1] = f[0] * 2 + third;
  u[1] = select(1u, 2, u[0] > 3);
}
