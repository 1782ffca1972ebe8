// The time of a launch among launches that are queued while a kernel only spins, so that the host's time for them does
// not count: what many take longer than one, behind the same spinning kernel.
//
//   rows with {graph::ElementWise::name, "spin", always, spin}, sources from source(), an element-wise operation first
//   double us = (milliseconds(many, parameters) - milliseconds(one, parameters)) * 1000 / launches;
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graph/program.h"
#include "kernels/source.h"

namespace driftwood::bench {

inline constexpr std::uint64_t rotated_bytes = std::uint64_t{192} << 20;  // more than any cache; an H200's L2 has 50 MB

inline constexpr std::string_view spin_source = R"(// y = x, after a few milliseconds.
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
override lanes: u32;

@compute @workgroup_size(lanes)
fn spin(@builtin(local_invocation_id) local: vec3u) {
  var a = tensorLoad(x, 0u, 0u, 0u, 0u).x;
  for (var i = 0u; i < 2000000u; i++) {
    a = fma(a, 0.999, 0.001);
  }
  for (var i = local.x; i < tensorSlices(x) * tensorWidth(x) * tensorHeight(x); i += lanes) {
    let s = i % tensorSlices(x);
    let column = i / tensorSlices(x) % tensorWidth(x);
    let row = i / tensorSlices(x) / tensorWidth(x);
    tensorStore(y, 0u, row, column, s, tensorLoad(x, 0u, row, column, s) + vec4f(select(0.0, 1.0, a > 100.0)));
  }
}
)";

/// The kernels in the binary, and the one that spins.
inline std::optional<shader::SourceFile> source(std::string_view path) {
  if (path == "package::spin") return shader::SourceFile{"spin.wgsl", std::string(spin_source)};
  return kernels::source(path);
}

inline bool always(const graph::Node&, const graph::SelectionContext&) { return true; }

/// Of an element-wise operation: its input, later.
inline graph::Lowering spin(const graph::Node& node, const graph::SelectionContext& context) {
  graph::KernelUse use{.module_path = "package::spin", .label = node.name};
  use.specialization.overrides = {{"lanes", context.facts.is_cpu ? 1 : 32}};
  use.resources = {graph::read("x", node.inputs[0]), graph::write("y", node.outputs[0])};
  use.grid = {graph::GridExtent{.fixed = 1}};
  return {.kernels = {std::move(use)}};
}

/// The best of five runs, after one that warms up.
inline double milliseconds(graph::Program& program, const graph::Parameters& parameters) {
  double best = 0;
  for (int round = 0; round < 6; ++round) {
    program.device().finish();
    const auto start = std::chrono::steady_clock::now();
    program.run(parameters);
    program.device().finish();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    if (round == 1 || (round > 1 && time.count() < best)) best = time.count();
  }
  return best;
}

/// What to print behind results that differ from others by more than `allowed` of their squares; else nothing.
inline std::string wrong_by(std::span<const float> results, std::span<const float> expected, double allowed) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    difference += std::pow(results[i] - expected[i], 2);
    norm += std::pow(expected[i], 2);
  }
  return difference <= allowed * norm ? "" : fmt::format("  WRONG by {:.1e}", std::sqrt(difference / norm));
}

}  // namespace driftwood::bench
