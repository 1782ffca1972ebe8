#include "gpu/device.h"

namespace driftwood::gpu {
namespace {

class ReadAlready final : public PendingRead {
 public:
  explicit ReadAlready(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::span<const std::byte> wait() override { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<PendingRead> Device::read_later(const Memory& memory, std::uint64_t offset, std::size_t size) {
  std::vector<std::byte> bytes(size);
  read(memory, offset, bytes);
  return std::make_unique<ReadAlready>(std::move(bytes));
}

}  // namespace driftwood::gpu
