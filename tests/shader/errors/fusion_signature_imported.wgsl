import package::a::epilogue;

@compute @workgroup_size(1)
fn main() {
  _ = epilogue(1.0);
}
//// package::a
@fusion fn epilogue(value: f32) -> f32 {
  return value;
}
//// fusion epilogue
fn epilogue(value: f32) {}
