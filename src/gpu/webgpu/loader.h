// The WebGPU libraries, opened when the program runs: Dawn and wgpu-native, both in one process where both are there.
// Nothing links against them, so one binary serves machines with and without.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gpu/webgpu/api.h"

namespace driftwood::gpu::webgpu {

/// A library or adapter that could not be used, and why, as a sentence.
struct DriverFailure {
  std::string source;
  std::string reason;
};

struct Library {
  enum class Kind { Dawn, WgpuNative, Other };
  Kind kind = Kind::Other;
  Api api;
  std::string source;     // as it was asked for
  std::string version;    // "Dawn (19695792 bytes)", "wgpu-native 29.0.1.1"
  bool is_early = false;  // of the webgpu.h before features were listed in the instance's descriptor
};

struct Libraries {
  std::vector<std::shared_ptr<const Library>> libraries;  // Dawn first
  std::vector<DriverFailure> failures;
};

/// Where to look.
struct LoaderOptions {
  /// Files or names to open instead of looking; none: LoaderOptions::standard() looks.
  std::vector<std::string> files = {};
  /// Where a Vulkan loader may be that the system has not.
  std::vector<std::filesystem::path> vulkan_folders = {};

  /// $DRIFTWOOD_WEBGPU, files with ':' between them, and nothing else where it is set (set but empty: no WebGPU). Else
  /// of each of the two the first that is there: beside the binary (its folder, ../lib), in the project's folder
  /// (../../.packages/webgpu from the binary, which `make` fills), on the system's search path.
  static LoaderOptions standard();
};

/// Opens what there is. Never throws for a broken library: it is listed in `failures`. Libraries stay open until the
/// process ends, as drivers keep threads and exit handlers that must not lose their code.
Libraries load_libraries(const LoaderOptions& options = LoaderOptions::standard());

}  // namespace driftwood::gpu::webgpu
