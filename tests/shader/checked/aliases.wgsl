alias act = f32;
alias Row = array<vec4<act>, 2>;

@compute @workgroup_size(1)
fn main() {
  var row: Row;
  row[1] = vec4<act>(1.0);
  let x: act = row[1].x;
}
//// alias act
f16
