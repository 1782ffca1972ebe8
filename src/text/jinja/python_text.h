// String functions as Python has them. Characters are Unicode code points; a byte that is no UTF-8 counts as one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood::jinja {

std::size_t length_of(std::string_view text);

/// Each character as a string of its own.
std::vector<std::string_view> characters_of(std::string_view text);

enum class Side { Both, Left, Right };

/// str.strip(): white space, or the characters in `set`, from the ends.
std::string_view strip(std::string_view text, Side side = Side::Both);
std::string_view strip(std::string_view text, std::string_view set, Side side);

/// str.split() at runs of white space; at most `most` cuts (-1: any number).
std::vector<std::string_view> split_words(std::string_view text, long most);
/// str.split(separator); the separator must not be empty.
std::vector<std::string_view> split_at(std::string_view text, std::string_view separator, long most);
/// str.rsplit(separator).
std::vector<std::string_view> split_at_right(std::string_view text, std::string_view separator, long most);
/// str.splitlines().
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

/// str.replace(); an empty `from` matches before each character and at the end. The caller bounds the length.
std::string replace_all(std::string_view text, std::string_view from, std::string_view to, long most);

// Letters with a one-to-one partner in the other case change; "ß" does not.
std::string upper(std::string_view text);
std::string lower(std::string_view text);
/// The first character upper, the others lower.
std::string capitalize(std::string_view text);
/// Each word capitalized.
std::string title(std::string_view text);

bool is_space(char32_t code);

}  // namespace driftwood::jinja
