@fusion fn epilogue(value: vec4f, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(1)
fn main() {
  _ = epilogue(vec4f(), 0u);
}
//// fusion epilogue
fn epilogue(value: vec4f, s: i32) -> vec4f {
  return value;
}
