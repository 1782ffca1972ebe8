// weights: w q4_1 64 64
@weights var<read> w: weights<f32>;

@compute @workgroup_size(1)
fn main() {
  _ = weightsLoad(w, 0, 0);
}
