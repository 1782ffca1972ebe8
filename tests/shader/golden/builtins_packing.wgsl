var<storage, read_write> u: array<u32>;
var<storage, read_write> f: array<vec4f>;
var<storage, read_write> i: array<vec4i>;

@compute @workgroup_size(1)
fn packing() {
  u[0] = pack2x16float(f[0].xy);
  f[1] = vec4f(unpack2x16float(u[1]), unpack2x16float(u[2]));
  u[3] = pack4x8snorm(f[2]);
  f[3] = unpack4x8snorm(u[4]);
  u[5] = pack4x8unorm(f[4]);
  f[5] = unpack4x8unorm(u[6]);
  u[7] = pack4xI8(i[0]);
  u[8] = pack4xI8Clamp(i[1]);
  u[9] = pack4xU8(vec4u(i[2]));
  u[10] = pack4xU8Clamp(vec4u(i[3]));
  i[4] = unpack4xI8(u[11]);
  i[5] = vec4i(unpack4xU8(u[12]));
}
