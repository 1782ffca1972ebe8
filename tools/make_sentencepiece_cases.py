#!/usr/bin/env python3
"""Writes tests/data/text/sentencepiece/*.model and sentencepiece_cases.json with Google's sentencepiece library.

The models are tiny, trained here on made-up text; the cases are texts and the ids that the library gives. Training is
not the same from version to version, so both are committed. Needs `pip install sentencepiece`.
"""
import io
import json
import os
import pathlib
import random

import sentencepiece

DATA = pathlib.Path(__file__).resolve().parent.parent / "tests/data/text"
FOLDER = DATA / "sentencepiece"
FOLDER.mkdir(parents=True, exist_ok=True)

random.seed(11)
SYLLABLES = ["ka", "lo", "mi", "ter", "an", "de", "sh", "ou", "é", "ñ", "th", "ing", "er", "st", "日", "本", "ра", "до", "1", "23", "4", "'s", "-", "."]
WORDS = ["".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(150)]
CORPUS = [" ".join(random.choices(WORDS, k=30)) + random.choice([".", "!", "?"]) for _ in range(300)]

TEXTS = CORPUS[:8] + [
    "", " ", "   ", "a", " a", "a ", "  kalo  mi  ", "kalo\tmi\nter", "\n\n", "\t\t\t\t\t\ttest", "Hello, world!", "UPPER lower", "123 1234 12.5",
    "日本語 до ра", "😀👍🏽", "é vs e\u0301", "ﬁne ﬂat Ⅷ ① ㈱ ½ ２３ ｶﾞ", "\u00a0x\u3000y\u200bz\ufeff", "a\u2581b", "\u2581", "<tool>", "kalo<tool>mi", "x <tool> y",
    "<s>", "</s>", "<unk>", "<0x41>", "kalo <pad> mi", "\u0000nul\u0001", "e\u0301\u0301\u0316", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "  <b>x</b>  ", "∑ ≠ → ©®™",
    "e\u0300 n\u0303 한국어 ｱｲｳ", "kalomi" * 20, "… ‥ ﷺ", "thing's thing\u2019s", "two\r\nlines\r", "مرحبا नमस्ते", "st er th an", "  <tool>  ",
]

# A small table of changes to characters: "code points<TAB>code points", in hexadecimal. NFKC's is 240 KB, so one model has it.
os.chdir(FOLDER)  # the model keeps the path as it is given
RULES = pathlib.Path("rules.tsv")
CHANGES = {"ﬁ": "fi", "½": "1/2", "é": "e", "e\u0301": "e", "\t": " ", "\u3000": " ", "\u200b": "", "2": "two", "23": "23!", "K": "k", "®": "(r) "}
RULES.write_text("".join(" ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target) + "\n" for source, target in CHANGES.items()))

COMMON = dict(pad_id=-1, hard_vocab_limit=False, minloglevel=2, max_sentencepiece_length=8)
MODELS = {
    # Llama's and Mistral's choices: identity, byte fallback, digits apart.
    "bpe-llama": dict(model_type="bpe", vocab_size=480, byte_fallback=True, split_digits=True, normalization_rule_name="identity", remove_extra_whitespaces=False),
    # Gemma's: no space before the text, tokens of several spaces and of tags.
    "bpe-gemma": dict(model_type="bpe", vocab_size=500, byte_fallback=True, add_dummy_prefix=False, normalization_rule_name="identity", remove_extra_whitespaces=False,
                      pad_id=0, eos_id=1, bos_id=2, unk_id=3, user_defined_symbols=["\n", "\n\n", "▁▁", "▁▁▁▁", "\t\t\t\t", "<b>", "</b>", "<tool>"]),
    "bpe-rules": dict(model_type="bpe", vocab_size=200, normalization_rule_tsv=str(RULES), user_defined_symbols=["<tool>"]),
    "unigram-nmt": dict(model_type="unigram", vocab_size=200),
    "unigram-bytes": dict(model_type="unigram", vocab_size=440, byte_fallback=True, normalization_rule_tsv=str(RULES), user_defined_symbols=["<tool>", "ﬁne"],
                          control_symbols=["<pad>"]),
    "unigram-plain": dict(model_type="unigram", vocab_size=180, normalization_rule_name="identity", add_dummy_prefix=False, remove_extra_whitespaces=False),
}

cases = {}
for name, choices in MODELS.items():
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(CORPUS), model_writer=model, **{**COMMON, **choices})
    (FOLDER / f"{name}.model").write_bytes(model.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    cases[name] = [{"text": text, "ids": processor.encode(text)} for text in TEXTS]
    print(name, len(model.getvalue()), "bytes,", processor.vocab_size(), "pieces")
RULES.unlink()
(DATA / "sentencepiece_cases.json").write_text(
    "{" + ",\n".join(json.dumps(name) + ": [\n" + ",\n".join(json.dumps(one) for one in list_) + "]" for name, list_ in cases.items()) + "}\n")
