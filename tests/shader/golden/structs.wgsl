struct Inner {
  scale: f32,
  offset: vec2f,
}
struct Outer {
  first: Inner,
  list: array<Inner, 3>,
  last: vec4f,
}

var<storage, read> input: array<Outer>;
var<storage, read_write> result: Outer;

fn doubled(x: Inner) -> Inner {
  var r = x;
  for (var i = 0; i < 2; i++) {
    r.scale += x.scale;
    r.offset.x += r.scale;
    r.offset += vec2f(1.0);
    r.offset[1] = 3.0;
    r.offset.y *= 2.0;
  }
  return r;
}

@compute @workgroup_size(1)
fn structs(@builtin(global_invocation_id) id: vec3u) {
  result.first = doubled(input[id.x].first);
  result.list[1] = doubled(input[id.x].list[id.y]);
  result.list[2].offset.y = input[0].list[1].offset.x;
  result.last = vec4f(Inner(1.0, vec2f(2.0, result.last.x)).offset, 0.0, 0.0);
  let whole = input[id.y];
  result.first = whole.first;
}
