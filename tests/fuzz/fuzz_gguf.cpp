// Any bytes are either a GGUF file, whose every value and tensor can then be read, or refused by a library error.
#include <vector>

#include "base/error.h"
#include "formats/gguf.h"

namespace {

using namespace driftwood;

void read_array(const GgufArray& array) {
  switch (array.element_type()) {
    case GgufType::String: array.strings(); break;
    case GgufType::Array:
      for (const GgufArray& inner : array.arrays()) read_array(inner);
      break;
    case GgufType::F32:
    case GgufType::F64: array.floats(); break;
    case GgufType::Bool: break;
    default: array.integers();
  }
}

void read_value(const GgufMetadata& metadata, const GgufMetadata::Entry& entry) {
  if (metadata.find(entry.key) != &entry.value) throw InternalError("A key is not found by its name.");
  describe(entry.value);
  if (const auto* array = std::get_if<GgufArray>(&entry.value)) read_array(*array);
}

void read_tensor(const StoredTensor& tensor) {
  if (!info(tensor.type).is_float) return;
  std::vector<float> values(tensor.size());
  decode_rows(tensor.type, tensor.dims.empty() ? 1 : tensor.dims[0], tensor.bytes, values);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const GgufFile file = GgufFile::parse(std::as_bytes(std::span(data, size)));
    for (const StoredTensor& tensor : file.tensors().all()) read_tensor(tensor);
    for (const auto& entry : file.metadata().entries()) {
      try {
        read_value(file.metadata(), entry);
      } catch (const InvalidInput&) {
        // An integer past 63 bits.
      }
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::Internal) throw;
  }
  return 0;
}
