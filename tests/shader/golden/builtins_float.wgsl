var<storage, read> x: array<vec4f>;
var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(1)
fn floats() {
  let a = x[0];
  let b = x[1];
  let c = x[2];
  y[0] = abs(a) + ceil(a) + floor(b) + trunc(c) + round(a) + fract(b);
  y[1] = min(a, b) + max(b, c);
  y[2] = clamp(a, vec4f(0.0), vec4f(6.0)) + clamp(a, b, c);
  y[3] = saturate(a) + sign(b) + step(a, b) + smoothstep(a, b, c);
  y[4] = fma(a, b, c) + mix(a, b, c) + mix(a, b, 0.5);
  y[5] = sqrt(a) + inverseSqrt(b) + pow(a, c);
  y[6] = exp(a) + exp2(b) + log(c) + log2(a);
  y[7] = degrees(a) + radians(b);
  y[8] = ldexp(a, vec4i(2));
  y[9] = quantizeToF16(a) + vec4f(quantizeToF16(b.x));
}
