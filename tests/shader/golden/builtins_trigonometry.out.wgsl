@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn trigonometry() {
  let a = x[0];
  y[0] = sin(a) + cos(a) + tan(a);
  y[1] = asin(a) + acos(a) + atan(a) + atan2(a, x[1]);
  y[2] = sinh(a) + cosh(a) + tanh(a);
  y[3] = asinh(a) + acosh(a) + atanh(a);
}
