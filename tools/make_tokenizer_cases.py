#!/usr/bin/env python3
"""Writes tests/data/text/{pre_tokenizer_cases,small_tokenizers}.json with Hugging Face's tokenizers library.

The first holds how the pre-tokenizers of model families cut texts; the second a few small tokenizers, trained here
on made-up text, with the ids they give. Needs `pip install tokenizers`.
"""
import json
import pathlib
import random

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

DATA = pathlib.Path(__file__).parent.parent / "tests/data/text"
DATA.mkdir(parents=True, exist_ok=True)

TEXTS = [
    "Hello, world!", " leading", "trailing ", "a  b   c    d", "tab\ttab\t\tx", "line\nline\n\nx\n", "a\r\nb\r\n\r\nc", "\n \n  \n x",
    "   \n   y", "I'm he'll WE'VE they'RE it's 'tis O'Neil", "don’t", "1 12 123 1234 12345 1234567", "3.14, 1,000,000; -5e-10", "a1b22c333d4444",
    "x² ½ Ⅶ ٤٥٦ १२३ １２３", "camelCase PascalCase SCREAMING_CASE snake_case iPhone", "ÀÉÎ àéî Ünïcödé ǅ ŉ", "日本語のテキスト。中文，测试！한국어 문장",
    "Привет, мир! Γειά σου", "مرحبا بالعالم", "नमस्ते दुनिया", "สวัสดี", "é à combining", "😀👍🏽👩‍💻 ❤️", "$100 €50 +-*/= <b>a</b> `code` ~x~ ^y^ |z|",
    "http://a.b/c?d=e&f#g", "C:\\x\\y.txt", "/usr/lib//x", "...!!!???", "(a)[b]{c}", "\u00a0nbsp\u00a0x\u3000y\u2028z\u0085w", "mongolian\u180evowel \u180e x",
    "\u200bzero\u200dwidth\ufeff", "a\u0000b\u0001c", "  'll 's", "ſ 'ſ", "end.\n\nNext para.\n", "x\n\n\n   y\n", " \t\n\r\x0b\x0c ", "a\u2029\u2029b",
    "word123word 4five6", "¿Qué? ¡Sí!", "“quoted” ‘x’ —dash– …", "1st 2nd @user #tag %s", "//comment\n/* x */\n", "aAbBcC ABCdef ABCDef", "Ⅷ ⅷ ① ㈱",
]

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
TAIL = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def byte_level(regex):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=regex)


CASED = (r"A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}"
         r"\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}"
         r"\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-"
         r"\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-"
         r"\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-"
         r"\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}"
         r"\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-"
         r"\x{2CE4}\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787}\x{A78B}-\x{A78E}"
         r"\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3}"
         r"\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}")

FAMILIES = {
    "gpt-2": [byte_level(True)],
    "smollm": [pre_tokenizers.Digits(individual_digits=True), byte_level(True)],
    "llama-bpe": [split(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|" + TAIL), byte_level(False)],
    "qwen2": [split(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|" + TAIL), byte_level(False)],
    "gpt-4o": [split(r"[^\r\n\p{L}\p{N}]?" + UPPER + "*" + LOWER + "+" + CONTRACTIONS + r"?|[^\r\n\p{L}\p{N}]?" + UPPER + "+" + LOWER + "*" + CONTRACTIONS
                     + r"?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"), byte_level(False)],
    "tekken": [split(r"[^\r\n\p{L}\p{N}]?" + UPPER + "*" + LOWER + r"+|[^\r\n\p{L}\p{N}]?" + UPPER + "+" + LOWER
                     + r"*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"), byte_level(False)],
    "falcon": [pre_tokenizers.Punctuation("contiguous"), byte_level(True), split("[0-9][0-9][0-9]")],
    "deepseek-coder": [split("[\r\n]"), split(r"\s?\p{L}+"), split(r"\s?\p{P}+"), split("[一-龥ࠀ-一가-퟿]+"), pre_tokenizers.Digits(True), byte_level(False)],
    "deepseek-llm": [split("[\r\n]"), split(r"\s?[" + CASED + "]+"), split("\\s?[!-/:-~！-／：-～‘-‟\u3000-。]+"), split("\\s+$"), split("[一-龥ࠀ-一가-\uD7FF]+"),
                     pre_tokenizers.Digits(False), byte_level(False)],
    "deepseek-v3": [split(r"\p{N}{1,3}"), split("[一-龥぀-ゟ゠-ヿ]+"),
                    split(r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"),
                    byte_level(False)],
    "seed-coder": [split(CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+"), byte_level(False)],
}


def pieces(steps, text):
    return [text[begin:end] for _, (begin, end) in pre_tokenizers.Sequence(steps).pre_tokenize_str(text)]


def write(name, value, key):
    lines = ",\n".join(json.dumps(item) + ": " + json.dumps(one, ensure_ascii=True) for item, one in value.items())
    (DATA / name).write_text("{" + lines + "}\n")
    print(name, len(value), key)


families = {name: [pieces(steps, text) for text in TEXTS] for name, steps in FAMILIES.items()}
write("pre_tokenizer_cases.json", {"texts": TEXTS, **families}, "families and texts")

# --- small tokenizers

random.seed(5)
SYLLABLES = ["ka", "lo", "mi", "ter", "an", "de", "sh", "ou", "é", "ñ", "th", "ing", "er", "st", "日", "本", "ра", "до", "1", "23", "4", "'s", "-", "."]
CORPUS = [" ".join("".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(40)) + random.choice([".", "!", "\n", "\n\n  "]) for _ in range(400)]
SPECIAL_TEXTS = ["<s>a</s>", "kalo <tool> mi", "  <s>  lomi  <tool>  ter ", "<mask> x", "x <mask> y", "a  <end>  b", "kalomi<s><s>ter</s>", "<tool><tool>", "<s> ", "</s> a", " <s>",
                 "<|user|>\nkalo<|end|>\n<|assistant|> \n mi", "\t\t\t\t\t\ttest", "a  <b>b</b>\n\n\nc    d", "cafe\u0301 <s>e\u0301", "▁a ▁", " ▁"]


def byte_level_tokenizer(steps, ignore_merges=False, normalizer=None):
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=420, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def sentence_piece_tokenizer(metaspace):
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    if metaspace == "normalizer":
        tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    elif metaspace == "split":
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
    elif metaspace == "gemma":
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
        tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    elif metaspace:
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=metaspace, split=False)
    else:
        tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=500, show_progress=False, special_tokens=["<unk>"] + bytes_, max_token_length=12))
    saved = json.loads(tokenizer.to_str())
    # The trainer lists the byte tokens as special; in real files they are tokens of the model alone.
    saved["added_tokens"] = [token for token in saved["added_tokens"] if not token["content"].startswith("<0x")]
    return Tokenizer.from_str(json.dumps(saved))


def finish(tokenizer, taking_spaces=(), plain=()):
    tokenizer.add_special_tokens([AddedToken(text, special=True, rstrip=True, normalized=False) for text in taking_spaces])
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in plain])
    tokenizer.add_special_tokens(["<s>", "</s>", AddedToken("<mask>", special=True, lstrip=True), AddedToken("<end>", special=True, rstrip=True)])
    tokenizer.add_tokens([AddedToken("<tool>", normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])
    return tokenizer


TOKENIZERS = {
    "gpt2-like": finish(byte_level_tokenizer([byte_level(True)])),
    "smollm-like": finish(byte_level_tokenizer(FAMILIES["smollm"])),
    "llama3-like": finish(byte_level_tokenizer(FAMILIES["llama-bpe"], ignore_merges=True)),
    "qwen2-like": finish(byte_level_tokenizer(FAMILIES["qwen2"], normalizer=normalizers.NFC())),
    "deepseek-like": finish(byte_level_tokenizer(FAMILIES["deepseek-coder"])),
    "gemma-like": finish(sentence_piece_tokenizer(None)),
    "mistral-like": finish(sentence_piece_tokenizer("first")),
    "llama2-like": finish(sentence_piece_tokenizer("normalizer")),
    "metaspace-split": finish(sentence_piece_tokenizer("split")),
    "phi3-like": finish(sentence_piece_tokenizer("normalizer"), ["<|user|>", "<|assistant|>", "<|end|>"]),
    "gemma3-like": finish(sentence_piece_tokenizer("gemma"), plain=["\n", "\n\n", "\t\t", "\t\t\t\t\t\t", "▁▁", "▁▁▁▁", "<b>", "</b>"]),
    "tekken-like": finish(byte_level_tokenizer(FAMILIES["tekken"], ignore_merges=True)),
}

cases = {}
for name, tokenizer in TOKENIZERS.items():
    texts = CORPUS[:12] + SPECIAL_TEXTS + TEXTS
    cases[name] = {"tokenizer": tokenizer.to_str(), "cases": [
        {"text": text, "ids": tokenizer.encode(text, add_special_tokens=False).ids, "with_special": tokenizer.encode(text).ids} for text in texts]}
write("small_tokenizers.json", cases, "tokenizers")
