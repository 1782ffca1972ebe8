@compute @workgroup_size(1)
fn main() {
  var n = 0;
  loop {
    let step = 2;
    if (n == 3) { continue; }
    if (n > 20) { break; }
    n += step;
    continuing {
      n++;
      break if n > 100;
    }
  }
  while (n > 0) { n -= 1; }
  for (; n < 4;) { n++; }
  @unroll for (var i = 0u; i < 4; i++) { n += i32(i); }
  switch (n) {
    case 1, 2, { n = 3; }
    case 7 { return; }
    case 8, default { n = 4; }
  }
  if (n == 1) { n = 2; } else if (n == 2) { n = 3; } else { n = 4; }
  { let n = 1.5; _ = n; }
}
