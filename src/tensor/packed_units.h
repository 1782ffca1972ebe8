// The units of packed formats as compile-time tables, for the packing loops (see packed_weights.h).
//
// A block that is a whole number of words with every field on a word is a unit as it is. The others are paired: the
// two halves (scales) share the first word, and each block's other fields follow.
#pragma once

#include <array>

#include "tensor/packed_weights.h"

namespace driftwood::packed {

struct F32 {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 128}}};
  static constexpr PackedFormat format = {DataType::F32, 32, 128, 1, 32, segments};
};
struct F16 {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 64}}};
  static constexpr PackedFormat format = {DataType::F16, 32, 64, 1, 16, segments};
};
struct BF16 {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 64}}};
  static constexpr PackedFormat format = {DataType::BF16, 32, 64, 1, 16, segments};
};
// [d0 d1] [nibbles 0: 4] [nibbles 1: 4]
struct Q4_0 {
  static constexpr std::array<PackedSegment, 4> segments = {{{0, 0, 2}, {1, 0, 2}, {0, 2, 16}, {1, 2, 16}}};
  static constexpr PackedFormat format = {DataType::Q4_0, 32, 18, 2, 9, segments};
};
// [d m] [nibbles: 4]
struct Q4_1 {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 20}}};
  static constexpr PackedFormat format = {DataType::Q4_1, 32, 20, 1, 5, segments};
};
// [d0 d1] [fifth bits 0] [fifth bits 1] [nibbles 0: 4] [nibbles 1: 4]
struct Q5_0 {
  static constexpr std::array<PackedSegment, 6> segments = {
      {{0, 0, 2}, {1, 0, 2}, {0, 2, 4}, {1, 2, 4}, {0, 6, 16}, {1, 6, 16}}};
  static constexpr PackedFormat format = {DataType::Q5_0, 32, 22, 2, 11, segments};
};
// [d m] [fifth bits] [nibbles: 4]
struct Q5_1 {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 24}}};
  static constexpr PackedFormat format = {DataType::Q5_1, 32, 24, 1, 6, segments};
};
// [d0 d1] [bytes 0: 8] [bytes 1: 8]
struct Q8_0 {
  static constexpr std::array<PackedSegment, 4> segments = {{{0, 0, 2}, {1, 0, 2}, {0, 2, 32}, {1, 2, 32}}};
  static constexpr PackedFormat format = {DataType::Q8_0, 32, 34, 2, 17, segments};
};
// [scales and minima: 4] [two bits: 16] [d dmin]
struct Q2_K {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 84}}};
  static constexpr PackedFormat format = {DataType::Q2_K, 256, 84, 1, 21, segments};
};
// [d0 d1] then for each block [third bits: 8] [two bits: 16] [scales: 3]
struct Q3_K {
  static constexpr std::array<PackedSegment, 4> segments = {{{0, 108, 2}, {1, 108, 2}, {0, 0, 108}, {1, 0, 108}}};
  static constexpr PackedFormat format = {DataType::Q3_K, 256, 110, 2, 55, segments};
};
// [d dmin] [scales and minima: 3] [nibbles: 32]
struct Q4_K {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 144}}};
  static constexpr PackedFormat format = {DataType::Q4_K, 256, 144, 1, 36, segments};
};
// [d dmin] [scales and minima: 3] [fifth bits: 8] [nibbles: 32]
struct Q5_K {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 176}}};
  static constexpr PackedFormat format = {DataType::Q5_K, 256, 176, 1, 44, segments};
};
// [d0 d1] then for each block [nibbles: 32] [upper two bits: 16] [scales: 4]
struct Q6_K {
  static constexpr std::array<PackedSegment, 4> segments = {{{0, 208, 2}, {1, 208, 2}, {0, 0, 208}, {1, 0, 208}}};
  static constexpr PackedFormat format = {DataType::Q6_K, 256, 210, 2, 105, segments};
};
// [d] [bytes: 64] [sums: 8]
struct Q8_K {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 292}}};
  static constexpr PackedFormat format = {DataType::Q8_K, 256, 292, 1, 73, segments};
};

// [d0 d1] [nibbles 0: 4] [nibbles 1: 4]
struct IQ4_NL {
  static constexpr std::array<PackedSegment, 4> segments = {{{0, 0, 2}, {1, 0, 2}, {0, 2, 16}, {1, 2, 16}}};
  static constexpr PackedFormat format = {DataType::IQ4_NL, 32, 18, 2, 9, segments};
};
// [e0 e1 e2 e3] [nibbles 0: 4] [nibbles 1: 4] [nibbles 2: 4] [nibbles 3: 4]
struct MXFP4 {
  static constexpr std::array<PackedSegment, 8> segments = {
      {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {0, 1, 16}, {1, 1, 16}, {2, 1, 16}, {3, 1, 16}}};
  static constexpr PackedFormat format = {DataType::MXFP4, 32, 17, 4, 17, segments};
};
// [bytes: 8], and the row's scale
struct I8C {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 32}}};
  static constexpr PackedFormat format = {DataType::I8C, 32, 32, 1, 8, segments, 1};
};
// [nibbles: 4], and the row's scale
struct I4C {
  static constexpr std::array<PackedSegment, 1> segments = {{{0, 0, 16}}};
  static constexpr PackedFormat format = {DataType::I4C, 32, 16, 1, 4, segments, 1};
};

}  // namespace driftwood::packed
