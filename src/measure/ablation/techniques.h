// The techniques of the paper as pairs of settings: what a program is like with one, and without.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/device.h"
#include "measure/ablation/subject.h"

namespace driftwood::measure {

/// Names of groups, which `ablate --only` takes, and what each is about.
struct TechniqueGroup {
  std::string_view name, about;
};
/// "virtualised-access" and "program-cache" are measured in their own ways (access.h, first_token.h), the others as
/// Technique.
std::span<const TechniqueGroup> technique_groups();

struct Technique {
  std::string group;  // a name of technique_groups()
  std::string name;   // "fuse-gated"
  std::string on, off;
  Setting on_setting = {}, off_setting = {};
  bool is_memory = false;  // the bytes of activations are compared too
};

/// What the groups hold for a stage of a subject on a device: settings that change its program, one technique at a
/// time, beside `base`. Empty `groups`: all.
std::vector<Technique> techniques(const Subject& subject, std::size_t stage, const gpu::DeviceFacts& facts,
                                  const Setting& base, std::span<const std::string> groups);

/// Whether two lowered graphs run alike: kernels, grids and memory.
bool run_alike(const graph::LoweredGraph& a, const graph::LoweredGraph& b);

}  // namespace driftwood::measure
