// Chat templates against Jinja itself (tests/data/text/jinja_cases.json, by tools/make_jinja_cases.py) and
// against SmolLM2's oracle; and templates that mean harm.
#include "text/chat_template.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "model_files.h"

namespace driftwood {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string rendered(const std::string& source, const jinja::Dict& variables = {}) {
  return ChatTemplate(source, "<s>", "</s>").render(std::vector<ChatMessage>{}, {.variables = variables});
}

std::string error_of(const std::string& source) {
  try {
    rendered(source);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::string read_cases() {
  std::ifstream stream(std::string(DRIFTWOOD_TEST_DATA) + "/text/jinja_cases.json");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(ChatTemplate, GivesWhatJinjaGives) {
  const std::string text = read_cases();
  const auto file = nlohmann::json::parse(text);
  const jinja::Value whole = jinja::parse_json(text);  // which keeps the order of members
  const jinja::Dict variables = whole.find("variables")->dict();
  EXPECT_GT(file["cases"].size(), 200U);
  for (const auto& one : file["cases"]) {
    std::optional<std::string> given;
    std::string message;
    try {
      given = rendered(one["template"], variables);
    } catch (const Error& error) {
      message = error.what();
    }
    if (one["text"].is_null()) {
      EXPECT_FALSE(given) << one["template"] << " gives " << *given;
    } else {
      EXPECT_EQ(given.value_or("error: " + message), one["text"].get<std::string>()) << one["template"];
    }
  }
}

/// The cases of whole templates in the ways of model families.
TEST(ChatTemplate, RendersTheTemplatesOfFamiliesAsJinjaDoes) {
  const std::string text = read_cases();
  const auto file = nlohmann::json::parse(text);
  const jinja::Value whole = jinja::parse_json(text);
  const jinja::List conversations = whole.find("conversations")->list();
  EXPECT_GE(file["families"].size(), 14U);
  for (const auto& one : file["family_cases"]) {
    const std::string source = file["families"][one["template"].get<std::string>()];
    jinja::Dict variables = conversations[one["conversation"].get<std::size_t>()].dict();
    const auto take = [&](std::string_view name) {
      const auto at =
          std::find_if(variables.begin(), variables.end(), [&](const auto& pair) { return pair.first == name; });
      const jinja::Value value = at->second;
      variables.erase(at);
      return value;
    };
    const jinja::Value messages = take("messages");
    const bool generates = take("add_generation_prompt").boolean();
    std::optional<std::string> given;
    std::string message;
    try {
      given = ChatTemplate(source, "<s>", "</s>")
                  .render_value(messages, {.add_generation_prompt = generates, .variables = variables});
    } catch (const Error& error) {
      message = error.what();
    }
    const std::string name = one["template"].get<std::string>() + " " + one["conversation"].dump();
    if (one["text"].is_null()) {
      EXPECT_FALSE(given) << name << " gives " << *given;
      EXPECT_THAT(message, HasSubstr(one["error"].get<std::string>())) << name;
    } else {
      EXPECT_EQ(given.value_or("error: " + message), one["text"].get<std::string>()) << name;
    }
  }
}

TEST(ChatTemplate, RendersSmolLm2Conversations) {
  TOKENIZER_OR_SKIP(tokenizer, smollm2_file);
  const ChatTemplate chat(*tokenizer);
  for (const auto& one : read_oracle("smollm2-135m", "chat")) {
    std::vector<ChatMessage> messages;
    for (const auto& message : one["messages"]) messages.push_back({message["role"], message["content"]});
    const std::string text = chat.render(messages, {.add_generation_prompt = one["add_generation_prompt"]});
    EXPECT_EQ(text, one["text"].get<std::string>());
    EXPECT_EQ(tokenizer->encode(text, {.parse_special = true}), one["ids"].get<std::vector<std::int32_t>>());
  }
}

TEST(ChatTemplate, GivesBosOnceWhereTheTemplateAndTheFileBothWantIt) {
  TOKENIZER_OR_SKIP(tokenizer, gemma3_file);
  ASSERT_TRUE(tokenizer->add_bos());
  const ChatTemplate chat("{{ bos_token }}<start_of_turn>user\n{{ messages[0].content }}", "<bos>", "<eos>");
  const auto ids = chat_ids(*tokenizer, chat.render({{"user", "a"}}));
  EXPECT_THAT(std::vector(ids.begin(), ids.begin() + 2), testing::ElementsAre(2, 105));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), *tokenizer->bos()), 1);
}

TEST(ChatTemplate, RefusesRolesOutOfOrderInTheTemplatesOwnWords) {
  const auto file = nlohmann::json::parse(read_cases());
  for (const char* name : {"gemma-2", "gemma-3"}) {
    const ChatTemplate chat(file["families"][name].get<std::string>(), "<bos>", "<eos>");
    try {
      chat.render({{"user", "a"}, {"user", "b"}});
      ADD_FAILURE() << "two turns of the user in a row were taken";
    } catch (const InvalidInput& error) {
      EXPECT_THAT(error.what(),
                  HasSubstr("The chat template refuses the conversation: The roles must go user, assistant"));
    }
  }
}

TEST(ChatTemplate, AddsTheBosThatATemplateLeavesOut) {
  TOKENIZER_OR_SKIP(tokenizer, gemma3_file);
  const auto ids = chat_ids(*tokenizer, "<start_of_turn>user\na");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), *tokenizer->bos()), 1);
  EXPECT_EQ(ids.front(), *tokenizer->bos());
  TOKENIZER_OR_SKIP(without, smollm2_file);
  EXPECT_NE(chat_ids(*without, "a").front(), *without->bos()) << "a model whose file adds none gets none";
}

TEST(ChatTemplate, SetsTheTokensAndTheMessages) {
  const ChatTemplate chat("{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ add_generation_prompt }}", "<s>",
                          "</s>");
  EXPECT_EQ(chat.render({{"user", "Hi {{ x }}"}}, {.add_generation_prompt = false}), "<s>Hi {{ x }}</s>False");
}

TEST(ChatTemplate, KeepsTheBytesOfAMessage) {
  const ChatTemplate chat("{{ messages[0].content | trim }}", "", "");
  const std::string content("a\0\xFF\xF0\x9Fz", 6);
  EXPECT_EQ(chat.render({{"user", " " + content + " "}}), content);
}

TEST(ChatTemplate, SaysWhereItFails) {
  EXPECT_THAT(error_of("\n\n{{ nothing.role }}"),
              HasSubstr("'nothing' is undefined.\nWhile running line 3, column 11 of the chat template"));
  EXPECT_THAT(error_of("{% if true %}\n\n"),
              HasSubstr("Line 2, column 1 of the chat template: '{% endif %}' is expected"));
  EXPECT_THAT(error_of("{{ raise_exception('Only two roles.') }}"),
              HasSubstr("refuses the conversation: Only two roles."));
  EXPECT_THAT(error_of("é\n  {{ 1 | frobnicate }}"),
              AllOf(HasSubstr("The filter 'frobnicate' is not supported"), HasSubstr("line 2, column 8")));
  EXPECT_THAT(error_of("{{ 1 is frobnicated }}"),
              AllOf(HasSubstr("The test 'frobnicated' is not supported"), HasSubstr("line 1, column 9")));
  EXPECT_THAT(error_of("ab {% include 'x' %}"),
              HasSubstr("Line 1, column 4 of the chat template: the statement 'include' is not supported"));
  EXPECT_THAT(error_of("a\n{{ 'b\nc' ? }}"), HasSubstr("Line 3, column 4 of the chat template"));
}

TEST(ChatTemplate, TellsTheDate) {
  EXPECT_THAT(rendered("{{ strftime_now('%Y-%m-%d') }}"), testing::MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}"));
}

TEST(ChatTemplate, RendersTheGenerationMark) { EXPECT_EQ(rendered("{% generation %}x{% endgeneration %}"), "x"); }

TEST(ChatTemplate, BoundsWhatAHostileTemplateUses) {
  const std::string deep(5000, '(');
  const std::string bracket(5000, '[');
  std::string sum = "{{ 1";
  for (int i = 0; i < 5000; ++i) sum += " + 1";
  std::string blocks;
  for (int i = 0; i < 5000; ++i) blocks += "{% if true %}";
  std::string nots = "{{ ";
  for (int i = 0; i < 5000; ++i) nots += "not ";
  std::string dots = "{{ a";
  for (int i = 0; i < 5000; ++i) dots += ".a";
  const std::vector<std::string> templates = {
      "{{ " + deep,
      "{{ " + bracket,
      sum + " }}",
      nots + "1 }}",
      dots + " }}",
      blocks,
      "{{ 'x' * 10000000000 }}",
      "{{ [1] * 10000000000 }}",
      "{{ range(10000000000) }}",
      "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
      "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l | "
      "tojson }}",
      "{% set a = namespace(l=[1]) %}{% set b = namespace(l=[1]) %}{% for i in range(60) %}{% set a.l = [a.l, a.l] %}"
      "{% set b.l = [b.l, b.l] %}{% endfor %}{{ a.l == b.l }}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(1000000) %}{% set ns.l = [ns.l] %}{% endfor %}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(1000000) %}{% set ns.l = [ns.l.index] %}{% endfor %}",
      "{% set ns = namespace() %}{% set ns.me = ns %}",
      "{% set ns = namespace() %}{% set ns.me = [ns] %}",
      "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
      "{% macro f(x) %}{{ f(f(x)) }}{% endmacro %}{{ f(1) }}",
      "{% for i in range(1000000) %}" + std::string(1000, 'x') + "{% endfor %}",
      "{{ ('a' * 1000000).replace('', 'b' * 1000000) }}",
      "{{ ('a' * 1000000) | replace('a', 'b' * 1000000) }}",
      "{{ ('a\n' * 1000000) | indent(1000) }}",
      "{{ 9223372036854775807 + 1 }}",
      "{{ -9223372036854775807 - 2 }}",
      "{{ 99999999999999999999 }}",
      "{{ 10 ** 100 }}",
      "{{ (-9223372036854775807 - 1) // -1 }}",
      "{{ [1, 'a'] | sort }}",
      "{{ [1, 2][::0] }}",
      "{{ '\\ud800' }}",
      "{{ 1 % 0 }}",
      "{{ 1 is divisibleby 0 }}",
      "{{ 'a'.split('') }}",
      "{{ [1] | batch(0) }}",
      std::string("{{ \0 }}", 7),
      "{{ \xFF }",
      "{# never closed",
      "{% raw %} never closed",
      "{{ 'a' | join(1, 2, 3) | map() }}",
  };
  for (const std::string& source : templates) {
    EXPECT_THROW(rendered(source), Error) << source.substr(0, 100);
  }
}

TEST(ChatTemplate, SurvivesAnyTemplate) {
  // Fragments of templates in random order: each either renders or throws Error.
  const char* parts[] = {"{{",     "}}",     "{%",   "%}",     "-",        "+",          " if ",  " for ",     " in ",
                         " x ",    "[",      "]",    "(",      ")",        "{",          "}",     "|",         " trim ",
                         ".",      ",",      ":",    "'a'",    " 12 ",     " is ",       " not ", " defined ", "endif",
                         " else ", "endfor", "set ", "=",      "==",       "{#",         "#}",    "~",         "*",
                         "1.5",    "\n",     "raw",  "macro ", "range(3)", "loop.index", "\"",    "\\"};
  unsigned state = 7;
  for (int i = 0; i < 20000; ++i) {
    std::string source = i % 2 == 0 ? "{{ " : "{% ";
    for (unsigned n = 0; n < 3 + state % 12; ++n) {
      state = state * 1664525U + 1013904223U;
      source += parts[(state >> 16) % std::size(parts)];
    }
    source += i % 2 == 0 ? " }}" : " %}";
    try {
      rendered(source);
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), ErrorKind::Internal) << source;
    }
  }
}

}  // namespace
}  // namespace driftwood
