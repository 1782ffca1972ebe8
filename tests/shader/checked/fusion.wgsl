// tensor: x f32 1,1,4,1,8
// tensor: y f32 1,1,4,1,8
// tensor: bias f32 1,1,1,1,8
alias act = f32;
@tensor var<read> x: tensor<act>;
@tensor var<write> y: tensor<act>;

@fusion fn epilogue(value: vec4<act>, s: u32) -> vec4<act> {
  return value;
}
@fusion fn prologue(value: vec4<act>) -> vec4<act> {
  return value;
}

@compute @workgroup_size(1)
fn main() {
  for (var s = 0u; s < tensorSlices(x); s++) {
    tensorStore(y, 0, s, epilogue(prologue(tensorLoad(x, 0, s)), s));
  }
}
//// fusion epilogue
@tensor var<read> bias: tensor<act>;
fn relu(v: vec4<act>) -> vec4<act> { return max(v, vec4<act>()); }
fn epilogue(value: vec4<act>, s: u32) -> vec4<act> {
  return relu(value + tensorLoad(bias, s));
}
