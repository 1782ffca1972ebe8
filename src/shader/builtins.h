// Built-in functions: WGSL's (compute), and Driftwood's tensors and packed weights.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace driftwood::shader {

// X(enumerator, name in the language)
// clang-format off
#define DRIFTWOOD_BUILTINS(X)                                                                                        \
  /* numeric, per component */                                                                                       \
  X(Abs, abs) X(Acos, acos) X(Acosh, acosh) X(Asin, asin) X(Asinh, asinh) X(Atan, atan) X(Atanh, atanh) X(Atan2, atan2) X(Ceil, ceil) X(Clamp, clamp) X(Cos, cos) X(Cosh, cosh)        \
  X(Degrees, degrees) X(Exp, exp) X(Exp2, exp2) X(Floor, floor) X(Fma, fma) X(Fract, fract) X(InverseSqrt, inverseSqrt) X(Log, log) X(Log2, log2)   \
  X(Max, max) X(Min, min) X(Mix, mix) X(Pow, pow) X(QuantizeToF16, quantizeToF16) X(Radians, radians) X(Round, round) X(Saturate, saturate) X(Sign, sign)   \
  X(Sin, sin) X(Sinh, sinh) X(Smoothstep, smoothstep) X(Sqrt, sqrt) X(Step, step) X(Tan, tan) X(Tanh, tanh) X(Trunc, trunc) X(Ldexp, ldexp)                \
  X(CountLeadingZeros, countLeadingZeros) X(CountOneBits, countOneBits) X(CountTrailingZeros, countTrailingZeros)    \
  X(ExtractBits, extractBits) X(FirstLeadingBit, firstLeadingBit) X(FirstTrailingBit, firstTrailingBit)              \
  X(InsertBits, insertBits) X(ReverseBits, reverseBits)                                                             \
  /* vectors and logic */                                                                                            \
  X(Cross, cross) X(Distance, distance) X(Dot, dot) X(Length, length) X(Normalize, normalize) X(All, all) X(Any, any) X(Select, select)           \
  X(ArrayLength, arrayLength)                                                                                        \
  /* packing and integer dot */                                                                                      \
  X(Pack2x16Float, pack2x16float) X(Unpack2x16Float, unpack2x16float) X(Pack4x8Snorm, pack4x8snorm)                  \
  X(Unpack4x8Snorm, unpack4x8snorm) X(Pack4x8Unorm, pack4x8unorm) X(Unpack4x8Unorm, unpack4x8unorm)                  \
  X(Pack4xI8, pack4xI8) X(Pack4xU8, pack4xU8) X(Pack4xI8Clamp, pack4xI8Clamp) X(Pack4xU8Clamp, pack4xU8Clamp)        \
  X(Unpack4xI8, unpack4xI8) X(Unpack4xU8, unpack4xU8) X(Dot4I8Packed, dot4I8Packed) X(Dot4U8Packed, dot4U8Packed)    \
  /* unsigned bytes of the first times signed ones of the second, per component of vectors */                        \
  X(Dot4U8I8Packed, dot4U8I8Packed)                                                                                  \
  /* synchronization and atomics (first argument of atomics: pointer) */                                             \
  X(WorkgroupBarrier, workgroupBarrier) X(StorageBarrier, storageBarrier) X(WorkgroupUniformLoad, workgroupUniformLoad)   \
  X(AtomicLoad, atomicLoad) X(AtomicStore, atomicStore) X(AtomicAdd, atomicAdd) X(AtomicSub, atomicSub)              \
  X(AtomicMax, atomicMax) X(AtomicMin, atomicMin) X(AtomicAnd, atomicAnd) X(AtomicOr, atomicOr) X(AtomicXor, atomicXor)   \
  X(AtomicExchange, atomicExchange)                                                                                  \
  /* a hint, in flow that is uniform in a subgroup: loads before it are under way before what is behind it begins */ \
  X(IssueLoads, issueLoads)                                                                                          \
  /* subgroups */                                                                                                    \
  X(SubgroupAdd, subgroupAdd) X(SubgroupMul, subgroupMul) X(SubgroupMax, subgroupMax) X(SubgroupMin, subgroupMin)    \
  X(SubgroupAll, subgroupAll) X(SubgroupAny, subgroupAny) X(SubgroupBroadcast, subgroupBroadcast)                    \
  X(SubgroupBroadcastFirst, subgroupBroadcastFirst) X(SubgroupShuffle, subgroupShuffle)                              \
  X(SubgroupShuffleXor, subgroupShuffleXor) X(SubgroupShuffleUp, subgroupShuffleUp)                                  \
  X(SubgroupShuffleDown, subgroupShuffleDown) X(SubgroupExclusiveAdd, subgroupExclusiveAdd)                          \
  X(SubgroupInclusiveAdd, subgroupInclusiveAdd) X(SubgroupElect, subgroupElect)                                      \
  /* matrices of a subgroup: load<Matrix>(&array, offset, column_major, stride), store(&array, offset, matrix,         \
     column_major, stride), multiplyAccumulate(left, right, sum) */                                                  \
  X(SubgroupMatrixLoad, subgroupMatrixLoad) X(SubgroupMatrixStore, subgroupMatrixStore)                              \
  X(SubgroupMatrixMultiplyAccumulate, subgroupMatrixMultiplyAccumulate)                                              \
  /* the pipeline of a workgroup: stages of workgroup memory that are filled while others are read, and products of    \
     128 invocations together */                                                                                     \
  X(StagesStart, stagesStart) X(StageOpen, stageOpen) X(StageCopy, stageCopy) X(StageWait, stageWait)                \
  X(StageRelease, stageRelease) X(WorkgroupMatrixMultiplyAccumulate, workgroupMatrixMultiplyAccumulate)              \
  X(WorkgroupMatrixWait, workgroupMatrixWait) X(WorkgroupRegisters, workgroupRegisters)                                                                       \
  /* tensors: first argument a tensor; coordinates are scalars or vectors of i32 or u32, flattened in order:         \
     1: (s), 2: (x, s), 3: (y, x, s), 4: (b, y, x, s), 5: (b, y, x, d, s); missing ones are 0 */                     \
  X(TensorLoad, tensorLoad) X(TensorLoadHalves, tensorLoadHalves) X(TensorStore, tensorStore) X(TensorSlices, tensorSlices) X(TensorChannels, tensorChannels)   \
  X(TensorWidth, tensorWidth) X(TensorHeight, tensorHeight) X(TensorDepth, tensorDepth) X(TensorBatch, tensorBatch)  \
  /* packed weights: (w, row, slice) -> vec4, (w, row, chunk of 32) -> array<vec4, 8>; rows = O*H*W*D order of the descriptor; \
     weightsWord(w, row, block, word) -> u32 is the raw access that a format's declaration is written with, and      \
     weightsWords(w, row, block, run) -> vec4<u32> its words 4 run to 4 run + 3 after the first words % 4 */         \
  X(WeightsLoad, weightsLoad) X(WeightsLoadChunk, weightsLoadChunk)  \
  /* weights<vec16<f32>>: (w, sixteen rows, chunk, part 0..7) -> array<vec16<f32>, 4>, through                       \
     package::wide_formats::NAME::load_part; weightsWord of them gives vec16<u32>.                                   \
     weightsRowScale(w, row) -> f32 or vec16<f32> is the scale of a row, where the format has one */                 \
  X(WeightsLoadPart, weightsLoadPart) X(WeightsWord, weightsWord) X(WeightsWords, weightsWords) X(WeightsRowScale, weightsRowScale)                \
  X(WeightsRows, weightsRows)                                                                                        \
  X(WeightsColumns, weightsColumns) X(WeightsBlocks, weightsBlocks)                                                  \
  /* stageCopy of the words of whole groups of interleaved rows */                                                   \
  X(WeightsStageCopy, weightsStageCopy)

// clang-format on
enum class Builtin : std::uint8_t {
#define DRIFTWOOD_ENUMERATOR(enumerator, name) enumerator,
  DRIFTWOOD_BUILTINS(DRIFTWOOD_ENUMERATOR)
#undef DRIFTWOOD_ENUMERATOR
};

constexpr bool is_matrix_builtin(Builtin builtin) {
  return builtin >= Builtin::SubgroupMatrixLoad && builtin <= Builtin::SubgroupMatrixMultiplyAccumulate;
}

constexpr bool is_pipeline_builtin(Builtin builtin) {
  return builtin >= Builtin::StagesStart && builtin <= Builtin::WorkgroupRegisters;
}

std::string_view to_string(Builtin builtin);
std::optional<Builtin> builtin_from_name(std::string_view name);

}  // namespace driftwood::shader
