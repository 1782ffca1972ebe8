@group(0) @binding(0) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn swap() {
  var p_0 = y[0];
  var p_1 = y[1];
  let p_0_next = p_1;
  let p_1_next = p_0;
  p_0 = p_0_next;
  p_1 = p_1_next;
  let q_0 = p_0;
  let q_1 = p_1;
  p_0 += q_1;
  y[2] = p_0;
  y[3] = p_1 * q_0;
}
