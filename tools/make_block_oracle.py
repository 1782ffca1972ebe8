#!/usr/bin/env python3
"""Writes tests/data/blocks/TYPE.json: block bytes and the floats that they stand for, for every GGUF block format.

The expected values are those of the `gguf` package (pip install gguf); Q8_K, which it lacks, is computed here from
its definition. Bytes are random, with the scales of each block set to finite numbers, so that every bit of the quants
and of the packed scales takes both values. Run: python3 tools/make_block_oracle.py [DIRECTORY]
"""
import json
import pathlib
import struct
import sys

import gguf
import numpy as np

# type: (values a block, bytes a block, offsets of the half-precision scales)
FORMATS = {
    "Q4_0": (32, 18, [0]),
    "Q4_1": (32, 20, [0, 2]),
    "Q5_0": (32, 22, [0]),
    "Q5_1": (32, 24, [0, 2]),
    "Q8_0": (32, 34, [0]),
    "Q2_K": (256, 84, [80, 82]),
    "Q3_K": (256, 110, [108]),
    "Q4_K": (256, 144, [0, 2]),
    "Q5_K": (256, 176, [0, 2]),
    "Q6_K": (256, 210, [208]),
    "Q8_K": (256, 292, []),
}


def make_blocks(rng, count, block_bytes, scale_offsets):
    data = rng.integers(0, 256, size=(count, block_bytes), dtype=np.uint8)
    for offset in scale_offsets:
        scales = rng.uniform(-0.25, 0.25, size=count).astype("<f2")
        scales[0] = np.float16(6e-6)  # a subnormal half
        data[:, offset : offset + 2] = scales.view(np.uint8).reshape(count, 2)
    return data


def make_q8_k(rng, count):
    data, values = [], []
    for _ in range(count):
        scale = np.float32(rng.uniform(-0.25, 0.25))
        quants = rng.integers(-128, 128, size=256).astype(np.int8)
        sums = quants.astype(np.int16).reshape(16, 16).sum(axis=1).astype("<i2")
        data.append(struct.pack("<f", scale) + quants.tobytes() + sums.tobytes())
        values.append(scale * quants.astype(np.float32))
    return b"".join(data), np.concatenate(values)


def main():
    directory = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tests/data/blocks")
    directory.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20250502)
    for name, (length, block_bytes, scale_offsets) in FORMATS.items():
        count = 4 if length == 32 else 2
        if name == "Q8_K":
            data, values = make_q8_k(rng, count)
        else:
            blocks = make_blocks(rng, count, block_bytes, scale_offsets)
            data = blocks.tobytes()
            values = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[name]).reshape(-1)
        assert len(data) == count * block_bytes and values.size == count * length
        assert np.isfinite(values).all()
        text = json.dumps({"type": name.lower(), "bytes": data.hex(), "values": [float(v) for v in values]})
        (directory / f"{name.lower()}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
