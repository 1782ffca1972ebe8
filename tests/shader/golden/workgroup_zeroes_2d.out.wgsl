struct Cell {
  sum: f32,
  n: u32,
}

@group(0) @binding(0) var<storage, read_write> y: array<f32>;
var<workgroup> grid: array<array<f32, 8>, 8>;
var<workgroup> cells: array<Cell, 16>;
var<workgroup> hits: atomic<u32>;

@compute @workgroup_size(8, 8, 1)
fn zeroes(@builtin(local_invocation_id) local: vec3<u32>) {
  if (y[local.x] > 0.0f) {
    grid[local.y][local.x] = 1.0f;
    cells[local.x].sum = 2.0f;
    atomicAdd(&hits, 1u);
  }
  workgroupBarrier();
  let value = grid[local.x][local.y] + cells[local.y].sum;
  let value_1 = f32(atomicLoad(&hits));
  y[local.x] = value + value_1;
}
