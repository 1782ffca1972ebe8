fn f(a: i32) {
  a = 2;
}

@compute @workgroup_size(1)
fn main() {}
