@group(0) @binding(0) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn conditions() {
  var n = y[0];
  while (n % 2u == 1u || n > 100u) {
    n = n * 3u + 1u;
    if (n == 4u) {
      break;
    }
  }
  while (n < 50u) {
    n += 7u;
  }
  for (var i = 0u; ; i++) {
    if (i > n) {
      break;
    }
    y[i] = n;
  }
}
