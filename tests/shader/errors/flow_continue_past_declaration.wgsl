@compute @workgroup_size(1)
fn main() {
  var n = 0;
  loop {
    if (n > 3) { continue; }
    let step = 2;
    continuing {
      n += step;
      break if n > 9;
    }
  }
}
