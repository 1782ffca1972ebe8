@group(0) @binding(0) var<storage, read> fixed: array<array<vec2<f32>, 4>, 8>;
@group(0) @binding(1) var<storage, read_write> y: array<array<f32, 3>>;
@group(0) @binding(2) var<uniform> table: array<vec4<f32>, 16>;

fn pick(i: u32) -> f32 {
  for (var k = 0u; k < 4u; k++) {
    if (fixed[i][k].x > 0.0f) {
      return table[k].y;
    }
  }
  return 0.0f;
}

@compute @workgroup_size(8, 1, 1)
fn nested(@builtin(local_invocation_index) k_1: u32) {
  y[k_1][2] = fixed[k_1][1].y + table[k_1].w + pick(k_1) * pick(k_1 + 1u);
}
