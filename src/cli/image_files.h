// What `driftwood image` reads and writes besides the model.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace driftwood::cli {

/// Latents as a file holds them.
struct LatentsFile {
  std::uint32_t channels = 0, height = 0, width = 0;
  std::vector<float> values = {};  // [channel][row][column]
};

/// The tensor "latents" [1, channels, height, width], f32 or f16, of a safetensors file. Throws InvalidInput, naming
/// the file, where it is missing, of another rank or type, too large, or not finite.
LatentsFile read_latents(const std::filesystem::path& path);
void write_latents(const std::filesystem::path& path, const LatentsFile& latents);

/// "512x384". Throws CLI::ValidationError, naming the option, where it is no pair of positive numbers.
std::pair<std::uint32_t, std::uint32_t> parse_size(const std::string& text);

/// FILE.png of picture `index` among `count`: FILE.png itself where there is one, else FILE-1.png, FILE-2.png ...
std::filesystem::path numbered(const std::filesystem::path& path, std::uint32_t index, std::uint32_t count);

/// Throws InvalidInput where a file cannot be made there: no such folder, or a folder itself. Before the work begins.
void check_writable(const std::filesystem::path& path);

}  // namespace driftwood::cli
