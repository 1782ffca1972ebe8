// The chat of `driftwood run MODEL` on a pseudo-terminal, with a tiny model whose answers are noise.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/command_line.h"
#include "cli/terminal.h"

namespace driftwood {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* interrupt_key = "\x03";

class ChatOnATerminal : public CommandLine {
 protected:
  void SetUp() override {
    const std::filesystem::path source = std::string(DRIFTWOOD_TEST_DATA) + "/llm/llama-gqa-tied";
    for (const char* name : {"config.json", "model.safetensors"}) {
      std::filesystem::create_symlink(source / name, folder_.path() / name);
    }
    folder_.write("tokenizer.json", tokenizer().dump());
    folder_.write("tokenizer_config.json", R"({"bos_token": "<s>", "eos_token": "</s>", "add_bos_token": true})");
    folder_.write("chat_template.jinja",
                  "{{ bos_token }}{% for m in messages %}{% if 'forbidden' in m.content %}"
                  "{{ raise_exception('That word is forbidden.') }}{% endif %}"
                  "<turn>{{ m.role[0] }}{{ m.content }}{% endfor %}");
  }

  /// As many tokens as the model has: letters and other bytes, then noise.
  static json tokenizer() {
    json vocabulary = json::object();
    for (int i = 0; i < 26; ++i) vocabulary[std::string(1, static_cast<char>('a' + i))] = i;
    for (int i = 26; i < 317; ++i) vocabulary["w" + std::to_string(i)] = i;
    json added = json::array();
    for (const char* text : {"<s>", "</s>", "<turn>"}) {
      added.push_back({{"id", 317 + added.size()}, {"content", text}, {"special", true}});
    }
    const json byte_level = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}};
    return {{"added_tokens", added},
            {"pre_tokenizer", byte_level},
            {"decoder", byte_level},
            {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", json::array()}}}};
  }

  std::vector<std::string> arguments(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"run", folder_.path().string(), "--device", "reference", "--ignore-eos", "--temp",
                                 "0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// The conversation so far, by /save.
  json saved(Terminal& terminal) const {
    terminal.type("/save " + (folder_.path() / "saved.json").string() + "\r");
    EXPECT_TRUE(terminal.shows("messages are in")) << terminal.screen();
    EXPECT_TRUE(terminal.shows("> "));
    return json::parse(contents(folder_.path() / "saved.json"));
  }
};

TEST_F(ChatOnATerminal, TakesCommands) {
  for (const char* kind : {"xterm", "dumb"}) {
    Terminal terminal(arguments(), kind);
    ASSERT_TRUE(terminal.shows("> ")) << terminal.screen();
    terminal.type("/help\r");
    EXPECT_TRUE(terminal.shows("/regen         another answer")) << terminal.screen();
    EXPECT_TRUE(terminal.shows("> "));
    terminal.type("/nonsense\r");
    EXPECT_TRUE(terminal.shows("There is no command /nonsense")) << terminal.screen();
    EXPECT_TRUE(terminal.shows("> "));
    terminal.type("/stats\r");
    EXPECT_TRUE(terminal.shows("context: 0 of 512 tokens")) << terminal.screen();
    EXPECT_TRUE(terminal.shows("> "));
    terminal.type("/load /does/not/exist\r");
    EXPECT_TRUE(terminal.shows("driftwood: error: The file '/does/not/exist' cannot be opened")) << terminal.screen();
    EXPECT_TRUE(terminal.shows("> "));
    terminal.type("\x04");
    EXPECT_EQ(terminal.status(), 0) << terminal.screen();
  }
}

// Keys typed before the prompt is there count as those typed after it.
TEST_F(ChatOnATerminal, EndsByWhatWasTypedAhead) {
  for (const char* kind : {"xterm", "dumb"}) {
    Terminal terminal(arguments(), kind);
    ASSERT_TRUE(terminal.shows("device reference")) << terminal.screen();
    terminal.type("\x04");
    EXPECT_EQ(terminal.status(), 0) << terminal.screen();
  }
}

TEST_F(ChatOnATerminal, KeepsTheConversation) {
  Terminal terminal(arguments({"-n", "2", "--system", "kind"}));
  ASSERT_TRUE(terminal.shows("> ")) << terminal.screen();
  terminal.type("\"\"\"one\rtwo\"\"\"\r");
  EXPECT_TRUE(terminal.shows("limit of 2 tokens")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  json messages = saved(terminal);
  ASSERT_EQ(messages.size(), 3u) << messages;
  EXPECT_EQ(messages[0], (json{{"role", "system"}, {"content", "kind"}}));
  EXPECT_EQ(messages[1], (json{{"role", "user"}, {"content", "one\ntwo"}}));
  EXPECT_EQ(messages[2]["role"], "assistant");

  terminal.type("/regen\r");
  EXPECT_TRUE(terminal.shows("limit of 2 tokens")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  EXPECT_EQ(saved(terminal), messages) << "the temperature is 0";

  terminal.type("//a\\\rb\r");
  EXPECT_TRUE(terminal.shows("limit of 2 tokens")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  messages = saved(terminal);
  ASSERT_EQ(messages.size(), 5u) << messages;
  EXPECT_EQ(messages[3]["content"], "/a\nb");

  terminal.type("/system cruel\r");
  EXPECT_TRUE(terminal.shows("is set"));
  terminal.type("/clear\r");
  EXPECT_TRUE(terminal.shows("A new conversation"));
  messages = saved(terminal);
  EXPECT_EQ(messages, (json::array({{{"role", "system"}, {"content", "cruel"}}})));

  const auto file = folder_.write("old.json", R"([{"role": "user", "content": "x"}])");
  terminal.type("/load " + file.string() + "\r");
  EXPECT_TRUE(terminal.shows("1 messages from"));
  terminal.type("/regen\r");
  EXPECT_TRUE(terminal.shows("limit of 2 tokens")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  EXPECT_EQ(saved(terminal).size(), 2u);
#ifdef DRIFTWOOD_LIBEDIT
  terminal.type("again\r");
  EXPECT_TRUE(terminal.shows("limit of 2 tokens")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  terminal.type("\x1b[A\r");  // the line before
  EXPECT_TRUE(terminal.shows("limit of 2 tokens")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  messages = saved(terminal);
  ASSERT_EQ(messages.size(), 6u) << messages;
  EXPECT_EQ(messages[4]["content"], "again");
#endif
  terminal.type("/exit\r");
  EXPECT_EQ(terminal.status(), 0) << terminal.screen();
}

TEST_F(ChatOnATerminal, StopsAnAnswerAndNotTheProgram) {
  Terminal terminal(arguments({"-n", "400"}));
  ASSERT_TRUE(terminal.shows("> ")) << terminal.screen();
  terminal.type("go on\r");
  EXPECT_TRUE(terminal.shows("go on")) << terminal.screen();
  EXPECT_TRUE(terminal.shows_more(20)) << terminal.screen();
  terminal.type(interrupt_key);
  EXPECT_TRUE(terminal.shows("(stopped)")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  EXPECT_EQ(saved(terminal).size(), 2u) << "what was said stays";
  terminal.type(interrupt_key);
  EXPECT_TRUE(terminal.shows("Ctrl-C once more")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  terminal.type(interrupt_key);
  EXPECT_EQ(terminal.status(), 0) << terminal.screen();
}

TEST_F(ChatOnATerminal, GoesOnAfterAnError) {
  Terminal terminal(arguments({"-n", "200", "--ctx", "64"}));
  ASSERT_TRUE(terminal.shows("> ")) << terminal.screen();
  terminal.type("forbidden\r");
  EXPECT_TRUE(terminal.shows("refuses the conversation: That word is forbidden.")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  terminal.type("a\r");
  EXPECT_TRUE(terminal.shows("the context of 64 tokens is full (reason \"length\"): /clear")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  terminal.type("b\r");
  EXPECT_TRUE(terminal.shows("over the context of 64. /clear begins a new one")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("> "));
  EXPECT_EQ(saved(terminal).size(), 2u) << "a message without an answer is none of the conversation";
  terminal.type("/exit\r");
  EXPECT_EQ(terminal.status(), 0);
}

TEST_F(ChatOnATerminal, IsNoneWhereStandardInputIsAFile) {
  const Result result = run("run " + quoted(folder_.path().string()) + " --device reference", "hello\n");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no prompt"));
}

}  // namespace
}  // namespace driftwood
