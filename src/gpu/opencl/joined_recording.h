// A recording that runs as one launch (joined_program.h), or as launches of their own: for the times of each, where its
// dispatches cannot be joined, and after a device turned out not to run all workgroups of a launch at once.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/opencl/join_fault.h"
#include "gpu/opencl/joined_program.h"
#include "gpu/opencl/kernel.h"
#include "gpu/opencl/recording.h"

namespace driftwood::gpu::opencl {

struct JoinSettings {
  JoinedDialect dialect = {};
  /// Workgroups that are tried, most first: the first that meet at a barrier are launched.
  std::vector<std::uint32_t> workgroups = {1};
  std::uint32_t looks = 400'000;  // at a counter, before a wait gives up: 0.3 s on an H200
  std::uint32_t absent = 0;  // workgroups that every stage awaits and that are not launched: how it fails, for tests
};

class JoinedRecording final : public OpenClRecording {
 public:
  /// Throws what OpenClRecording throws.
  JoinedRecording(std::shared_ptr<Context> context, const DeviceFacts& facts, std::vector<Dispatch> dispatches,
                  const JoinSettings& settings, std::shared_ptr<JoinFault> fault, const BuildProgram& build);
  ~JoinedRecording() override;

  void set_workgroups(std::size_t dispatch, std::array<std::uint32_t, 3> workgroups) override;
  void enqueue(cl_command_queue queue, std::vector<EventHandle>* events = nullptr) override;

  /// Of its launch; 0: it is not joined, since a kernel has images or the like, one reads before it waits what another
  /// writes, or workgroups did not meet.
  std::uint32_t workgroups() const { return workgroups_; }

 private:
  using Words = std::vector<std::uint32_t>;
  bool reads_early_what_is_written() const;
  bool join(const JoinSettings& settings, const BuildProgram& build);
  void allocate();
  void fill_rows(const std::vector<std::uint32_t>& body_of, const BuildProgram& build);
  bool meet(std::uint32_t workgroups);
  bool fits_table() const;
  Words table();
  void write(Words words);
  void launch(cl_command_queue queue, std::uint32_t stages, std::uint32_t workgroups, std::uint32_t looks);

  std::shared_ptr<JoinFault> fault_;
  JoinedProgram program_;
  KernelHandle kernel_;
  MemHandle table_, counters_[2];
  std::vector<Words> rows_;  // by dispatch: its stage, but for what depends on the grids
  std::deque<std::pair<EventHandle, Words>> writes_;
  std::uint32_t looks_, absent_, stages_ = 0, workgroups_ = 0;
  std::size_t next_counters_ = 0;
  bool is_table_old_ = true, fits_table_ = true;
};

}  // namespace driftwood::gpu::opencl
