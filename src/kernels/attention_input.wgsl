// Keys and values, of a KV cache or not (head_rows), as tiles of the pipeline (key_tiles). A workgroup makes a tile.
import package::head_rows::{key_count, key_halves, slices, value_halves};
import package::key_tiles::{first_tile, key_units, keys, tile_units, tiles_at, value_channels, values_at};

override lanes: u32;

var<storage, read_write> packed: array<vec4<u32>>;

fn key_slice(b: u32, head: u32, row: u32, s: u32) -> vec2<u32> {
  if (s < slices) {
    return key_halves(b, head, row, s);
  }
  return vec2<u32>();
}

fn low_halves(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return (a & vec2<u32>(0xffffu)) | (b << vec2<u32>(16u));
}

fn high_halves(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return (a >> vec2<u32>(16u)) | (b & vec2<u32>(0xffff0000u));
}

@compute @workgroup_size(lanes)
fn attention_input(@builtin(workgroup_id) at: vec3u, @builtin(num_workgroups) groups: vec3u,
                   @builtin(local_invocation_index) t: u32) {
  let head = at.y;
  let b = at.z;
  let end = key_count();
  let start = (first_tile() + at.x) * keys;
  if (start >= end) {
    return;
  }
  let to = tiles_at(b, head, groups.y) + at.x * tile_units;
  for (var i = t; i < keys * key_units; i += lanes) {
    let row = start + i / key_units;
    let unit = i % key_units;
    var value: vec4<u32>;
    if (row < end) {
      value = vec4<u32>(key_slice(b, head, row, 2u * unit), key_slice(b, head, row, 2u * unit + 1u));
    }
    packed[to + unit * keys + i / key_units] = value;
  }
  const value_slices = value_channels / 4u;
  for (var i = t; i < keys / 8u * value_slices; i += lanes) {
    let s = i % value_slices;
    var rows: array<vec2<u32>, 8>;
    @unroll for (var n = 0u; n < 8u; n++) {
      let row = start + i / value_slices * 8u + n;
      if (row < end && s < slices) {
        rows[n] = value_halves(b, head, row, s);
      }
    }
    var even: array<vec2<u32>, 4>;  // channels 0 and 2 of the slice, two rows a word
    var odd: array<vec2<u32>, 4>;   // 1 and 3
    @unroll for (var n = 0u; n < 4u; n++) {
      even[n] = low_halves(rows[2u * n], rows[2u * n + 1u]);
      odd[n] = high_halves(rows[2u * n], rows[2u * n + 1u]);
    }
    let place = to + values_at + i / value_slices * value_channels + 4u * s;
    packed[place] = vec4<u32>(even[0].x, even[1].x, even[2].x, even[3].x);
    packed[place + 1u] = vec4<u32>(odd[0].x, odd[1].x, odd[2].x, odd[3].x);
    packed[place + 2u] = vec4<u32>(even[0].y, even[1].y, even[2].y, even[3].y);
    packed[place + 3u] = vec4<u32>(odd[0].y, odd[1].y, odd[2].y, odd[3].y);
  }
}
