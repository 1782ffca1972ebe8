import package::a::helper;
const value = 1;
fn local_helper(value: f32) -> f32 {
  let value_1 = value;
  { let value = value_1 + 1; return value; }
}

@compute @workgroup_size(1)
fn main() {
  let value = local_helper(helper(2));
}
//// package::a
import package::b::helper as inner;
struct Value { value: f32 }
fn helper(value: f32) -> f32 { return inner(Value(value).value); }
//// package::b
import package::a2::scale;
struct Value { value: f32 }
fn helper(value: f32) -> f32 { return value; }
//// package::a2
const scale = 2;
