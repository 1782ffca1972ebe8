// Small files that are kept from one start to the next. Nothing here throws: what cannot be read or written is not
// kept.
#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace driftwood {

/// What a process that ended amid writing leaves behind has this suffix.
constexpr std::string_view partial_suffix = ".partial";

/// The whole file; nothing where there is none, or one of more than `most_bytes`.
std::optional<std::string> read_kept_file(const std::filesystem::path& path, std::uintmax_t most_bytes);

/// Writes the parts one behind the other, in a folder that is made where it is missing. The file appears by rename, so
/// that other processes see all of it or what was there. False: nothing was changed.
bool write_kept_file(const std::filesystem::path& path, std::initializer_list<std::string_view> parts);

}  // namespace driftwood
