@must_use fn f() -> i32 { return 1; }

@compute @workgroup_size(1)
fn main() {
  f();
}
