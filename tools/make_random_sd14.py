#!/usr/bin/env python3
"""Write a full-size Stable Diffusion 1.4 diffusers folder with random float16 weights.

Speed and memory do not depend on the weights' values, and a deterministic folder also serves
as a test of numbers: sd14_expected.json holds outputs of the folder of seed 0. Needs numpy only.

usage: make_random_sd14.py OUT --tokenizer DIR [--seed 0] [--shapes sd14_shapes.json] [--legacy-vae]

DIR holds vocab.json and merges.txt (and the two small tokenizer configs), which are copied.
--legacy-vae names the VAE's attention tensors as the published SD 1.x files do (query, key,
value, proj_attn) instead of as diffusers writes them today (to_q, to_k, to_v, to_out.0).

Every element follows from its tensor's name, so a program can make any tensor without the file
(all arithmetic on unsigned 64-bit integers, wrapping):
    state  = FNV-1a-64 of the UTF-8 text "SEED/COMPONENT/TENSOR", e.g. "0/unet/conv_in.weight"
    word k = splitmix64's finalizer of (state + (k + 1) * 0x9E3779B97F4A7C15)
    u[i]   = 16-bit piece i % 4 (least significant first) of word i / 4
    w[i]   = float16(centre + spread * (2 * u[i] - 65535) / 65536), computed in double
    centre, spread: see rule(); spread is sqrt(3) times the standard deviation.
"""
import argparse, json, math, os, shutil, struct, sys
import numpy as np

GOLDEN = 0x9E3779B97F4A7C15
MASK = (1 << 64) - 1
FILES = {"text_encoder": "model.safetensors", "unet": "diffusion_pytorch_model.safetensors", "vae": "diffusion_pytorch_model.safetensors"}
LEGACY_VAE = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}


def fnv1a(text):
    h = 0xCBF29CE484222325
    for b in text.encode():
        h = ((h ^ b) * 0x100000001B3) & MASK
    return h


def pieces(text, start, count):
    """The 16-bit pieces start .. start + count of the stream that TEXT names; start is a multiple of 4."""
    k = np.arange(start // 4, (start + count + 3) // 4, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(fnv1a(text)) + (k + np.uint64(1)) * np.uint64(GOLDEN)
        z ^= z >> np.uint64(30)
        z *= np.uint64(0xBF58476D1CE4E5B9)
        z ^= z >> np.uint64(27)
        z *= np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return z.astype("<u8", copy=False).view("<u2")[:count]


def normals(text, shape):
    """Inputs for tests: about normal, mean 0, deviation 1 (the sum of a word's four pieces), float32."""
    n = int(np.prod(shape))
    s = pieces(text, 0, 4 * n).reshape(n, 4).astype(np.float64).sum(1)
    return ((2.0 * s - 4 * 65535) / 65536 * math.sqrt(3) / 2).astype(np.float32).reshape(shape)


def rule(component, name, shape):
    """(centre, standard deviation) of a tensor's elements."""
    leaf = name.rsplit(".", 1)[-1]
    if "norm" in name.rsplit(".", 2)[-2]:
        return (1.0, 0.1) if leaf == "weight" else (0.0, 0.1)
    if leaf == "bias":
        return 0.0, 0.1
    if "token_embedding" in name:
        return 0.0, 0.5
    if "position_embedding" in name:
        return 0.0, 0.2
    gain = 1.0
    if any(q in name for q in ("to_q.", "to_k.", "q_proj.", "k_proj.")):
        gain = 1.5  # attention that picks rather than averages
    elif any(r in name for r in ("conv2.", "to_out.", "ff.net.2.", "proj_out.", "mlp.fc2.", "out_proj.")):
        gain = 0.7  # the end of a residual branch
    elif name.startswith(("decoder.conv_out", "conv_out")):
        gain = 0.8
    return 0.0, gain / math.sqrt(np.prod(shape[1:]))


def weights(seed, component, name, shape, chunk=1 << 22):
    """Yield the tensor's elements in order, as float16 arrays."""
    centre, deviation = rule(component, name, shape)
    u = np.arange(65536, dtype=np.float64)
    table = (centre + deviation * math.sqrt(3) * (2 * u - 65535) / 65536).astype("<f2")
    n = int(np.prod(shape))
    for start in range(0, n, chunk):
        yield table[pieces(f"{seed}/{component}/{name}", start, min(chunk, n - start))]


def write_safetensors(path, tensors):
    """tensors: (name, dtype name, shape, iterable of arrays)."""
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, dtype, shape, _ in tensors:
        size = int(np.prod(shape)) * {"F16": 2, "F32": 4, "I64": 8}[dtype]
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for _, _, _, parts in tensors:
            for part in parts:
                f.write(part.tobytes())
    return at


def write_folder(out, shapes, seed, tokenizer, legacy_vae=False, adjust=None):
    """adjust(component, name, array) may change a tensor before it is written."""
    total = 0
    for component, file in FILES.items():
        c = shapes[component]
        os.makedirs(os.path.join(out, component), exist_ok=True)
        with open(os.path.join(out, component, "config.json"), "w") as f:
            json.dump(c["config"], f, indent=2)
        tensors = []
        for name, shape in c["tensors"].items():
            parts = weights(seed, component, name, shape)
            if adjust:
                parts = [adjust(component, name, np.concatenate(list(parts)).reshape(shape))]
            stored = name
            if legacy_vae and component == "vae" and ".attentions." in name:
                for new, old in LEGACY_VAE.items():
                    stored = stored.replace(f".{new}.", f".{old}.")
            tensors.append((stored, "F16", shape, parts))
        if component == "text_encoder":  # the published files hold it; nothing needs it
            tensors.append(("text_model.embeddings.position_ids", "I64", [1, 77], [np.arange(77, dtype="<i8")]))
        total += write_safetensors(os.path.join(out, component, file), tensors)
    os.makedirs(os.path.join(out, "scheduler"), exist_ok=True)
    with open(os.path.join(out, "scheduler", "scheduler_config.json"), "w") as f:
        json.dump(shapes["scheduler"]["config"], f, indent=2)
    with open(os.path.join(out, "model_index.json"), "w") as f:
        json.dump(shapes["model_index"], f, indent=2)
    destination = os.path.join(out, "tokenizer")
    os.makedirs(destination, exist_ok=True)
    for file in ("vocab.json", "merges.txt", "tokenizer_config.json", "special_tokens_map.json"):
        source = os.path.join(tokenizer, file)
        if os.path.abspath(source) != os.path.abspath(os.path.join(destination, file)):
            shutil.copyfile(source, os.path.join(destination, file))
    return total


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    p.add_argument("out")
    p.add_argument("--tokenizer", required=True)
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--shapes", default=os.path.join(here, "..", "tests", "data", "sd", "sd14_shapes.json"))
    p.add_argument("--legacy-vae", action="store_true")
    a = p.parse_args()
    with open(a.shapes) as f:
        shapes = json.load(f)
    total = write_folder(a.out, shapes, a.seed, a.tokenizer, a.legacy_vae)
    print(f"{a.out}: {total / 1e9:.2f} GB of weights, seed {a.seed}")


if __name__ == "__main__":
    main()
