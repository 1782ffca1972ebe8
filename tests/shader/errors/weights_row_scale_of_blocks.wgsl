// weights: w q4_1 64 64
@weights var<read> w: weights<f32>;
var<storage, read_write> o: array<f32>;

@compute @workgroup_size(1)
fn main() {
  o[0] = weightsRowScale(w, 0);
}
