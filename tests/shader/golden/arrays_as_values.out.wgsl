@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

fn sum(a: array<f32, 4>, n: u32) -> f32 {
  var total = 0.0f;
  for (var i = 0u; i < n; i++) {
    if (a[i] < 0.0f) {
      return total;
    }
    total += a[i];
  }
  return total;
}

fn twice(n_1: u32) -> array<f32, 4> {
  var a_1 = array<f32, 4>();
  for (var i_1 = 0u; i_1 < n_1; i_1++) {
    if (x[i_1] < 0.0f) {
      return a_1;
    }
    a_1[i_1] = x[i_1] * 2.0f;
  }
  return a_1;
}

@compute @workgroup_size(1, 1, 1)
fn arrays() {
  var a_2 = twice(u32(x[0]));
  let b = a_2;
  a_2[u32(x[1])] = 1.0f;
  y[0] = sum(a_2, 4u) + sum(array<f32, 4>(1.0f, 2.0f, 3.0f, 4.0f), 3u) + b[u32(x[2])];
}
