#!/usr/bin/env python3
"""Writes the seed corpus of the fuzzers: tests/fuzz/corpus/{gguf,safetensors,png,clip,sentencepiece,tuning}.

Files named ok-* are right and must be read; files named bad-* must be refused. The tests run every one of them.
Run: python3 tests/fuzz/make_corpus.py
"""
import json
import pathlib
import struct
import zlib

ROOT = pathlib.Path(__file__).parent / "corpus"

U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64 = range(13)
FORMATS = {U8: "B", I8: "b", U16: "H", I16: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", I64: "q", F64: "d"}


def string(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(data)) + data


def value(kind, content):
    if kind == STRING:
        return string(content)
    if kind == ARRAY:
        element, items = content
        return struct.pack("<IQ", element, len(items)) + b"".join(value(element, item) for item in items)
    return struct.pack("<" + FORMATS[kind], content)


def pair(key, kind, content):
    return string(key) + struct.pack("<I", kind) + value(kind, content)


def gguf(pairs=(), tensors=(), version=3, alignment=32, tail=b""):
    """tensors: (name, type id, dims, data)"""
    table, data = b"", b""
    for name, type_id, dims, content in tensors:
        data += bytes(-len(data) % alignment)
        table += string(name) + struct.pack(f"<I{len(dims)}Q", len(dims), *dims)
        table += struct.pack("<IQ", type_id, len(data))
        data += content
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(pairs)) + b"".join(pairs) + table
    return head + bytes(-len(head) % alignment) + data + tail


def floats(*numbers):
    return struct.pack(f"<{len(numbers)}f", *numbers)


def block(size):
    return bytes((i * 37 + 11) % 128 for i in range(size))


def gguf_files():
    arch = pair("general.architecture", STRING, "llama")
    norm = ("output_norm.weight", 0, [4], floats(1, 2, 3, 4))
    scalars = [
        pair("u8", U8, 200), pair("i8", I8, -3), pair("u16", U16, 60000), pair("i16", I16, -300), pair("u32", U32, 1 << 31),
        pair("i32", I32, -70000), pair("f32", F32, 0.5), pair("bool", BOOL, True), pair("string", STRING, "text"),
        pair("u64", U64, 1 << 63), pair("i64", I64, -5), pair("f64", F64, 0.1),
    ]
    arrays = [
        pair("tokenizer.ggml.tokens", ARRAY, (STRING, ["<s>", "a", "Ġb".encode(), ""])),
        pair("tokenizer.ggml.scores", ARRAY, (F32, [0.0, -1.0, -2.0, -3.0])),
        pair("tokenizer.ggml.token_type", ARRAY, (I32, [3, 1, 1, 1])),
        pair("flags", ARRAY, (BOOL, [True, False])),
        pair("nested", ARRAY, (ARRAY, [(U8, [1, 2]), (STRING, ["x"]), (ARRAY, [(U16, [7])])])),
        pair("empty", ARRAY, (U32, [])),
    ]
    sizes = {2: 18, 3: 20, 6: 22, 7: 24, 8: 34, 10: 84, 11: 110, 12: 144, 13: 176, 14: 210, 15: 292, 20: 18, 39: 17}
    blocks = [
        (f"blk.{i}.w", i, [256 if 10 <= i < 20 else 32, 2], block(2 * size)) for i, size in sizes.items()
    ]
    # Driftwood's own: a scale, then blocks of 32; the last one is filled up.
    own = 0x44570000
    scaled = [
        (f"rows.{bits}", own + bits, [33, 2], 2 * (floats(0.5) + block(8 * bits))) for bits in (8, 4)
    ]
    plain = {0: 4, 1: 2, 24: 1, 25: 2, 26: 4, 27: 8, 28: 8, 30: 2}
    numbers = [(f"plain.{i}", i, [3, 1, 2], block(6 * size)) for i, size in plain.items()]
    yield "ok-empty", gguf()
    yield "ok-version2", gguf([arch], [norm], version=2)
    yield "ok-scalars", gguf([arch, *scalars])
    yield "ok-arrays", gguf(arrays)
    yield "ok-blocks", gguf([arch], blocks)
    yield "ok-row-scales", gguf([arch], scaled)
    yield "bad-row-scale-cut", gguf([arch], [("rows.4", own + 4, [33, 2], bytes(71))])
    yield "ok-plain", gguf([arch], numbers)
    yield "ok-alignment64", gguf([pair("general.alignment", U32, 64)], [norm, ("b", 0, [], floats(1))], alignment=64)
    yield "bad-magic", b"GGML" + gguf()[4:]
    yield "bad-version1", gguf(version=1)
    yield "bad-version3-swapped", gguf(version=3 << 24)
    yield "bad-count", b"GGUF" + struct.pack("<IQQ", 3, 1 << 63, 0)
    yield "bad-string-length", gguf()[:16] + struct.pack("<QQ", 1, 1 << 63) + bytes(16)
    yield "bad-nested-deep", gguf([string("deep") + struct.pack("<I", ARRAY) + struct.pack("<IQ", ARRAY, 1) * 100])
    yield "bad-alignment", gguf([pair("general.alignment", U32, 3)])
    yield "bad-dims5", gguf([], [("w", 0, [1] * 5, floats(1))])
    yield "bad-zero-extent", gguf([], [("w", 0, [4, 0], b"")])
    yield "bad-overflow", gguf([], [("w", 0, [1 << 32, 1 << 32], floats(1))])
    yield "bad-type", gguf([], [("w", 4, [32], block(32))])
    yield "bad-row", gguf([], [("w", 2, [33], block(36))])
    yield "bad-duplicate-key", gguf([arch, arch])
    yield "bad-duplicate-name", gguf([], [norm, norm])
    yield "bad-truncated", gguf([arch], [norm])[:-1]
    yield "bad-shard", gguf([pair("split.count", U16, 3), pair("split.no", U16, 0)], [norm])


def safetensors(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors_files():
    sizes = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "I32": 4, "I16": 2, "I8": 1, "U64": 8, "U32": 4, "U16": 2,
             "U8": 1, "BOOL": 1}
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for dtype, size in sizes.items():
        header[f"tensor.{dtype}"] = entry(dtype, [2, 3], at, at + 6 * size)
        at += 6 * size
    llama = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 64, "intermediate_size": 160,
        "num_hidden_layers": 3, "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 320, "rms_norm_eps": 1e-6,
        "rope_parameters": {"rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0,
                            "high_freq_factor": 4.0, "original_max_position_embeddings": 64},
        "eos_token_id": [1, 2], "tie_word_embeddings": True, "sliding_window": None,
    }
    older = dict(llama, rope_theta=1e4, rope_scaling={"type": "linear", "factor": 2.0})
    del older["rope_parameters"]
    one = entry("F32", [4], 0, 16)
    yield "ok-empty", safetensors({})
    yield "ok-types", safetensors(header, block(at))
    yield "ok-scalar", safetensors({"x": entry("F32", [], 0, 4), "nothing": entry("F16", [0, 3], 4, 4)}, floats(1))
    yield "ok-escapes", safetensors(b'{"a\\u00e9\\n\\"":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}  ', b"x")
    yield "bad-config", safetensors(llama)  # a config.json in place of the header
    yield "bad-config-older", safetensors(older)
    yield "bad-header-length", struct.pack("<Q", 1 << 63) + b"{}"
    yield "bad-depth", safetensors(b"[" * 100)
    yield "bad-json", safetensors(b'{"x":')
    yield "bad-overlap", safetensors({"x": one, "y": one}, floats(1, 2, 3, 4))
    yield "bad-gap", safetensors({"x": entry("F32", [1], 4, 8)}, floats(1, 2))
    yield "bad-duplicate", safetensors(b'{"x":1,"x":2}')
    yield "bad-shape", safetensors({"x": entry("F32", [1 << 32, 1 << 32], 0, 16)}, floats(1, 2, 3, 4))
    yield "bad-length", safetensors({"x": entry("F32", [3], 0, 16)}, floats(1, 2, 3, 4))
    yield "bad-dtype", safetensors({"x": entry("F8_E4M3", [4], 0, 4)}, b"1234")
    yield "bad-truncated", safetensors({"x": one}, floats(1, 2, 3, 4)[:-1])


GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
WIDTH, HEIGHT = 11, 9
ADAM7 = (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)


def chunk(name, data=b""):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def sample(kind, bits, x, y, channel):
    """What tests/formats/png_test.cpp expects to read."""
    if kind == PALETTE:
        return (x + y) % min(16, 1 << bits)
    value = (x * 17 + y * 29 + channel * 53) % (1 << min(bits, 8))
    return value << 8 | 0x7F if bits == 16 else value


def png_pixels(kind, bits, interlaced):
    rows = b""
    for left, top, across, down in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        for y in range(top, HEIGHT, down):
            values = [sample(kind, bits, x, y, c) for x in range(left, WIDTH, across) for c in range(CHANNELS[kind])]
            packed = "".join(f"{value:0{bits}b}" for value in values)
            packed += "0" * (-len(packed) % 8)
            if values:
                rows += b"\0" + int(packed, 2).to_bytes(len(packed) // 8, "big")
    return rows


def png(kind=RGB, bits=8, interlaced=False, size=(WIDTH, HEIGHT), extra=b"", pixels=None, end=chunk(b"IEND"), text=b""):
    head = struct.pack(">IIBBBBB", *size, bits, kind, 0, 0, interlaced)
    data = zlib.compress(png_pixels(kind, bits, interlaced) if pixels is None else pixels, 9)
    palette = b"".join(bytes([i * 16, 255 - i * 16, i * 5]) for i in range(min(16, 1 << bits)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + (chunk(b"PLTE", palette) if kind == PALETTE else b"") + extra
            + chunk(b"IDAT", data) + text + end)


def png_files():
    for name, kind, depths in (("grey", GREY, (1, 2, 4, 8, 16)), ("rgb", RGB, (8, 16)), ("palette", PALETTE, (1, 2, 4, 8)),
                               ("grey-alpha", GREY_ALPHA, (8, 16)), ("rgba", RGBA, (8, 16))):
        for bits in depths:
            yield f"ok-{name}-{bits}", png(kind, bits)
        yield f"ok-{name}-{bits}-interlaced", png(kind, bits, True)
    yield "ok-palette-8-transparent", png(PALETTE, extra=chunk(b"tRNS", bytes(i * 17 for i in range(16))))
    yield "ok-grey-4-transparent", png(GREY, 4, extra=chunk(b"tRNS", b"\0\5"))
    texts = (chunk(b"tEXt", b"Title\0caf\xe9") + chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"packed"))
             + chunk(b"iTXt", b"Author\0\0\0\0\0" + "猫".encode()) + chunk(b"iTXt", b"Odd\0\0\0\0\0\xff"))
    yield "ok-texts", png(text=texts)
    yield "ok-gamma", png(extra=chunk(b"gAMA", struct.pack(">I", 45455)) + chunk(b"sRGB", b"\0"))
    yield "ok-wrong-crc-of-text", png(text=chunk(b"tEXt", b"Title\0x")[:-1] + b"\0")
    good = png()
    yield "bad-empty", b""
    yield "bad-signature", good[1:]
    yield "bad-jpeg", b"\xff\xd8\xff\xe0" + bytes(20)
    for count in (8, 20, 33, 45, len(good) // 2, len(good) - 12, len(good) - 1):
        yield f"bad-truncated-{count}", good[:count]
    yield "bad-crc-of-header", good[:29] + bytes([good[29] ^ 1]) + good[30:]
    yield "bad-crc-of-pixels", good[:-13] + bytes([good[-13] ^ 1]) + good[-12:]
    yield "bad-zero-width", png(size=(0, HEIGHT))
    yield "bad-zero-height", png(size=(WIDTH, 0))
    yield "bad-huge", png(size=(100000, 100000))
    yield "bad-huge-row", png(size=(0x7FFFFFFF, 1))
    yield "bad-negative", png(size=(0xFFFFFFFF, 0xFFFFFFFF))
    yield "bad-large-without-pixels", png(size=(16384, 16384))
    yield "bad-huge-text", png(text=struct.pack(">I", 0x7FFFFFFF) + chunk(b"zTXt", b"Comment\0\0x")[4:])
    yield "bad-few-pixels", png(pixels=png_pixels(RGB, 8, False)[:-1])
    yield "bad-pixels", png(pixels=b"").replace(zlib.compress(b"", 9), b"nonsense")
    yield "bad-depth", png(RGB, 4, pixels=bytes(2000))
    yield "bad-kind", good[:25] + b"\5" + good[26:]
    yield "bad-no-palette", png(PALETTE).replace(b"PLTE", b"pLTE")
    yield "bad-unknown-critical", png(extra=chunk(b"ABCD"))
    yield "bad-filter", png(pixels=b"\x07" + png_pixels(RGB, 8, False)[1:])


def clip(vocab, merges="#version: 0.2\na b</w>\n", config="{}"):
    """What tests/fuzz/fuzz_clip.cpp cuts at NULs."""
    return b"\0".join(part if isinstance(part, bytes) else part.encode() for part in (vocab, merges, config))


def clip_files():
    names = ["a", "b", "a</w>", "b</w>", "ab</w>", "<|startoftext|>", "<|endoftext|>"]
    vocab = json.dumps({name: i for i, name in enumerate(names)})
    added = {"added_tokens_decoder": {"7": {"content": "<x>", "special": True, "lstrip": True}}}
    yield "ok-small", clip(vocab)
    yield "ok-added", clip(vocab, config=json.dumps(added))
    yield "ok-named", clip(vocab, config=json.dumps({"pad_token": "a", "unk_token": {"content": "b"}}))
    yield "bad-json", clip(vocab[:-1])
    yield "bad-list", clip("[]")
    yield "bad-bytes", clip(b"\xff")
    yield "bad-depth", clip("[" * 100)
    yield "bad-id", clip(vocab.replace("6}", "7}"))
    yield "bad-same-id", clip(vocab.replace("6}", "5}"))
    yield "bad-no-suffix", clip('{"a": 0}')
    yield "bad-no-end", clip(vocab.replace("endof", "endOf"))
    yield "bad-merge", clip(vocab, "a x</w>")
    yield "bad-line", clip(vocab, "abc")
    yield "bad-added-id", clip(vocab, config=json.dumps(added).replace("7", "8"))
    yield "bad-added-twice", clip(vocab, config=json.dumps(added).replace("7", "1"))


def varint(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, content):
    """A field of a protocol buffer: an integer, a float, or bytes."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    if isinstance(content, float):
        return varint(number << 3 | 5) + struct.pack("<f", content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def pieces(*list_):
    return b"".join(field(1, field(1, text.encode()) + field(2, float(score)) + field(3, kind)) for text, score, kind in list_)


def sentencepiece_files():
    control = ("<unk>", 0, 2), ("<s>", 0, 3), ("</s>", 0, 3)
    letters = ("\u2581", -4, 1), ("a", -5, 1), ("b", -6, 1), ("ab", -1, 1), ("\u2581a", -2, 1), ("<x>", 0, 4), ("aba", -3, 5)
    all_bytes = [(f"<0x{byte:02X}>", 0, 6) for byte in range(256)]
    bpe, unigram = field(2, field(3, 2)), field(2, field(3, 1))
    # A double array whose one entry is "b" -> "a".
    units = [0] * 128
    units[0] = 1 << 10
    units[1 ^ ord("b")] = ord("b") | 1 << 8 | 2 << 10
    units[(1 ^ ord("b")) ^ 2] = 1 << 31
    table = struct.pack("<I128I", 512, *units) + b"a\0"
    good = pieces(*control, *letters)
    yield "ok-bpe", good + bpe
    yield "ok-unigram", good + unigram
    yield "ok-no-settings", good
    yield "ok-bytes", pieces(*control, *letters, *all_bytes) + bpe
    yield "ok-unigram-bytes", pieces(*control, *letters, *all_bytes) + unigram
    yield "ok-no-prefix", good + bpe + field(3, field(3, 0) + field(4, 0))
    yield "ok-table", good + unigram + field(3, field(2, table))
    yield "ok-unknown-fields", good + bpe + field(99, 1) + field(100, b"x") + field(101, 1.5)
    yield "bad-empty", b""
    yield "bad-no-pieces", bpe
    yield "bad-no-unknown", pieces(*letters)
    yield "bad-truncated", (good + bpe)[:-1]
    yield "bad-length", good + varint(1 << 3 | 2) + varint(1 << 62)
    yield "bad-varint", good + b"\xff" * 11
    yield "bad-group", good + varint(9 << 3 | 3)
    yield "bad-field-0", good + b"\0\0"
    yield "bad-type", good + pieces(("x", 0, 7))
    yield "bad-score", good + pieces(("x", float("nan"), 1)) + bpe
    yield "bad-byte", good + pieces(("<0xG0>", 0, 6)) + bpe
    yield "bad-words", good + field(2, field(3, 3))
    yield "bad-id", good + field(2, field(3, 2) + field(41, 99))
    yield "bad-table", good + bpe + field(3, field(2, table[:100]))
    yield "bad-table-end", good + bpe + field(3, field(2, table[:-1]))
    yield "bad-recursive", field(1, field(1, field(1, field(1, b""))))
    yield "bad-text", b"{\"model\": 1}"


def tuning_files():
    entry = {"node": "linear (f32 1 c64; q4_0 64 x 64) -> f32 1 c64 @ auto", "tokens": 1, "places": 0,
             "kernel": "linear-rows", "values": {"splits": 8, "turns": 2}, "us": 5.25, "rule_us": 6.5,
             "modules": ["package::linear_rows"], "code": "0123456789abcdef"}
    table = {"format": 1, "device": "a device", "api": "OpenCL 3.0", "driver": "1", "entries": [entry]}

    def with_entry(**changes):
        return json.dumps({**table, "entries": [{**entry, **changes}]}).encode()

    whole = json.dumps(table).encode()
    yield "ok-one", whole
    yield "ok-none", json.dumps({**table, "entries": []}).encode()
    yield "ok-two", json.dumps({**table, "entries": [entry, {**entry, "node": "x", "kernel": "", "values": {}}]}).encode()
    yield "ok-unknown-fields", with_entry(more=1)
    yield "bad-empty", b""
    yield "bad-truncated", whole[:-2]
    yield "bad-format", json.dumps({**table, "format": 2}).encode()
    yield "bad-list", b"[1]"
    yield "bad-entries", json.dumps({**table, "entries": {}}).encode()
    yield "bad-value", with_entry(values={"splits": -1})
    yield "bad-values", with_entry(values={str(i): i for i in range(17)})
    yield "bad-tokens", with_entry(tokens=1 << 32)
    yield "bad-time", with_entry(us="fast")
    yield "bad-node", with_entry(node="x" * 4001)
    yield "bad-depth", with_entry(values={"a": [[[1]]]})
    yield "bad-twice", whole[:-1] + b', "format": 1}'
    yield "bad-utf8", whole.replace(b"a device", b"a \xff")


def main():
    readers = {"gguf": gguf_files, "safetensors": safetensors_files, "png": png_files, "clip": clip_files, "sentencepiece": sentencepiece_files,
               "tuning": tuning_files}
    for folder, files in ((folder, make()) for folder, make in readers.items()):
        (ROOT / folder).mkdir(parents=True, exist_ok=True)
        for name, content in files:
            (ROOT / folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
