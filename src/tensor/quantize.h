// From floats to the types of weights: plain numbers rounded, block formats with the scales that a search finds best.
//
//   std::vector<std::byte> row(row_bytes(DataType::Q4_0, values.size()));
//   encode_row(DataType::Q4_0, values, row);
//
// The inverse of decode_row up to the type's own error. Scales are the ones of least squared error among several; no
// input gives a scale that is infinite or NaN.
#pragma once

#include <cstddef>
#include <span>

#include "tensor/data_type.h"

namespace driftwood {

/// The types that floats can be encoded in.
std::span<const DataType> encodable_types();
bool can_encode(DataType type);

/// Encodes one row. `out` has row_bytes(type, values.size()) bytes. Throws InvalidInput where sizes do not match, a
/// value is infinite or NaN (naming its place), or values are too large for the type's halves, Unsupported for types
/// that are not encodable.
void encode_row(DataType type, std::span<const float> values, std::span<std::byte> out);

}  // namespace driftwood
