var<storage, read_write> y: array<i32>;

@compute @workgroup_size(1)
fn nested() {
  for (var i = 0; i < 10; i++) {
    switch (y[i] & 3) {
      case 0: {
        continue;
      }
      case 1: {
        for (var j = 0; j < i; j++) {
          if (y[j] == 5) {
            break;
          }
          y[j] -= 1;
        }
      }
      default: {
      }
    }
    y[i] = i;
  }
}
