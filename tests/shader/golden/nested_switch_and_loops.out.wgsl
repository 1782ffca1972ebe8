@group(0) @binding(0) var<storage, read_write> y: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn nested() {
  for (var i = 0i; i < 10i; i++) {
    switch (y[i] & 3i) {
      case 0i: {
        continue;
      }
      case 1i: {
        for (var j = 0i; j < i; j++) {
          if (y[j] == 5i) {
            break;
          }
          y[j]--;
        }
      }
      default: {
      }
    }
    y[i] = i;
  }
}
