#include "llm/decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/error.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "gpu/launch_gave_up.h"
#include "llm/device_sampler.h"
#include "llm/speculation.h"

namespace driftwood::llm {
namespace {

// Steps that are queued behind the one whose token is waited for. While that runs the next must already be there; one
// more covers a host that is late. Those that a text's end makes needless take as long as its last tokens.
constexpr std::uint32_t most_ahead = 2;

class HostDecoding final : public Decoding {
 public:
  HostDecoding(Session& session, Sampler& sampler, const DraftSettings& drafts)
      : sampler_(sampler), decoder_(session, drafts) {}

  std::int32_t after(std::int32_t token, std::size_t room) override {
    return sampler_.sample(decoder_.after(token, room));
  }
  std::uint32_t position() const override { return decoder_.position(); }
  bool is_on_device() const override { return false; }
  std::uint64_t drafted() const override { return decoder_.drafted(); }
  std::uint64_t accepted() const override { return decoder_.accepted(); }

 private:
  Sampler& sampler_;
  SpeculativeDecoder decoder_;
};

class DeviceDecoding final : public Decoding {
 public:
  DeviceDecoding(Session& session, const Sampler& sampler, DeviceSampler& chooser)
      : session_(session), sampler_(sampler), chooser_(chooser) {
    ahead_ = std::min(most_ahead, session.longest_run() - 1);
  }
  ~DeviceDecoding() override { drop(); }
  DeviceDecoding(const DeviceDecoding&) = delete;
  DeviceDecoding& operator=(const DeviceDecoding&) = delete;

  std::int32_t after(std::int32_t token, std::size_t room) override {
    if (has_chosen_ && token == chosen_) {
      if (choices_.empty()) step();
      session_.confirm(token);
    } else {
      start(token);
    }
    const DeviceSampler::Choice choice = choice_after(token, room);
    if (!choice.is_finite) {
      drop();
      session_.refuse_logits();
    }
    has_chosen_ = true;
    return chosen_ = choice.id;
  }
  std::uint32_t position() const override { return session_.position(); }
  bool is_on_device() const override { return true; }

 private:
  void start(std::int32_t token) {
    drop();
    session_.submit(std::span(&token, 1));
    chooser_.begin(sampler_.settings(), sampler_.draws() + taken_, session_.tokens());
    choices_.push_back(chooser_.choose(session_.position()));
  }
  // What follows `token`, the session's last, with steps queued behind it.
  DeviceSampler::Choice choice_after(std::int32_t token, std::size_t room) {
    try {
      queue_steps(room);
      return next_choice();
    } catch (const gpu::LaunchGaveUp& error) {
      log(LogLevel::Info, error.what());
    }
    session_.rewind(session_.position() - 1);
    start(token);
    queue_steps(room);
    return next_choice();
  }
  void queue_steps(std::size_t room) {
    const std::size_t wanted = std::min<std::size_t>(room, ahead_ + 1);
    while (choices_.size() < wanted && session_.position() + session_.queued() < session_.context()) step();
  }
  void step() {
    session_.queue_step();
    choices_.push_back(chooser_.choose(session_.position() + session_.queued()));
  }
  DeviceSampler::Choice next_choice() {
    const Stopwatch watch;
    const DeviceSampler::Choice choice = choices_.front().wait();
    session_.add_wait(watch.milliseconds());
    choices_.pop_front();
    ++taken_;
    return choice;
  }
  void drop() {
    choices_.clear();
    session_.drop_queued();
    has_chosen_ = false;
  }

  Session& session_;
  const Sampler& sampler_;
  DeviceSampler& chooser_;
  std::uint64_t taken_ = 0;  // tokens, each with a random number
  std::uint32_t ahead_ = 0;
  std::deque<DeviceSampler::Pending> choices_;  // after the token last confirmed, and after each that is queued
  bool has_chosen_ = false;
  std::int32_t chosen_ = 0;
};

}  // namespace

std::unique_ptr<Decoding> make_decoding(Session& session, Sampler& sampler, const DraftSettings& drafts,
                                        SamplingPlace place) {
  const auto on_host = [&] { return std::make_unique<HostDecoding>(session, sampler, drafts); };
  if (place == SamplingPlace::Host) return on_host();
  const auto operation = DeviceSampler::operation(sampler.settings());
  if (place == SamplingPlace::Device) {
    if (drafts.tokens != 0)
      throw Unsupported("Drafts are checked on the host: they go with no sampling on the device.");
    if (!operation)
      throw Unsupported(
          fmt::format("The device samples from the {} likeliest tokens at most, with a penalty for the last {}: top-k "
                      "is {} and the "
                      "penalty's window {}.",
                      graph::SampleToken::max_top_k, DeviceSampler::max_window, sampler.settings().top_k,
                      sampler.settings().repeat_window));
    return std::make_unique<DeviceDecoding>(session, sampler, session.device_sampler(*operation));
  }
  // What a CPU computes lies in the host's memory, and the two share its cores.
  if (session.computes_on_cpu() || drafts.tokens != 0 || !operation) return on_host();
  try {
    return std::make_unique<DeviceDecoding>(session, sampler, session.device_sampler(*operation));
  } catch (const Unsupported&) {
    return on_host();  // its workgroups are too small, or its kernels wrong
  }
}

}  // namespace driftwood::llm
