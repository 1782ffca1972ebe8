@group(0) @binding(0) var<storage, read_write> y: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn switches() {
  switch (y[0]) {
    case 0i: {
      y[1] = 1i;
    }
    case 1i, 2i: {
      if (y[2] == 0i) {
        break;
      }
      y[1] = 2i;
    }
    case 3i, default: {
      y[1] = 3i;
    }
  }
}
