struct Inner { a: vec3f, b: f32 }
struct Outer { @align(32) first: u32, inner: Inner, @size(16) last: u32, tail: array<vec2f, 3> }
var<uniform> u: Inner;
var<storage, read> s: Outer;

@compute @workgroup_size(1)
fn main() {
  var o = Outer(1, Inner(vec3f(), 2), 3, array<vec2f, 3>());
  o.inner.a.y = u.b;
  o.inner = u;
  let x = s.tail[1].y + Inner(vec3f(1), u.b).b;
  let zero = Outer();
}
