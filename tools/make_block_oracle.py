#!/usr/bin/env python3
"""Writes tests/data/blocks/TYPE.json: block bytes and the floats that they stand for, for every GGUF block format.

The expected values are those of the `gguf` package (pip install gguf); Q8_K, which it lacks, is computed here from
its definition. Bytes are random, with the scales of each block set to finite numbers, so that every bit of the quants
and of the packed scales takes both values; blocks of extremes follow: the largest, smallest and zero scales with all
bits clear, all bits set and every byte. Run: python3 tools/make_block_oracle.py [DIRECTORY]
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
    "IQ4_NL": (32, 18, [0]),
    "MXFP4": (32, 17, []),
}
# The largest halves, the smallest normal one, the smallest subnormal one, and zeroes.
EXTREME_HALVES = np.array([65504, -65504, 2**-14, 2**-24, -(2**-24), 0.0, -0.0], dtype="<f2")
EXTREME_EXPONENTS = (0, 1, 2, 127, 253, 254, 255)  # of MXFP4
EXTREME_FLOATS = (3e38, -3e38, 1.2e-38, 1e-45, 0.0)  # of Q8_K


def make_blocks(rng, count, block_bytes, scale_offsets):
    data = rng.integers(0, 256, size=(count, block_bytes), dtype=np.uint8)
    for offset in scale_offsets:
        scales = rng.uniform(-0.25, 0.25, size=count).astype("<f2")
        scales[0] = np.float16(6e-6)  # a subnormal half
        data[:, offset : offset + 2] = scales.view(np.uint8).reshape(count, 2)
    return data


def make_extremes(name, block_bytes, scale_offsets):
    """A block for each extreme scale and each of three patterns of all other bits."""
    every_byte = (np.arange(block_bytes) * 37 + 16).astype(np.uint8)
    patterns = [np.zeros(block_bytes, np.uint8), np.full(block_bytes, 255, np.uint8), every_byte]
    blocks = []
    for number, pattern in enumerate(patterns):
        if name == "MXFP4":
            for exponent in EXTREME_EXPONENTS:
                blocks.append(pattern.copy())
                blocks[-1][0] = exponent
            continue
        for i in range(len(EXTREME_HALVES)):
            block = pattern.copy()
            for j, offset in enumerate(scale_offsets):  # a second half is another one
                half = EXTREME_HALVES[(i + j * (number + 1)) % len(EXTREME_HALVES)]
                block[offset : offset + 2] = np.frombuffer(half.tobytes(), np.uint8)
            blocks.append(block)
    if name == "MXFP4" or name == "IQ4_NL":  # every nibble, low and high
        block = np.array([(i % 16) | (15 - i % 16) << 4 for i in range(block_bytes)], dtype=np.uint8)
        for offset in scale_offsets:
            block[offset : offset + 2] = np.frombuffer(np.float16(0.75).tobytes(), np.uint8)
        if name == "MXFP4":
            block[0] = 128
        blocks.append(block)
    return np.stack(blocks)


def make_q8_k(rng, count):
    data, values = [], []
    scales = [rng.uniform(-0.25, 0.25) for _ in range(count)]
    for scale in scales + list(EXTREME_FLOATS):
        scale = np.float32(scale)
        quants = rng.integers(-128, 128, size=256).astype(np.int8)
        quants[:2] = (-128, 127)
        if abs(scale) > 1e38:
            quants = np.sign(quants).astype(np.int8)  # what does not overflow
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
            if name == "MXFP4":
                blocks[:, 0] = rng.integers(110, 140, size=count, dtype=np.uint8)
            blocks = np.concatenate([blocks, make_extremes(name, block_bytes, scale_offsets)])
            data = blocks.tobytes()
            with np.errstate(over="ignore"):  # MXFP4 reaches 2^130
                values = gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[name]).reshape(-1)
        assert len(data) // block_bytes * length == values.size
        assert not np.isnan(values).any() and (name == "MXFP4" or np.isfinite(values).all())
        # Floats as bits, since JSON has no infinity.
        bits = values.astype("<f4").view("<u4")
        text = json.dumps({"type": name.lower(), "bytes": data.hex(), "bits": [int(b) for b in bits]})
        (directory / f"{name.lower()}.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
