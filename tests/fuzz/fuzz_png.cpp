// Any bytes are either a PNG picture of as many bytes as its size says, or refused by a library error.
#include "base/error.h"
#include "formats/png.h"

using namespace driftwood;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const RgbImage image = parse_png(std::as_bytes(std::span(data, size)));
    if (image.rgb.size() != std::size_t{3} * image.width * image.height) throw InternalError("Pixels are missing.");
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal) throw;
  }
  return 0;
}
