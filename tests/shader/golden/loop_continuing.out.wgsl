@group(0) @binding(0) var<storage, read_write> y: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn loops() {
  var i = 0u;
  loop {
    y[i] = i;
    continuing {
      i++;
      break if i >= 8u;
    }
  }
  loop {
    if (i == 20u) {
      break;
    }
    i++;
  }
}
