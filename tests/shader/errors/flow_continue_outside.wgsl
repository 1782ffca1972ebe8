@compute @workgroup_size(1)
fn main() {
  switch 1 {
    default {
      continue;
    }
  }
}
