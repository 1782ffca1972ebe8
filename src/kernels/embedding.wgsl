// y[token] = row ids[token] of the table. A workgroup a token.
@weights var<read> table: weights<f32>;
var<storage, read> ids: array<u32>;
@tensor var<write> y: tensor<f32>;

override lanes: u32;

@fusion fn epilogue(value: vec4f, b: u32, y: u32, x: u32, s: u32) -> vec4f {
  return value;
}

@compute @workgroup_size(lanes)
fn embedding(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) local: vec3u) {
  let token = group.x;
  let row = ids[token];
  for (var s = local.x; s < tensorSlices(y); s += lanes) {
    tensorStore(y, token, s, epilogue(weightsLoad(table, row, s), 0u, 0u, token, s));
  }
}
