var<private> a: array<u32, 4>;
fn f() -> u32 {
  return arrayLength(&a);
}

@compute @workgroup_size(1)
fn main() {}
