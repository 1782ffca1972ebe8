var<workgroup> a: u32;
fn f() {
  atomicAdd(&a, 1u);
}

@compute @workgroup_size(1)
fn main() {}
