// A token in workgroup memory, for half_product.
override half_chunks: u32 = 0;  // of 32 columns of the token; 0: x is multiplied as it is

// Of a chunk 32 halves in pairs, or two bytes a value (byte_pairs).
@uninitialized var<workgroup> half_pairs: array<vec4u, max(4u * half_chunks, 1u)>;
// The largest of 32 values, and their sum; of bytes what byte_pairs says.
@uninitialized var<workgroup> half_scales: array<vec4f, max(half_chunks, 1u)>;
