@group(0) @binding(0) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn loops() {
  var i = 0u;
  loop {
    if (y[i] == 5u) {
      continue;
    }
    switch (y[i]) {
      case 6u: {
        continue;
      }
      default: {
        y[i] = 1u;
      }
    }
    y[i] += 2u;
    continuing {
      i++;
      break if i >= 8u;
    }
  }
}
