struct Inner {
  scale: f32,
  offset: vec2<f32>,
}

struct Outer {
  first: Inner,
  list: array<Inner, 3>,
  last: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> input: array<Outer>;
@group(0) @binding(1) var<storage, read_write> result: Outer;

fn doubled(x: Inner) -> Inner {
  var r = x;
  for (var i = 0i; i < 2i; i++) {
    r.scale += x.scale;
    r.offset.x += r.scale;
    r.offset += vec2<f32>(1.0f);
    r.offset.y = 3.0f;
    r.offset.y *= 2.0f;
  }
  return r;
}

@compute @workgroup_size(1, 1, 1)
fn structs(@builtin(global_invocation_id) id: vec3<u32>) {
  result.first = doubled(input[id.x].first);
  result.list[1] = doubled(input[id.x].list[id.y]);
  result.list[2].offset.y = input[0].list[1].offset.x;
  result.last = vec4<f32>(2.0f, result.last.x, 0.0f, 0.0f);
  let whole = input[id.y];
  result.first = whole.first;
}
