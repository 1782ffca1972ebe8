fn sign_of(x: f32) -> i32 {
  if (x > 0) { return 1; } else if (x < 0) { return -1; }
  return 0;
}
fn by_switch(n: u32) -> f32 {
  switch n {
    case 0 { return 1; }
    default { return 2; }
  }
}
fn by_loop(n: i32) -> i32 {
  var i = 0;
  loop {
    i += 2;
    if (i > n) { return i; }
  }
}

@compute @workgroup_size(1)
fn main() {
  let a = sign_of(1) + by_loop(3) + i32(by_switch(1));
  sign_of(2);
}
