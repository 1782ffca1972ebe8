#include "llm/device_sampler.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "graph/builder.h"

namespace driftwood::llm {
namespace {

// Of the history; more than the tokens that are ever on their way.
constexpr std::uint32_t least_places = 64;
// Written at a time.
constexpr std::uint32_t uniform_count = 256;
constexpr std::uint32_t no_token = 0xFFFFFFFF;
// A texel of the history: id, whether logits were not finite, padding.
using Place = std::array<std::uint32_t, 4>;

std::uint32_t places_for(const graph::SampleToken& operation) { return std::max(least_places, operation.window); }

graph::Graph sampling_graph(const graph::Program& decode, const graph::SampleToken& operation) {
  const graph::Value& logits = decode.value("logits");
  graph::Builder b;
  const graph::Tensor x = b.input("logits", logits.shape, logits.data_type);
  const graph::Tensor settings = b.input("settings", {.c = 4});
  const graph::Tensor uniforms = b.input("uniforms", {.w = uniform_count, .c = 1});
  b.sample_token(x, settings, uniforms,
                 {b.state("history", {.w = places_for(operation), .c = 2}, DataType::U32),
                  b.state("next_id", {.c = 1}, DataType::U32), b.state("run", {.c = 4}, DataType::U32)},
                 operation);
  graph::Graph graph = std::move(b).build();
  graph.value(x.id()).descriptor = logits.descriptor;
  return graph;
}

}  // namespace

std::optional<graph::SampleToken> DeviceSampler::operation(const SamplerSettings& settings) {
  graph::SampleToken operation;
  if (settings.repeat_penalty != 1) operation.window = settings.repeat_window;
  if (operation.window > max_window) return std::nullopt;
  if (settings.temperature == 0) return operation;
  if (settings.top_k == 0 || settings.top_k > graph::SampleToken::max_top_k) return std::nullopt;
  operation.top_k = settings.top_k;
  return operation;
}

DeviceSampler::DeviceSampler(graph::Program& decode, std::shared_ptr<graph::KernelCache> kernels,
                             const graph::SampleToken& operation)
    : device_(decode.device()), places_(places_for(operation)), draws_numbers_(operation.top_k > 1) {
  graph::ProgramSettings settings;
  settings.kernels = std::move(kernels);
  settings.bindings = {
      {"logits", decode.binding("logits")}, {"next_id", decode.binding("ids")}, {"run", decode.parameters()}};
  settings.is_joined = decode.is_joined();
  program_ = std::make_unique<graph::Program>(device_, sampling_graph(decode, operation), std::move(settings));
}

void DeviceSampler::begin(const SamplerSettings& settings, std::uint64_t draws, std::span<const std::int32_t> text) {
  seed_ = settings.seed;
  draws_ = draws;
  drawn_ = uniform_count;
  const std::array wanted = {settings.temperature, settings.top_p, settings.min_p, settings.repeat_penalty};
  program_->write_floats("settings", wanted);
  std::vector<Place> places(places_, Place{no_token, 0, 0, 0});
  for (std::size_t i = text.size() - std::min<std::size_t>(text.size(), places_); i < text.size(); ++i)
    places[i % places_][0] = static_cast<std::uint32_t>(text[i]);
  program_->write("history", std::as_bytes(std::span(places)));
}

void DeviceSampler::write_uniforms(std::uint32_t position) {
  std::array<float, uniform_count> numbers;
  for (std::uint32_t i = 0; i < uniform_count; ++i)
    numbers[(position + i) % uniform_count] = static_cast<float>(uniform_number(seed_, ++draws_));
  program_->write_floats("uniforms", numbers);
  drawn_ = 1;
}

DeviceSampler::Pending DeviceSampler::choose(std::uint32_t position) {
  // Writes are in order with the runs: those before have read theirs.
  if (draws_numbers_ && drawn_++ == uniform_count) write_uniforms(position);
  program_->run_queued({});
  const gpu::Binding& history = program_->binding("history");
  return Pending(device_.read_later(*history.memory, history.offset + position % places_ * sizeof(Place),
                                    2 * sizeof(std::uint32_t)));
}

DeviceSampler::Choice DeviceSampler::Pending::wait() {
  std::array<std::uint32_t, 2> words = {};
  const std::span<const std::byte> bytes = read_->wait();
  std::memcpy(words.data(), bytes.data(), sizeof words);
  return {.id = static_cast<std::int32_t>(words[0]), .is_finite = words[1] == 0};
}

}  // namespace driftwood::llm
