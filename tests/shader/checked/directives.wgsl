enable f16;
enable subgroups;
requires packed_4x8_integer_dot_product;
diagnostic(off, derivative_uniformity);

@group(0) @binding(3) var<storage, read_write> second: array<f16>;
@group(0) @binding(1) var<storage, read> first: array<vec2h>;

@compute @workgroup_size(8) @diagnostic(off, subgroup_uniformity)
fn main() {
  second[0] = first[1].x * 2h;
}
