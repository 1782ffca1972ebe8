// Choices that hold for a whole program. Every one of them that changes results or speed has a name on the command
// line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/layout.h"

namespace driftwood::graph {

class Choices;

/// Auto: accumulate in f32; f16 where storage or matrix units gain from it, and in sums of eight products of one token.
enum class Precision : std::uint8_t { Auto, F32, F16 };
/// How activations enter the matrix kernels. Auto: integers only for models quantized that way.
enum class ActivationMode : std::uint8_t { Auto, Float, Int8 };

/// How the words of packed weights lie: those of neighbouring rows side by side, as the lanes of a workgroup read them,
/// or rows one after another.
enum class WeightRows : std::uint8_t { Interleaved, Separate };
/// How a KV cache of f32 or f16 lies: the channels of a position together, or the positions of a slice of channels, as
/// weights of a convolution would have them.
enum class CacheLayout : std::uint8_t { TokenMajor, TokenMinor };

/// How the kernels of a decoded token are launched. One: as one launch that stays on the device (gpu::Device's
/// record_joined), where it can. Auto: so on devices that say it is faster.
enum class DecodeLaunches : std::uint8_t { Auto, One, Many };

std::string_view to_string(Precision precision);
std::string_view to_string(ActivationMode mode);
std::string_view to_string(WeightRows rows);
std::string_view to_string(CacheLayout layout);
std::string_view to_string(DecodeLaunches launches);
/// Nothing where the name is unknown.
std::optional<Precision> precision_from_name(std::string_view name);
std::optional<ActivationMode> activation_mode_from_name(std::string_view name);
std::optional<WeightRows> weight_rows_from_name(std::string_view name);
std::optional<CacheLayout> cache_layout_from_name(std::string_view name);
std::optional<DecodeLaunches> decode_launches_from_name(std::string_view name);

struct GraphOptions {
  Precision precision = Precision::Auto;
  ActivationMode activations = ActivationMode::Auto;
  /// Where activations are stored, within the limits of the device; those that do not fit are buffers.
  StorageKind storage = StorageKind::Buffer;
  std::vector<std::string> disabled_passes = {};   // names as in passes/pass.h
  std::vector<std::string> disabled_kernels = {};  // rows of selection.h that are not taken
  WeightRows weight_rows = WeightRows::Interleaved;
  CacheLayout cache_layout = CacheLayout::TokenMajor;
  DecodeLaunches decode_launches = DecodeLaunches::Auto;
  std::string memory_strategy = "best";  // a name of memory_plan.h
  bool in_place = true;                  // outputs may take the memory of inputs that end there
  /// Kernels and their parameters as they were measured (choices.h); null: by the rules of the selection.
  std::shared_ptr<const Choices> choices = {};
};

}  // namespace driftwood::graph
