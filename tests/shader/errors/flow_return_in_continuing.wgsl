@compute @workgroup_size(1)
fn main() {
  loop {
    continuing {
      if (true) { return; }
      break if true;
    }
  }
}
