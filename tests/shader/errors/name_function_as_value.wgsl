fn f() {}

@compute @workgroup_size(1)
fn main() {
  let a = f;
}
