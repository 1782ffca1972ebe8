@binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn swap() {
  var p_0: f32 = y[0i];
  var p_1: f32 = y[1i];
  let p_0_next: f32 = p_1;
  let p_1_next: f32 = p_0;
  p_0 = p_0_next;
  p_1 = p_1_next;
  let q_0: f32 = p_0;
  let q_1: f32 = p_1;
  p_0 = p_0 + q_1;
  y[2i] = p_0;
  y[3i] = p_1 * q_0;
}
