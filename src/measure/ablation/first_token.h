// The first result of a fresh process with compiled programs kept on disk, and without: whole processes are timed, from
// their start to their end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "measure/interleave.h"

namespace driftwood::measure {

struct FirstTokenSettings {
  std::filesystem::path program = {};       // of this tool
  std::vector<std::string> arguments = {};  // that make it give its first result and end
  TurnSettings turns = {};
};

/// Two comparisons: Driftwood's programs on disk, with the driver's own cache as it is; and both of them. Caches are in
/// folders of their own, which are removed afterwards: those in use stay as they are. Throws InvalidInput, with the
/// last line that the process wrote, where it fails.
std::vector<Comparison> compare_first_token(const FirstTokenSettings& settings);

}  // namespace driftwood::measure
