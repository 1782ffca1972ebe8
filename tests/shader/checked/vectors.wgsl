@compute @workgroup_size(1)
fn main() {
  var v = vec4f(1, 2, 3, 4);
  v.x = v.y;
  v[1] = v.w;
  v.b = 5;
  let i = 2;
  v[i] = v[i] + 1;
  let a = v.wzyx.xy;
  let b = vec4f(a, v.xy);
  let c = vec3f(a, 1);
  let d = vec4i(v);
  let e = v > vec4f(2);
  let f = select(v, -v, e);
  let g = all(e) || any(!e);
  let h = vec2<bool>(true, false) & vec2<bool>(true);
  let j = vec16<f32>(v.x);
  let k = j[i] + j[15];
}
