// Targets without side effects are written out; the others keep the operator.
var<private> calls: i32;
fn next() -> i32 {
  calls++;
  return calls;
}

@compute @workgroup_size(1)
fn main() {
  var a: array<vec4f, 4>;
  var i = 1u;
  a[i].x += 2;
  a[i] *= 0.5;
  a[next()] += vec4f(1);
  i <<= 2;
  i--;
}
