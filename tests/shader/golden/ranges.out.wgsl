@group(0) @binding(0) var<storage, read_write> y: array<i32>;
@group(0) @binding(1) var<storage, read> words: array<u32>;

@compute @workgroup_size(16, 1, 1)
fn bounded(@builtin(local_invocation_id) local: vec3<u32>) {
  let word = words[local.x];
  y[0] = i32(local.x) * 8i + 3i;
  y[1] = i32(word & 15u) - 8i;
  y[2] = (i32(word >> 28u) - 8i) * 127i;
  y[3] = -i32(word & 255u);
  y[4] = y[5] / (i32(word & 3u) + 1i);
  y[6] = clamp(y[7], -128i, 127i) * 256i + 128i;
  y[8] = countOneBits(y[9]) * 4i - 1i;
  y[i32(word) * 4i + 1i] = 0i;
}
