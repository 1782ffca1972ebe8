
@compute @workgroup_size(1)
fn main() {}
//// fusion epilogue
fn epilogue() {}
