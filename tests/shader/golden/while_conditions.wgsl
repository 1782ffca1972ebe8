var<storage, read_write> y: array<u32>;

fn odd(x: u32) -> bool {
  return x % 2u == 1u;
}

@compute @workgroup_size(1)
fn conditions() {
  var n = y[0];
  while (odd(n) || n > 100u) {
    n = n * 3u + 1u;
    if (n == 4u) {
      break;
    }
  }
  for (; n < 50u; ) {
    n += 7u;
  }
  for (var i = 0u; ; i++) {
    if (i > n) {
      break;
    }
    y[i] = n;
  }
}
