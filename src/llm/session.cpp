#include "llm/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/finite.h"
#include "base/stopwatch.h"
#include "llm/non_finite.h"

namespace driftwood::llm {
namespace {

// Logits of every token are read back: 64 rows of a vocabulary of 128,256 are 33 MB.
constexpr std::uint32_t all_logits_tokens = 64;

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

Session::Session(gpu::Device& device, const models::Checkpoint& checkpoint, const SessionSettings& settings)
    : device_(device),
      checkpoint_(checkpoint),
      settings_(resolved(settings, checkpoint, device.facts())),
      store_(std::make_shared<graph::ResourceStore>(device, weights_of(checkpoint))),
      kernels_(std::make_shared<graph::KernelCache>(device, kernels::source)),
      longest_run_(*settings_.ring_places == 0 ? context() : *settings_.ring_places - checkpoint.config().window + 1),
      chunks_(settings_.prefill_tokens,
              device.facts().is_cpu ? PrefillChunks::cpu_limit_ms : PrefillChunks::gpu_limit_ms) {
  decode_ = make_program(1, false);
  prefill_ = make_program(settings_.prefill_tokens, false);
}

graph::ProgramSettings Session::program_settings() const {
  graph::ProgramSettings settings;
  settings.options = settings_.options;
  settings.store = store_;
  settings.kernels = kernels_;
  settings.progress = settings_.progress;
  return settings;
}

std::unique_ptr<graph::Program> Session::make_program(std::uint32_t max_tokens, bool all_logits) {
  graph::ProgramSettings settings = program_settings();
  if (max_tokens == 1) {  // room for a texel, in which the device itself may leave the id of the next run
    constexpr std::uint64_t texel = 16;
    settings.bindings["ids"] = {.memory = device_.allocate({.bytes = texel}), .size = texel};
    settings.is_joined = graph::decodes_in_one_launch(settings_.options, device_.facts());
  }
  return std::make_unique<graph::Program>(
      device_, models::language_graph(checkpoint_, graph_settings(settings_, device_.facts(), max_tokens, all_logits)),
      std::move(settings));
}

graph::Program& Session::all_logits_program(std::uint32_t max_tokens) {
  auto& program = all_logits_[max_tokens];
  if (!program) program = make_program(max_tokens, true);
  return *program;
}

void Session::check(std::span<const std::int32_t> ids) const {
  if (ids.empty()) throw InvalidInput("There are no tokens to feed: the prompt is empty.");
  check_room(ids.size());
  for (const std::int32_t id : ids)
    if (id < 0 || static_cast<std::uint32_t>(id) >= vocabulary())
      throw InvalidInput(fmt::format("The token id {} is not within 0 and {}.", id, vocabulary() - 1));
}

void Session::check_room(std::size_t tokens) const {
  const std::uint32_t used = position() + queued();
  if (tokens > context() - used)
    throw InvalidInput(
        fmt::format("The {} tokens do not fit the context of {} tokens, of which {} are in use. Use a larger "
                    "context or a shorter prompt.",
                    tokens, context(), used));
}

template <class Work>
void Session::append(std::span<const std::int32_t> ids, Work work) {
  if (queued() != 0) drop_queued();
  check(ids);
  append_begin_ = position();
  tokens_.insert(tokens_.end(), ids.begin(), ids.end());
  try {
    work();
  } catch (...) {
    rewind(append_begin_);
    if (settings_.prompt_progress) settings_.prompt_progress(ids.size(), ids.size());  // no line stays on the terminal
    throw;
  }
}

void Session::run(graph::Program& program, std::uint32_t tokens, bool all_logits) {
  program.write("ids", std::as_bytes(std::span(tokens_).subspan(cached_, tokens)));
  program.run({.tokens = tokens, .position = cached_});
  last_ = {.program = &program, .position = cached_, .tokens = tokens, .all_logits = all_logits};
  count_cached(tokens);
}

void Session::count_cached(std::uint32_t tokens) {
  cached_ += tokens;
  if (const std::uint32_t places = *settings_.ring_places; places != 0 && cached_ > places)
    ring_begin_ = std::max(ring_begin_, cached_ - places);
}

/// Runs the tokens up to `end` that the caches do not hold. False: stopped by `go_on`.
bool Session::catch_up(std::size_t end, const std::function<bool()>& go_on) {
  const std::size_t begin = cached_;
  if (end - begin == 1) {
    run(*decode_, 1);
    return true;
  }
  const auto report = [&](std::size_t done) {
    if (settings_.prompt_progress) settings_.prompt_progress(done, end - begin);
  };
  // All of them on one program, a last single token too: what is computed does not depend on the speed measured.
  while (cached_ < end) {
    const auto tokens = static_cast<std::uint32_t>(std::min<std::size_t>(chunks_.next(), end - cached_));
    const Stopwatch watch;
    run(*prefill_, tokens);
    if (cached_ == end) break;
    read_last(scratch_);
    chunks_.measured(tokens, watch.milliseconds());
    const bool goes_on = !go_on || go_on();
    report(goes_on ? cached_ - begin : end - begin);
    if (!goes_on) return false;
  }
  report(end - begin);
  return true;
}

bool Session::submit(std::span<const std::int32_t> ids, const std::function<bool()>& go_on) {
  bool done = false;
  append(ids, [&] { done = catch_up(tokens_.size(), go_on); });
  if (!done) tokens_.resize(cached_);
  return done;
}

/// The logits of the last run, of all its tokens where it gives all.
void Session::read_last(std::vector<float>& logits) {
  logits.resize(std::size_t{last_.all_logits ? last_.tokens : 1} * vocabulary());
  const Stopwatch watch;
  last_.program->read_floats("logits", logits);
  add_wait(watch.milliseconds());
  const std::size_t finite = finite_values(logits);
  if (finite == logits.size()) return;
  const std::uint32_t before = last_.all_logits ? 0 : last_.tokens - 1;
  refuse_last(static_cast<std::uint32_t>(last_.position + before + finite / vocabulary()));
}

/// The logits of the last run are not finite, those after the token at `position` first.
void Session::refuse_last(std::uint32_t position) {
  const SequencePart part{.tokens = std::span(tokens_).subspan(last_.position, last_.tokens),
                          .position = last_.position,
                          .max_tokens = last_.program->max_tokens(),
                          .all_logits = last_.all_logits};
  const std::string where = where_not_finite(device_, checkpoint_, settings_, program_settings(), part);
  throw Unsupported(fmt::format("The logits after the token at position {} are not finite{}. {}", position, where,
                                settings_.options.precision == graph::Precision::F32
                                    ? "The model's file may be damaged."
                                    : "Try --precision f32."));
}

void Session::read_logits(std::vector<float>& logits) {
  if (last_.program == nullptr) throw InternalError("No tokens were fed before logits are read.");
  try {
    read_last(logits);
  } catch (...) {
    rewind(std::min(append_begin_, position()));
    throw;
  }
}

std::vector<float> Session::feed(std::span<const std::int32_t> ids) {
  submit(ids);
  std::vector<float> logits;
  read_logits(logits);
  return logits;
}

void Session::feed_all(std::span<const std::int32_t> ids,
                       const std::function<void(std::size_t, std::span<const float>)>& each) {
  append(ids, [&] {
    const std::size_t begin = append_begin_;
    if (cached_ < begin) catch_up(begin, {});
    graph::Program& program = all_logits_program(std::min(all_logits_tokens, longest_run_));
    std::vector<float> logits;
    while (cached_ < tokens_.size()) {
      const std::size_t first = cached_ - begin;
      run(program, static_cast<std::uint32_t>(std::min<std::size_t>(program.max_tokens(), ids.size() - first)), true);
      read_last(logits);
      for (std::size_t i = 0; i < last_.tokens; ++i)
        each(first + i, std::span<const float>(logits).subspan(i * vocabulary(), vocabulary()));
    }
  });
  last_ = {};
}

void Session::feed_batch(std::span<const std::int32_t> ids, std::uint32_t most, std::vector<float>& logits) {
  if (ids.size() > std::min(most, longest_run_))
    throw InvalidInput(
        fmt::format("A batch of {} tokens is over its limit of {}.", ids.size(), std::min(most, longest_run_)));
  append(ids, [&] {
    if (cached_ < append_begin_) catch_up(append_begin_, {});
    run(all_logits_program(std::min(most, longest_run_)), static_cast<std::uint32_t>(ids.size()), true);
    read_last(logits);
  });
  last_ = {};
}

DeviceSampler& Session::device_sampler(const graph::SampleToken& operation) {
  auto& sampler = samplers_[operation];
  if (!sampler) sampler = std::make_unique<DeviceSampler>(*decode_, kernels_, operation);
  return *sampler;
}

bool Session::computes_on_cpu() const {
  const gpu::DeviceFacts& facts = device_.facts();
  return facts.is_cpu || facts.device_class == gpu::DeviceClass::Software;
}

void Session::queue_step() {
  if (cached_ < position()) throw InternalError("A step is queued before the tokens that the session holds have run.");
  check_room(1);
  decode_->run_queued({.tokens = 1, .position = cached_});
  last_ = {};  // whose logits are there is not known
  count_cached(1);
}

void Session::confirm(std::int32_t id) {
  if (queued() == 0) throw InternalError("No step was queued for the token.");
  append_begin_ = position();
  tokens_.push_back(id);
}

void Session::refuse_logits() {
  drop_queued();
  last_ = {.program = decode_.get(), .position = position() - 1, .tokens = 1};
  try {
    refuse_last(position() - 1);
  } catch (...) {
    rewind(std::min(append_begin_, position()));
    throw;
  }
}

void Session::rewind(std::uint32_t position) {
  if (position > tokens_.size())
    throw InvalidInput(fmt::format("The session has {} tokens and cannot be rewound to {}.", tokens_.size(), position));
  tokens_.resize(position);
  if (cached_ <= position) return;
  // A ring holds the positions from ring_begin_ on, also where those after `position` were written over older ones.
  const std::uint32_t window = checkpoint_.config().window;
  const std::uint32_t looked_at = position < window ? 0 : position + 1 - window;
  cached_ = ring_begin_ <= looked_at ? position : 0;
  if (cached_ == 0) ring_begin_ = 0;
}

std::size_t Session::reuse(std::span<const std::int32_t> ids) {
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(tokens_, ids).in2 - ids.begin());
  // At least one token must be fed for there to be logits.
  const std::size_t kept = ids.empty() ? 0 : std::min(same, ids.size() - 1);
  rewind(static_cast<std::uint32_t>(kept));
  return kept;
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
