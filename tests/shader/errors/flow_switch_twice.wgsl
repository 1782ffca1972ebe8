@compute @workgroup_size(1)
fn main() {
  switch 1 {
    case 1, 1 { }
    default { }
  }
}
