var<storage, read_write> y: array<i32>;

@compute @workgroup_size(1)
fn switches() {
  switch (y[0]) {
    case 0: {
      y[1] = 1;
    }
    case 1, 2: {
      if (y[2] == 0) {
        break;
      }
      y[1] = 2;
    }
    case 3, default: {
      y[1] = 3;
    }
  }
}
