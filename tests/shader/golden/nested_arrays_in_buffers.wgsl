var<storage, read> fixed: array<array<vec2f, 4>, 8>;
var<storage, read_write> y: array<array<f32, 3>>;
var<uniform> table: array<vec4f, 16>;

fn pick(i: u32) -> f32 {
  for (var k = 0u; k < 4u; k++) {
    if (fixed[i][k].x > 0.0) {
      return table[k].y;
    }
  }
  return 0.0;
}

@compute @workgroup_size(8)
fn nested(@builtin(local_invocation_index) k: u32) {
  y[k][2] = fixed[k][1].y + table[k].w + pick(k) * pick(k + 1u);
}
