// weights: w q4_1 64 96
// weights: v q8_0 64 96
// tensor: y f32 1,1,64,1,4
// Packed weights are decoded by the module of their format.
@weights var<read> w: weights<f32>;
@weights var<read> v: weights<f16>;
@tensor var<write> y: tensor<f32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) at: vec3u) {
  let row = at.x;
  var sum = vec4f();
  for (var c = 0u; c < weightsColumns(w) / 32; c++) {
    let chunk = weightsLoadChunk(w, row, c);
    sum += chunk[0];
  }
  tensorStore(y, row, 0, sum + weightsLoad(w, row, 0) + vec4f(weightsLoad(v, i32(row), 1)) + f32(weightsRows(w)));
}
//// package::formats::q4_1
fn load(w: weights<f32>, row: u32, slice: u32) -> vec4f {
  return vec4f(unpack4xU8(weightsWord(w, row, slice / 8, slice % 8)));
}
fn load_chunk(w: weights<f32>, row: u32, chunk: u32) -> array<vec4f, 8> {
  var values: array<vec4f, 8>;
  for (var s = 0u; s < 8; s++) { values[s] = load(w, row, chunk * 8 + s); }
  return values;
}
//// package::formats::q8_0
fn load(w: weights<f16>, row: u32, slice: u32) -> vec4f {
  return vec4f(f32(weightsWord(w, row, slice, 0)));
}
