// Where techniques are measured on a model: programs made for both sides of a comparison, run in turns.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "measure/ablation/techniques.h"
#include "measure/interleave.h"

namespace driftwood::measure {

class Lab {
 public:
  /// `device` and `subject` must outlive the lab. `compiling` is called while kernels are compiled: done, in all.
  Lab(gpu::Device& device, const Subject& subject, std::function<void(std::size_t, std::size_t)> compiling = {});

  /// Times a technique in a stage; a measurement is one of its runs, or of decoding one token. Programs with the
  /// stage's first `on` setting are kept for the next comparison. Throws what programs throw.
  Comparison compare(const Technique& technique, std::size_t stage, const TurnSettings& settings);

 private:
  struct Made {
    std::shared_ptr<graph::ResourceStore> store;
    std::unique_ptr<graph::Program> program;
  };
  Made make(const Setting& setting, std::size_t stage, bool own_store);
  Work work_of(graph::Program& program, std::size_t stage);

  gpu::Device& device_;
  const Subject& subject_;
  std::function<void(std::size_t, std::size_t)> compiling_;
  std::shared_ptr<graph::KernelCache> kernels_;
  std::map<std::size_t, std::shared_ptr<graph::ResourceStore>> stores_;  // of settings that share the base's memory
  std::map<std::size_t, std::pair<Setting, Made>> kept_;                 // by stage
};

}  // namespace driftwood::measure
