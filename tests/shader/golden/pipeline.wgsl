// target: subgroups ptx f16 f16_ptx pipeline
// weights: w q4_0 64 128 32 4
// The pipeline of a workgroup: stages filled by one invocation, products of 128 with a factor in registers or in memory.
const stages = 2u;
const stage_words = 576u;
@weights var<read> w: weights<f32>;
@group(0) @binding(1) var<storage, read> x: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> ring: array<vec2<u32>, 2u * stages>;
@uninitialized var<workgroup> words: array<u32, stages * stage_words>;
@uninitialized var<workgroup> tile: array<vec4<u32>, stages * 128u>;

@compute @workgroup_size(128)
fn pipeline(@builtin(local_invocation_index) t: u32) {
  stagesStart(&ring, 128u);
  if (t == 0u) {
    for (var stage = 0u; stage < stages; stage++) {
      stageOpen(&ring, stage, 0u, 4u * stage_words + 16u * 128u);
      weightsStageCopy(&ring, stage, &words, stage * stage_words, w, 32u * stage, 0u, 1u);
      weightsStageCopy(&ring, stage, &words, stage * stage_words + 288u, w, 32u * stage, 1u, 0u, 1u);
      weightsStageCopy(&ring, stage, &words, stage * stage_words + 320u, w, 32u * stage, 1u, 1u, 8u);
      stageCopy(&ring, stage, &tile, stage * 128u, &x, stage * 128u, 128u);
    }
  }
  var sums: array<f32, 8>;
  for (var stage = 0u; stage < stages; stage++) {
    stageWait(&ring, stage, 0u);
    var left: array<vec4<u32>, 1>;
    left[0] = vec4<u32>(words[stage * stage_words + t]) & vec4<u32>(0x000f000fu);
    workgroupMatrixMultiplyAccumulate(&sums, &left, &tile, stage * 128u, 16u);
    workgroupMatrixMultiplyAccumulate(&sums, &tile, stage * 128u, 64u, &tile, stage * 128u, 16u, 1u);
    workgroupMatrixWait(&sums);
    stageRelease(&ring, stage);
  }
  for (var i = 0u; i < 8u; i++) {
    y[t * 8u + i] = sums[i];
  }
}
