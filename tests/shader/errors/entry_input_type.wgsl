@compute @workgroup_size(1)
fn main(@builtin(workgroup_id) a: u32) {}
