@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn loops() {
  var sum = 0u;
  for (var i = 0u; i < x[0]; i++) {
    if (x[i] == 3u) {
      continue;
    }
    if (x[i] == 9u) {
      break;
    }
    sum += x[i];
  }
  var n = x[1];
  while (n > 1u) {
    n = n / 2u;
    sum++;
  }
  for (var i_1 = 10i; i_1 > 0i; i_1 -= 2i) {
    y[i_1] = sum;
  }
  y[0] = sum;
}
