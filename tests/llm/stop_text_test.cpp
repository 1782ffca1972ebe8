// Stop texts against tokens as they come: in pieces, and within characters that are several tokens.
#include <gtest/gtest.h>

#include "llm/generate.h"
#include "text/byte_alphabet.h"
#include "text/stream_decoder.h"
#include "text/utf8.h"

namespace driftwood::llm {
namespace {

/// A token a byte.
const Tokenizer& bytes_tokenizer() {
  static const auto tokenizer = [] {
    TokenizerData data;
    data.pre_tokenizer = "gpt-2";
    for (int byte = 0; byte < 256; ++byte)
      data.tokens.push_back(byte_alphabet::encode(std::string(1, static_cast<char>(byte))));
    return Tokenizer::create(std::move(data));
  }();
  return *tokenizer;
}

struct Shown {
  std::string text;
  bool stopped = false;
};

/// What a reader of the stream sees of a text that comes a byte at a time; checks that no character is cut.
Shown shown(const std::string& text, const std::vector<std::string>& stops) {
  StreamDecoder decoder(bytes_tokenizer());
  StopFilter filter(stops);
  std::string out;
  const auto add = [&](const std::string& part) {
    EXPECT_TRUE(utf8::is_valid(part)) << text;
    out += part;
  };
  for (const char byte : text) {
    if (filter.stopped()) break;
    add(filter.push(decoder.push(static_cast<unsigned char>(byte))));
  }
  if (!filter.stopped()) {
    add(filter.push(decoder.flush()));
    add(filter.flush());
  }
  return {out, filter.stopped()};
}

TEST(StopText, MayBeACharacterOfSeveralTokens) {
  const Shown result = shown("one 😀 two", {"😀"});
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.text, "one ");
  EXPECT_EQ(shown("one 😁 two", {"😀"}).text, "one 😁 two") << "three of four bytes are the same";
}

TEST(StopText, MayEndWithinNoCharacter) {
  EXPECT_EQ(shown("añ日b", {"ñ日"}).text, "a");
  EXPECT_EQ(shown("aññ日b", {"ñ日"}).text, "añ");
  EXPECT_FALSE(shown("añ", {"ñ日"}).stopped);
  EXPECT_EQ(shown("añ", {"ñ日"}).text, "añ") << "what only began like a stop text is text";
}

TEST(StopText, NeverLeaksWhereverItIsCut) {
  const std::string stop = "</end>\n";
  for (const std::string& before :
       {std::string(), std::string("x"), std::string("</en"), std::string("</</end"), std::string("😀<")}) {
    const Shown result = shown(before + stop + "after", {"never", stop});
    EXPECT_TRUE(result.stopped) << before;
    EXPECT_EQ(result.text, before);
  }
}

}  // namespace
}  // namespace driftwood::llm
