// Keys and values as attention through the pipeline of a workgroup takes them: `keys` neighbouring rows of a head at a
// time, as f16. First the keys, eight channels after one another of all rows; then the values, of which eight rows of a
// channel are together, of all channels. What fills a head's last sixteen channels, and rows past the last, are zeroes.
//
// A head's tiles are numbered from the one with the first row that any query of the run sees.
import package::head_rows::{seen_from, slices};

override keys: u32;   // of a tile: 16 to 128, by sixteens
override tiles: u32;  // of a head, at most
override parts: u32;  // that the channels of values are divided into

const depth = (slices + 3u) / 4u;  // sixteens of channels
const key_units = 2u * depth;      // of eight channels
const part_channels = (4u * slices + 8u * parts - 1u) / (8u * parts) * 8u;
const value_channels = part_channels * parts;
const values_at = key_units * keys;
const tile_units = values_at + keys / 8u * value_channels;

fn first_tile() -> u32 {
  return seen_from(0u) / keys;
}

// Where the tiles of a head begin.
fn tiles_at(b: u32, head: u32, heads: u32) -> u32 {
  return (b * heads + head) * tiles * tile_units;
}
