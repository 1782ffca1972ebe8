#include "text/huggingface_sections.h"

#include <fmt/format.h>

#include "base/error.h"
#include "formats/quote.h"
#include "text/pre_tokenizer.h"

namespace driftwood::huggingface {

namespace {

constexpr const char* meta_space = "\xE2\x96\x81";

[[noreturn]] void refuse(std::string_view section, const Json& step) {
  throw Unsupported(fmt::format("The {} of tokenizer.json has the step {}, which is not supported.", section,
                                quote_name(step.dump(-1, ' ', false, Json::error_handler_t::replace))));
}

/// A literal string as a pattern.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_special = std::string_view(R"(\^$.|?*+()[]{})").find(c) != std::string_view::npos;
    if (is_special) out += '\\';
    out += c;
  }
  return out;
}

std::string pattern_of(const Json& step) {
  const Json& pattern = member(step, "pattern");
  const std::string regex = string_of(pattern, "Regex");
  return regex.empty() ? escaped(string_of(pattern, "String")) : regex;
}

SplitPattern split_pattern(const Json& step) {
  const std::string behavior = string_of(step, "behavior");
  const bool invert = flag_of(step, "invert", false);
  const bool isolates = behavior == "Isolated" && !invert;
  const bool removes_rest = behavior == "Removed" && invert;
  const std::string pattern = pattern_of(step);
  if ((!isolates && !removes_rest) || pattern.empty()) refuse("pre_tokenizer", step);
  return {pattern, isolates};
}

std::string punctuation_pattern(const Json& step) {
  constexpr const char* punctuation = R"([\p{P}$+<=>^~|`])";
  const std::string behavior = string_of(step, "behavior");
  if (behavior == "Contiguous") return std::string(punctuation) + "+";
  if (behavior == "Isolated" || behavior.empty()) return punctuation;
  refuse("pre_tokenizer", step);
}

/// The text of a token written as ["text", id].
std::string first_string(const Json& list) {
  return list.is_array() && !list.empty() && list.front().is_string() ? list.front().get<std::string>() : std::string();
}

bool is_space_replacement(const Json& step) {
  return string_of(step, "type") == "Replace" && pattern_of(step) == " " && string_of(step, "content") == meta_space;
}

}  // namespace

const Json& member(const Json& json, const char* name) {
  static const Json null;
  if (!json.is_object()) return null;
  const auto at = json.find(name);
  return at == json.end() ? null : *at;
}

std::string string_of(const Json& json, const char* name) {
  const Json& value = member(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

bool flag_of(const Json& json, const char* name, bool otherwise) {
  const Json& value = member(json, name);
  return value.is_boolean() ? value.get<bool>() : otherwise;
}

std::vector<Json> steps_of(const Json& section) {
  if (!section.is_object()) return {};
  if (string_of(section, "type") != "Sequence") return {section};
  for (const char* name : {"pretokenizers", "normalizers", "processors", "decoders"}) {
    const Json& list = member(section, name);
    if (list.is_array()) return list.get<std::vector<Json>>();
  }
  return {};
}

bool is_byte_level(const Json& tokenizer) {
  for (const char* section : {"pre_tokenizer", "decoder"}) {
    for (const Json& step : steps_of(member(tokenizer, section))) {
      if (string_of(step, "type") == "ByteLevel") return true;
    }
  }
  return false;
}

static std::vector<NormalizerStep> read_normalizer(const Json& tokenizer) {
  std::vector<NormalizerStep> steps;
  for (const Json& step : steps_of(member(tokenizer, "normalizer"))) {
    const std::string type = string_of(step, "type");
    if (type == "NFC") {
      steps.push_back(NormalizerStep::ComposedForm);
    } else if (type == "Lowercase") {
      steps.push_back(NormalizerStep::LowerCase);
    } else if (type == "Replace" && pattern_of(step) == R"(\s+)" && string_of(step, "content") == " ") {
      steps.push_back(NormalizerStep::SingleSpaces);
    } else {
      refuse("normalizer", step);
    }
  }
  return steps;
}

void read_byte_level_steps(const Json& tokenizer, TokenizerData& data) {
  data.normalizer = read_normalizer(tokenizer);
  for (const Json& step : steps_of(member(tokenizer, "pre_tokenizer"))) {
    const std::string type = string_of(step, "type");
    if (type == "Split") {
      data.split_patterns.push_back(split_pattern(step));
    } else if (type == "Digits") {
      data.split_patterns.push_back({flag_of(step, "individual_digits", false) ? R"(\p{N})" : R"(\p{N}+)"});
    } else if (type == "Punctuation") {
      data.split_patterns.push_back({punctuation_pattern(step)});
    } else if (type == "ByteLevel" && !flag_of(step, "add_prefix_space", true)) {
      if (flag_of(step, "use_regex", true)) {
        data.split_patterns.push_back({std::string(pre_tokenizer_family("gpt-2").patterns.front())});
      }
    } else {
      refuse("pre_tokenizer", step);
    }
  }
  if (data.split_patterns.empty()) data.split_patterns.push_back({"(?s:.+)"});  // no cuts at all
}

void read_sentence_piece_steps(const Json& tokenizer, TokenizerData& data) {
  for (const Json& step : steps_of(member(tokenizer, "normalizer"))) {
    const std::string type = string_of(step, "type");
    if (type == "Prepend" && string_of(step, "prepend") == meta_space) {
      data.space_prefix = SpacePrefix::EachFragment;
    } else if (type == "NFC" && data.space_prefix == SpacePrefix::None) {
      data.normalizer = {NormalizerStep::ComposedForm};
    } else if (!is_space_replacement(step)) {
      refuse("normalizer", step);
    }
  }
  for (const Json& step : steps_of(member(tokenizer, "pre_tokenizer"))) {
    const std::string type = string_of(step, "type");
    // Spaces are U+2581 by now, so a split at spaces does nothing.
    if (type == "Split" && pattern_of(step) == " ") continue;
    const std::string replacement = string_of(step, "replacement");
    if (type != "Metaspace" || (!replacement.empty() && replacement != meta_space)) refuse("pre_tokenizer", step);
    data.split_at_spaces = flag_of(step, "split", true);
    data.space_prefix_only_where_missing = true;
    std::string scheme = string_of(step, "prepend_scheme");
    if (scheme.empty()) scheme = flag_of(step, "add_prefix_space", true) ? "always" : "never";  // older files
    if (scheme == "first") data.space_prefix = SpacePrefix::TextStart;
    if (scheme == "always") data.space_prefix = SpacePrefix::EachFragment;
  }
}

Around read_post_processor(const Json& tokenizer) {
  Around around;
  for (const Json& step : steps_of(member(tokenizer, "post_processor"))) {
    const std::string type = string_of(step, "type");
    if (type == "RobertaProcessing" || type == "BertProcessing") {
      around.before = first_string(member(step, "cls"));
      around.after = first_string(member(step, "sep"));
    }
    if (type != "TemplateProcessing") continue;
    bool is_before = true;
    const Json& single = member(step, "single");
    if (!single.is_array()) continue;
    for (const Json& part : single) {
      if (!member(part, "Sequence").is_null()) is_before = false;
      const std::string token = string_of(member(part, "SpecialToken"), "id");
      if (!token.empty()) (is_before ? around.before : around.after) = token;
    }
  }
  return around;
}

}  // namespace driftwood::huggingface
