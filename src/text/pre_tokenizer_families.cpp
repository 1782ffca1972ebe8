// The table of pre-tokenizer families. The patterns are those of the models' own tokenizers.
#include <array>

#include "text/pre_tokenizer.h"

namespace driftwood {

namespace {

#define CONTRACTIONS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
// From GPT-4o on, words split where a lower-case letter meets an upper-case one.
#define UPPER R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define LOWER R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define LEAD R"([^\r\n\p{L}\p{N}]?)"

constexpr std::string_view gpt2 = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view each_numeral = R"(\p{N})";
constexpr std::string_view three_digits = R"([0-9][0-9][0-9])";
constexpr std::string_view llama3 =
    CONTRACTIONS "|" LEAD R"(\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen2 =
    CONTRACTIONS "|" LEAD R"(\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view qwen35 =
    CONTRACTIONS "|" LEAD R"([\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view gpt4o = LEAD UPPER "*" LOWER "+" CONTRACTIONS "?|" LEAD UPPER "+" LOWER "*" CONTRACTIONS
                                              R"(?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view tekken =
    LEAD UPPER "*" LOWER "+|" LEAD UPPER "+" LOWER R"(*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view seed_coder =
    CONTRACTIONS "|" LEAD R"(\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view bailing =
    R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*)"
    R"(|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view bloom = R"( ?[^(\s|.,!?…。，、।۔،)]+)";
// Letters of the scripts that have case, as DeepSeek lists them.
constexpr std::string_view deepseek_cased =
    R"(\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅ)"
    R"(ὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼ\x{1FBE}ῂ-ῄῆ-ῌῐ-ΐῖ-\x{1FDB}ῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\x{2126}ℨ\x{212A}-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻ)"
    R"(Ȿ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃]+)";
constexpr std::string_view deepseek_words =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

const std::array families{
    PreTokenizerFamily{{"default"}, {R"([\p{P}\$\+<=>\^~\|]+)", gpt2, R"(\p{N}+)", three_digits}},
    PreTokenizerFamily{{"gpt-2", "gpt2", "phi-2", "mpt", "olmo", "jais", "trillion", "granite-docling", "exaone4",
                        "gigachat", "a.x-4.0", "mellum"},
                       {gpt2}},
    PreTokenizerFamily{{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b"},
                       {each_numeral, gpt2}},
    PreTokenizerFamily{{"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"},
                       {llama3},
                       true,
                       true},
    PreTokenizerFamily{{"dbrx", "smaug-bpe", "chatglm-bpe", "glm4"}, {llama3}},
    PreTokenizerFamily{{"qwen2", "deepseek-r1-qwen", "kormo", "megrez", "stablelm2", "hunyuan", "solar-open", "grok-2"},
                       {qwen2}},
    PreTokenizerFamily{{"qwen35"}, {qwen35}},
    PreTokenizerFamily{{"gpt-4o", "llama4", "kanana2", "minimax-m2"}, {gpt4o}},
    PreTokenizerFamily{{"tekken"}, {tekken}, true, true},
    PreTokenizerFamily{{"seed-coder"}, {seed_coder}},
    PreTokenizerFamily{{"bailingmoe", "bailingmoe2", "llada-moe"}, {bailing}},
    PreTokenizerFamily{{"deepseek-llm"},
                       {R"([\r\n])", deepseek_cased, R"(\s?[!-/:-~！-／：-～‘-‟\x{3000}-。]+)", R"(\s+$)",
                        R"([一-龥ࠀ-一가-\x{D7FF}]+)", R"(\p{N}+)"}},
    PreTokenizerFamily{{"deepseek-coder"},
                       {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)", R"([一-龥ࠀ-一가-\x{D7FF}]+)", each_numeral}},
    PreTokenizerFamily{{"deepseek-v3", "hunyuan-dense", "joyai-llm"},
                       {R"(\p{N}{1,3})", R"([一-龥\x{3040}-ゟ゠-ヿ]+)", deepseek_words}},
    PreTokenizerFamily{{"falcon"}, {R"([\p{P}\$\+<=>\^~\|`]+)", gpt2, three_digits}},
    PreTokenizerFamily{{"bloom", "poro-chat", "gpt3-finnish"}, {bloom}},
    PreTokenizerFamily{{"viking"}, {bloom, each_numeral}},
    PreTokenizerFamily{{"chameleon"},
                       {R"(<sentinel:[0-9]+>)", R"((IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z)", R"(([\t\n]|    |  ))",
                        each_numeral, R"([\p{P}!-/:-@\[-`{-~])", gpt2},
                       false,
                       true},
};

}  // namespace

std::span<const PreTokenizerFamily> pre_tokenizer_families() { return families; }

}  // namespace driftwood
