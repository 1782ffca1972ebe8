var<workgroup> values: array<u32, 128>;
@compute @workgroup_size(32)
fn main() {
  let a = subgroupMatrixLoad(&values, 0, false, 16);
}
