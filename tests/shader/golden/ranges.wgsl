// Where bounds are known, integer arithmetic is plain.
var<storage, read_write> y: array<i32>;
var<storage, read> words: array<u32>;

@compute @workgroup_size(16)
fn bounded(@builtin(local_invocation_id) local: vec3u) {
  let word = words[local.x];
  y[0] = i32(local.x) * 8 + 3;
  y[1] = i32(word & 15u) - 8;
  y[2] = (i32(word >> 28u) - 8) * 127;
  y[3] = -i32(word & 255u);
  y[4] = y[5] / (1 + i32(word & 3u));
  y[6] = clamp(y[7], -128, 127) * 256 + 128;
  y[8] = countOneBits(y[9]) * 4 - 1;
  y[i32(word) * 4 + 1] = 0;
}
