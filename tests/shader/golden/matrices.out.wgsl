// Unsupported: 'words' holds matrices of f16 and of f32; in WGSL an array is of one kind of component.
