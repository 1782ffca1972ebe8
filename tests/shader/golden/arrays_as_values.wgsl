// Arrays that are copied or passed whole are structs with one member.
var<storage, read> x: array<f32>;
var<storage, read_write> y: array<f32>;

fn sum(a: array<f32, 4>, n: u32) -> f32 {
  var total = 0.0;
  for (var i = 0u; i < n; i++) {
    if (a[i] < 0.0) {
      return total;
    }
    total += a[i];
  }
  return total;
}

fn twice(n: u32) -> array<f32, 4> {
  var a: array<f32, 4>;
  for (var i = 0u; i < n; i++) {
    if (x[i] < 0.0) {
      return a;
    }
    a[i] = x[i] * 2.0;
  }
  return a;
}

@compute @workgroup_size(1)
fn arrays() {
  var a = twice(u32(x[0]));
  let b = a;
  a[u32(x[1])] = 1.0;
  y[0] = sum(a, 4u) + sum(array(1.0, 2.0, 3.0, 4.0), 3u) + b[u32(x[2])];
}
