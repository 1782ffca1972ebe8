// Any bytes are either a safetensors file, whose every tensor can then be read, or refused by a library error.
// The header's text is also tried as a config.json.
#include <vector>

#include "base/error.h"
#include "formats/hf_config.h"
#include "formats/safetensors.h"

namespace {

using namespace driftwood;

void read_tensor(const SafetensorsFile& file, const StoredTensor& tensor) {
  if (file.tensors().find(tensor.name) != &tensor) throw InternalError("A tensor is not found by its name.");
  if (!info(tensor.type).is_float) return;
  std::vector<float> values(tensor.size());
  decode_row(tensor.type, tensor.bytes, values);
}

template <typename Call>
void refuse_internal_errors(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal) throw;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  refuse_internal_errors([&] {
    const SafetensorsFile file = SafetensorsFile::parse(std::as_bytes(bytes));
    for (const StoredTensor& tensor : file.tensors().all()) read_tensor(file, tensor);
  });
  if (size > 8) {
    const auto text = bytes.subspan(8);
    refuse_internal_errors([&] { parse_hf_config({reinterpret_cast<const char*>(text.data()), text.size()}); });
  }
  return 0;
}
