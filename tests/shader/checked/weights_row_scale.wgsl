// weights: w i4c 64 96
// weights: v i8c 64 96
// Formats with one scale a row give it apart from the words, of one row or of sixteen.
@weights var<read> w: weights<f32>;
@weights var<read> v: weights<vec16<f32>>;
var<storage, read_write> o: array<f32>;

@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) at: vec3u) {
  let scales = weightsRowScale(v, at.x);
  o[at.x] = weightsRowScale(w, i32(at.x)) * scales[3] + f32(weightsWord(w, at.x, 2, 3));
}
