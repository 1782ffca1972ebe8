// Abstract numbers take the type that is asked for; alone they are i32 and f32.
@compute @workgroup_size(1)
fn main() {
  let a = 1;
  let b = 1.5;
  let c: u32 = 1;
  let d: f32 = 1;
  let e: f16 = 1.5;
  var f = 2u;
  let g = f * 3 + 4;
  let h = vec2(1, 2.5);
  let i = vec3f(1, 2, 3) * 2;
  let j = array(1, 2.5, 3);
  let k = 7 / 2 + 7 % 4;
  let l = 7 / 2.0;
}
