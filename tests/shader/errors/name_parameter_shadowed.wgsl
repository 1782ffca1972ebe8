fn f(a: i32) {
  let a = 2;
}

@compute @workgroup_size(1)
fn main() {}
