struct Pair {
  a: vec4<f32>,
  b: u32,
}

@group(0) @binding(0) var<storage, read_write> y: array<vec4<f32>>;

@compute @workgroup_size(1, 1, 1)
fn zeroes() {
  var s = f32();
  var v = vec4<f32>();
  var p = Pair();
  var a = array<f32, 100>();
  for (var i = 0u; i < 100u; i++) {
    a[i] += s;
    s += f32(p.b);
    v += p.a;
    p.a = v;
    p.b = i;
  }
  y[0] = v + a[u32(s)];
}
