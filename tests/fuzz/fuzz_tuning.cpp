// Any bytes are either a table of measured choices, which is written and read again as it was, or refused by a library
// error.
#include "base/error.h"
#include "tuning/table.h"

using namespace driftwood;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const std::string text =
        tuning::to_text(tuning::parse_table({reinterpret_cast<const char*>(data), size}, "The table"));
    if (tuning::to_text(tuning::parse_table(text, "The table")) != text) throw InternalError("It is not read again.");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal) throw;
  }
  return 0;
}
