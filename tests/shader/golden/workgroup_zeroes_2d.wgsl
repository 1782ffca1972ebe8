struct Cell {
  sum: f32,
  n: u32,
}
var<workgroup> grid: array<array<f32, 8>, 8>;
var<workgroup> cells: array<Cell, 16>;
var<workgroup> hits: atomic<u32>;
var<storage, read_write> y: array<f32>;

@compute @workgroup_size(8, 8)
fn zeroes(@builtin(local_invocation_id) local: vec3u) {
  if (y[local.x] > 0.0) {
    grid[local.y][local.x] = 1.0;
    cells[local.x].sum = 2.0;
    atomicAdd(&hits, 1u);
  }
  workgroupBarrier();
  y[local.x] = grid[local.x][local.y] + cells[local.y].sum + f32(atomicLoad(&hits));
}
