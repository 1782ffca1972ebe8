// Unsupported: The object 'ids' is an image buffer; WebGPU has no texel buffers.
