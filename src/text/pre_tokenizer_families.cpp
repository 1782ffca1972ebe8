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
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}\x{295}-\x{2AF})"
    R"(\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1})"
    R"(\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5})"
    R"(\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77})"
    R"(\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D})"
    R"(\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE})"
    R"(\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC})"
    R"(\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124})"
    R"(\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E})"
    R"(\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D})"
    R"(\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF})"
    R"(\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F})"
    R"(\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF})"
    R"(\x{1E900}-\x{1E943}]+)";
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
    // Qwen's own tokenizers bring a text to Unicode's form C first.
    PreTokenizerFamily{{"qwen2"}, {qwen2}, false, false, true},
    PreTokenizerFamily{{"deepseek-r1-qwen", "kormo", "megrez", "stablelm2", "hunyuan", "solar-open", "grok-2"},
                       {qwen2}},
    PreTokenizerFamily{{"qwen35"}, {qwen35}, false, false, true},
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
