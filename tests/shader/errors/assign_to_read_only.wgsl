var<storage, read> a: array<u32>;
fn f() {
  a[0] = 1u;
}

@compute @workgroup_size(1)
fn main() {}
