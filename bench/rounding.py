#!/usr/bin/env python3
"""What each rounding to f16 does to the logits of random layers: a Llama of 32 layers and a quarter of the 8B's width, q8_0
weights with random integers, computed in f32 and with one or more roundings. Needs numpy; a minute on one core.

    bench/rounding.py

Prints, for each rounding, the relative L2 error of the logits of the first, the 51st and the 101st of 101 tokens.
"""
import numpy as np

WIDTH, HEADS, KV_HEADS, HEAD, HIDDEN, LAYERS, TOKENS, VOCABULARY = 1024, 16, 4, 64, 3584, 32, 101, 4096
SCALE = 0.0003 * (4096 / WIDTH) ** 0.5  # products as large as the 8B's
ALL = {"tokens", "weights", "caches", "queries", "shares"}

random = np.random.default_rng(0)


def integers(rows, columns):
    return random.integers(-128, 128, (rows, columns)).astype(np.float32)


def half(values):
    return values.astype(np.float16).astype(np.float32)


layers = [{"qkv": integers((HEADS + 2 * KV_HEADS) * HEAD, WIDTH), "o": integers(WIDTH, HEADS * HEAD),
           "gate": integers(HIDDEN, WIDTH), "up": integers(HIDDEN, WIDTH), "down": integers(WIDTH, HIDDEN)}
          for _ in range(LAYERS)]
head = integers(VOCABULARY, WIDTH)
embedded = integers(TOKENS, WIDTH) * SCALE
scale = np.float32(np.float16(SCALE))


def rope(x):
    angles = np.arange(TOKENS)[:, None] * 500000.0 ** (-np.arange(HEAD // 2) * 2 / HEAD)[None]
    cosine, sine = np.cos(angles)[:, None].astype(np.float32), np.sin(angles)[:, None].astype(np.float32)
    turned = np.empty_like(x)
    turned[..., 0::2] = x[..., 0::2] * cosine - x[..., 1::2] * sine
    turned[..., 1::2] = x[..., 0::2] * sine + x[..., 1::2] * cosine
    return turned


def norm(x):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def logits(rounded):
    """Of the three tokens, with the roundings named: of what enters products, of weights, of keys and values, of scaled
    queries, of the shares that attention gives values."""
    def maybe(what, x):
        return half(x) if what in rounded else x

    def product(x, weights):
        return maybe("tokens", x) @ maybe("weights", weights * scale).T

    mask = np.triu(np.full((TOKENS, TOKENS), -1e30, np.float32), 1)
    x = embedded.copy()
    for layer in layers:
        parts = product(norm(x), layer["qkv"]).reshape(TOKENS, HEADS + 2 * KV_HEADS, HEAD)
        queries = maybe("queries", rope(parts[:, :HEADS]) / np.sqrt(HEAD).astype(np.float32))
        keys = maybe("caches", rope(parts[:, HEADS:HEADS + KV_HEADS]))
        values = maybe("caches", parts[:, HEADS + KV_HEADS:])
        attended = np.empty((TOKENS, HEADS, HEAD), np.float32)
        for i in range(HEADS):
            k = i // (HEADS // KV_HEADS)
            scores = queries[:, i] @ keys[:, k].T + mask
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            attended[:, i] = maybe("shares", shares) @ values[:, k] / shares.sum(-1, keepdims=True)
        x = x + product(attended.reshape(TOKENS, -1), layer["o"])
        gate, up = product(norm(x), layer["gate"]), product(norm(x), layer["up"])
        x = x + product(gate / (1 + np.exp(-gate)) * up, layer["down"])
    return norm(x)[[0, 50, 100]] @ (head * scale).T


exact = logits(set())
for what in [{each} for each in sorted(ALL)] + [ALL - {"caches"}, ALL - {"weights"}, ALL]:
    errors = np.linalg.norm(logits(what) - exact, axis=1) / np.linalg.norm(exact, axis=1)
    print(f"{', '.join(sorted(what)):45}", "  ".join(f"{error:.1e}" for error in errors), flush=True)
