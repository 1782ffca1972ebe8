var<workgroup> a: atomic<u32>;
fn f() -> u32 {
  return a;
}

@compute @workgroup_size(1)
fn main() {}
