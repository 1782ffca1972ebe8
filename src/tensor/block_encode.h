// Encoding of one block from floats: the inverses of block_decode.h. `values` holds block_length finite floats.
#pragma once

#include <cstddef>

namespace driftwood {

using BlockEncoder = void (*)(const float* values, std::byte* block);

// Blocks of 32 values (block_encode_32.cpp).
void encode_block_q4_0(const float* values, std::byte* block);
void encode_block_q4_1(const float* values, std::byte* block);
void encode_block_q5_0(const float* values, std::byte* block);
void encode_block_q5_1(const float* values, std::byte* block);
void encode_block_q8_0(const float* values, std::byte* block);
void encode_block_iq4_nl(const float* values, std::byte* block);
void encode_block_mxfp4(const float* values, std::byte* block);

// Superblocks of 256 values (block_encode_256.cpp).
void encode_block_q4_k(const float* values, std::byte* block);
void encode_block_q5_k(const float* values, std::byte* block);
void encode_block_q6_k(const float* values, std::byte* block);

}  // namespace driftwood
