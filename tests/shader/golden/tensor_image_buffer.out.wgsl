// Unsupported: The object 'x' is an image buffer; WebGPU has no texel buffers.
