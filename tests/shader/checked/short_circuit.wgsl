// The side that is never evaluated may be impossible.
// set: n=0
override n: u32;

@compute @workgroup_size(1)
fn main() {
  let a = n != 0 && 8 / n > 1;
  let b = n == 0 || 8 / n > 1;
}
