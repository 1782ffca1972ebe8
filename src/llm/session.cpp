#include "llm/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "graph/selection/matrix_product.h"

namespace driftwood::llm {
namespace {

// Logits of every token are read back: 64 rows of a vocabulary of 128,256 are 33 MB.
constexpr std::uint32_t all_logits_tokens = 64;
constexpr std::uint32_t max_context = 1u << 24;

graph::WeightsProvider weights_of(const models::Checkpoint& checkpoint) {
  // The previous tensor has been packed and uploaded when the next one is asked for; its pages of the file need not
  // stay in memory beside the device's copy.
  return [&checkpoint, previous = static_cast<const StoredTensor*>(nullptr)](std::string_view name) mutable {
    if (previous != nullptr) checkpoint.release(*previous);
    previous = checkpoint.find(name);
    if (previous == nullptr) throw InternalError(fmt::format("The checkpoint has no tensor '{}'.", name));
    return previous->bytes;
  };
}

}  // namespace

std::uint32_t resolved_context(std::optional<std::uint32_t> context, const models::Checkpoint& checkpoint) {
  const std::uint32_t trained = checkpoint.config().trained_context;
  if (!context) return trained == 0 ? default_context : std::min(trained, default_context);
  if (*context == 0 && trained == 0)
    throw InvalidInput("The model's files do not say which context it was trained for: give the number of tokens.");
  const std::uint32_t tokens = *context == 0 ? trained : *context;
  if (tokens > max_context)
    throw InvalidInput(fmt::format("The context of {} tokens is over the limit of {}.", tokens, max_context));
  return tokens;
}

SessionSettings resolved(const SessionSettings& settings, const models::Checkpoint& checkpoint) {
  SessionSettings result = settings;
  result.context = resolved_context(settings.context, checkpoint);
  result.prefill_tokens = std::clamp<std::uint32_t>(result.prefill_tokens, 1, *result.context);
  return result;
}

models::LanguageGraphSettings graph_settings(const SessionSettings& settings, const gpu::DeviceFacts& facts,
                                             std::uint32_t max_tokens, bool all_logits) {
  const graph::Precision precision = settings.options.precision;
  // A half-precision cache halves what decoding reads on a GPU; CPU drivers convert halves slowly and gain nothing.
  const bool half_cache = precision == graph::Precision::F16 || (precision == graph::Precision::Auto && !facts.is_cpu);
  // Matrix units multiply halves: what enters a product of many tokens is stored as them, residual stream and norms
  // stay wider.
  const bool half_products = precision == graph::Precision::Auto && facts.has_matrices && !facts.is_cpu &&
                             max_tokens >= graph::least_matrix_positions;
  return {.max_tokens = max_tokens,
          .cache_size = settings.context.value(),
          .activation_type = precision == graph::Precision::F16 || half_products ? DataType::F16 : DataType::F32,
          .cache_type = half_cache ? DataType::F16 : DataType::F32,
          .all_logits = all_logits};
}

Session::Session(gpu::Device& device, const models::Checkpoint& checkpoint, SessionSettings settings)
    : device_(device),
      checkpoint_(checkpoint),
      settings_(resolved(settings, checkpoint)),
      store_(std::make_shared<graph::ResourceStore>(device, weights_of(checkpoint))),
      kernels_(std::make_shared<graph::KernelCache>(device, kernels::source)) {
  decode_ = make_program(1, false);
  prefill_ = make_program(settings_.prefill_tokens, false);
}

std::unique_ptr<graph::Program> Session::make_program(std::uint32_t max_tokens, bool all_logits) {
  graph::ProgramSettings settings;
  settings.options = settings_.options;
  settings.store = store_;
  settings.kernels = kernels_;
  if (settings_.progress)
    settings.progress = [this](std::size_t done, std::size_t all) { settings_.progress(done, all); };
  return std::make_unique<graph::Program>(
      device_, models::language_graph(checkpoint_, graph_settings(settings_, device_.facts(), max_tokens, all_logits)),
      std::move(settings));
}

void Session::check(std::span<const std::int32_t> ids) const {
  if (ids.empty()) throw InvalidInput("There are no tokens to feed: the prompt is empty.");
  if (ids.size() > context() - position_)
    throw InvalidInput(
        fmt::format("The {} tokens do not fit the context of {} tokens, of which {} are in use. Use a larger "
                    "context or a shorter prompt.",
                    ids.size(), context(), position_));
  for (const std::int32_t id : ids)
    if (id < 0 || static_cast<std::uint32_t>(id) >= vocabulary())
      throw InvalidInput(fmt::format("The token id {} is not within 0 and {}.", id, vocabulary() - 1));
}

void Session::submit(std::span<const std::int32_t> ids) {
  check(ids);
  while (!ids.empty()) {
    graph::Program& program = ids.size() == 1 ? *decode_ : *prefill_;
    const auto part = ids.first(std::min<std::size_t>(ids.size(), program.max_tokens()));
    program.write("ids", std::as_bytes(part));
    program.run({.tokens = static_cast<std::uint32_t>(part.size()), .position = position_});
    position_ += static_cast<std::uint32_t>(part.size());
    last_ = &program;
    ids = ids.subspan(part.size());
  }
}

void Session::read_logits(std::vector<float>& logits) {
  if (last_ == nullptr) throw InternalError("No tokens were fed before logits are read.");
  logits.resize(vocabulary());
  last_->read_floats("logits", logits);
}

std::vector<float> Session::feed(std::span<const std::int32_t> ids) {
  submit(ids);
  std::vector<float> logits;
  read_logits(logits);
  return logits;
}

void Session::feed_all(std::span<const std::int32_t> ids,
                       const std::function<void(std::size_t, std::span<const float>)>& each) {
  check(ids);
  if (!all_logits_) all_logits_ = make_program(std::min(all_logits_tokens, context()), true);
  std::vector<float> logits;
  for (std::size_t first = 0; first < ids.size();) {
    const auto part = ids.subspan(first, std::min<std::size_t>(ids.size() - first, all_logits_->max_tokens()));
    all_logits_->write("ids", std::as_bytes(part));
    all_logits_->run({.tokens = static_cast<std::uint32_t>(part.size()), .position = position_});
    logits.resize(part.size() * vocabulary());
    all_logits_->read_floats("logits", logits);
    position_ += static_cast<std::uint32_t>(part.size());
    for (std::size_t i = 0; i < part.size(); ++i)
      each(first + i, std::span<const float>(logits).subspan(i * vocabulary(), vocabulary()));
    first += part.size();
  }
  last_ = nullptr;
}

void Session::rewind(std::uint32_t position) {
  if (position > position_)
    throw InvalidInput(fmt::format("The session has {} tokens and cannot be rewound to {}.", position_, position));
  position_ = position;
}

graph::MemoryReport Session::memory() const {
  graph::MemoryReport report = prefill_->memory();
  const graph::MemoryReport decode = decode_->memory();
  report.inputs_outputs += decode.inputs_outputs;
  report.activations_naive += decode.activations_naive;
  report.activations_planned += decode.activations_planned;
  report.lower_bound += decode.lower_bound;
  report.allocated = device_.allocated_bytes();
  return report;
}

}  // namespace driftwood::llm
