// Decoding of one block to floats. Layouts are ggml's, but for i8c and i4c; each decoder states its own, in bytes.
//
// `block` holds exactly block_bytes of the format and `values` room for block_length floats (see
// DataTypeInfo). Blocks have no alignment. Any bytes decode to something: scales may be infinite or NaN.
#pragma once

#include <cstddef>

namespace driftwood {

using BlockDecoder = void (*)(const std::byte* block, float* values);

// Blocks of 32 values (block_decode_32.cpp).
void decode_block_q4_0(const std::byte* block, float* values);
void decode_block_q4_1(const std::byte* block, float* values);
void decode_block_q5_0(const std::byte* block, float* values);
void decode_block_q5_1(const std::byte* block, float* values);
void decode_block_q8_0(const std::byte* block, float* values);
void decode_block_iq4_nl(const std::byte* block, float* values);
void decode_block_mxfp4(const std::byte* block, float* values);

// Blocks of 32 values without a scale: the integers, which the row's scale multiplies.
void decode_block_i8c(const std::byte* block, float* values);
void decode_block_i4c(const std::byte* block, float* values);

// Superblocks of 256 values (block_decode_256.cpp).
void decode_block_q2_k(const std::byte* block, float* values);
void decode_block_q3_k(const std::byte* block, float* values);
void decode_block_q4_k(const std::byte* block, float* values);
void decode_block_q5_k(const std::byte* block, float* values);
void decode_block_q6_k(const std::byte* block, float* values);
void decode_block_q8_k(const std::byte* block, float* values);

}  // namespace driftwood
