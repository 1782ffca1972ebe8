var<storage, read> x: array<u32>;
var<storage, read_write> y: array<u32>;

@compute @workgroup_size(1)
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
  for (var i = 10; i > 0; i -= 2) {
    y[i] = sum;
  }
  y[0] = sum;
}
