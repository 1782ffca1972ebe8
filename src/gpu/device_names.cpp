#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>

#include "gpu/back_end.h"

namespace driftwood::gpu {
namespace {

// In lower case. WARP is Direct3D's ("Microsoft Basic Render Driver").
constexpr std::array<std::string_view, 7> software = {"llvmpipe", "lavapipe",     "swiftshader",        "softpipe",
                                                      "swrast",   "basic render", "software rasterizer"};

// Words that one driver adds and another leaves out.
constexpr std::array<std::string_view, 8> fillers = {"r", "tm", "c", "corporation", "inc", "graphics", "gpu", "device"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::set<std::string> words_of(std::string_view name) {
  std::set<std::string> words;
  std::string word;
  int depth = 0;
  const auto end_word = [&] {
    if (!word.empty() && std::find(fillers.begin(), fillers.end(), word) == fillers.end()) words.insert(word);
    word.clear();
  };
  for (const char c : lower(name)) {
    if (c == '(') ++depth;
    if (depth == 0 && std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += c;
    else
      end_word();
    if (c == ')' && depth > 0) --depth;
  }
  end_word();
  return words;
}

}  // namespace

bool is_software_name(std::string_view name) {
  const std::string text = lower(name);
  return std::any_of(software.begin(), software.end(),
                     [&](std::string_view known) { return text.find(known) != std::string::npos; });
}

bool is_same_name(std::string_view a, std::string_view b) {
  const std::set<std::string> in_a = words_of(a), in_b = words_of(b);
  if (in_a.empty() || in_b.empty()) return false;
  return std::includes(in_a.begin(), in_a.end(), in_b.begin(), in_b.end()) ||
         std::includes(in_b.begin(), in_b.end(), in_a.begin(), in_a.end());
}

}  // namespace driftwood::gpu
