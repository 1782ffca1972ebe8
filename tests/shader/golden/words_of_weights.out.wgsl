enable subgroups;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage, read> w: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
var<workgroup> shared_sums: array<u32, 64>;

@compute @workgroup_size(32, 1, 1)
fn words_of_weights(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let row = at.x * 32u + local.x;
  var sum = subgroupAdd(w[row / 32u * 576u + 288u + row % 32u]) + w[row / 32u * 576u + (local.x % 8u / 4u * 128u + row % 32u * 4u + local.x % 8u % 4u + 32u)];
  for (var unit = 0u; unit < 2u; unit++) {
    let first = vec4<u32>(w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u], w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u + 1u], w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u + 2u], w[(row / 32u * 2u + unit) * 288u + 32u + row % 32u * 4u + 3u]);
    let second = vec4<u32>(w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u], w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u + 1u], w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u + 2u], w[(row / 32u * 2u + unit) * 288u + 160u + row % 32u * 4u + 3u]);
    sum += ((first.x & 983055u) | 1677747200u) + first.w + second.y;
  }
  shared_sums[local.x + 32u] = sum;
  shared_sums[local.x] = sum;
  workgroupBarrier();
  y[row * 2u + 1u] = shared_sums[63u - local.x];
  y[row * 2u] = shared_sums[(local.x + 1u) % 32u];
}
