var<storage, read_write> v: array<vec4f>;

@compute @workgroup_size(1)
fn swizzles() {
  let a = v[0];
  v[1] = a.xxyy + a.wzyx;
  v[2] = vec4f(a.rgb, a.a);
  v[3] = (a + v[4]).zwxy.yxwz;
  v[5] = vec4f(a.x, a.y, a.zw.y, a.wzyx[0]);
  var b = v[6];
  b.x = a.y;
  b.w += 1.0;
  v[7] = b;
}
