var<storage, read_write> y: array<f32>;

@compute @workgroup_size(1)
fn floats() {
  y[0] = 0.0;
  y[1] = -0.0;
  y[2] = 1e-45;
  y[3] = 3.4028234663852886e38;
  y[4] = 0.1;
  y[5] = 100000.0;
  y[6] = 1e10;
  y[7] = 0x1.8p-3;
}
