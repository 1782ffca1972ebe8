@compute @workgroup_size(1)
fn main() {
  switch 1u {
    case 1i { }
    default { }
  }
}
