@compute @workgroup_size(1)
fn main() {
  loop {
    continuing {
      break;
    }
  }
}
