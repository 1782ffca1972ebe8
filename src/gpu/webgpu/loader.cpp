#include "gpu/webgpu/loader.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

namespace driftwood::gpu::webgpu {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> dawn_names = {"libwebgpu_dawn.so", "libwebgpu_wrapper.so"};
constexpr std::array<std::string_view, 2> native_names = {"libwgpu_native.so", "libwgpu_native-release.so"};
constexpr const char* vulkan_name = "libvulkan.so.1";

std::string last_dl_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "the system gives no reason";
}

// Folders where a library may lie that the system's search path does not reach.
std::vector<fs::path> own_folders() {
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  if (error) return {};
  const fs::path folder = binary.parent_path();
  return {folder, folder.parent_path() / "lib", folder.parent_path().parent_path() / ".packages" / "webgpu"};
}

// The library looks for Vulkan by name. Where the system has none, one that lies with it serves: once opened under that
// name, it is what the name means in this process.
void provide_vulkan(const std::vector<fs::path>& folders) {
  if (dlopen(vulkan_name, RTLD_NOW | RTLD_LOCAL) != nullptr) return;
  for (const fs::path& folder : folders) {
    if (dlopen((folder / vulkan_name).c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  }
}

// The table from exported symbols; the name of a missing function where there is one.
std::optional<std::string> fill(void* library, Api& api) {
#define DRIFTWOOD_LOAD(name) api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, #name));
#define DRIFTWOOD_NEED(name) \
  DRIFTWOOD_LOAD(name)       \
  if (api.name == nullptr) return #name;
  DRIFTWOOD_WEBGPU_FUNCTIONS(DRIFTWOOD_NEED)
  DRIFTWOOD_WEBGPU_OPTIONAL_FUNCTIONS(DRIFTWOOD_LOAD)
#undef DRIFTWOOD_NEED
#undef DRIFTWOOD_LOAD
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  load(api.get_version, "wgpuGetVersion");
  load(api.poll, "wgpuDevicePoll");
  load(api.enumerate_adapters, "wgpuInstanceEnumerateAdapters");
  load(api.create_trusted_module, "wgpuDeviceCreateShaderModuleTrusted");
  load(api.timestamp_period, "wgpuQueueGetTimestampPeriod");
  load(api.tick, "wgpuDeviceTick");
  load(api.force_loss, "wgpuDeviceForceLoss");
  return std::nullopt;
}

// Dawn does not say its version; the size of its file stands for it in the keys of caches.
std::uint64_t file_bytes(const Api& api) {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(api.wgpuCreateInstance), &info) == 0 || info.dli_fname == nullptr) return 0;
  std::error_code error;
  const std::uint64_t bytes = fs::file_size(info.dli_fname, error);
  return error ? 0 : bytes;
}

std::string version_of(const Library& library) {
  if (library.kind == Library::Kind::WgpuNative && library.api.get_version != nullptr) {
    const std::uint32_t version = library.api.get_version();
    return fmt::format("wgpu-native {}.{}.{}.{}", version >> 24, version >> 16 & 255, version >> 8 & 255,
                       version & 255);
  }
  return fmt::format("{} ({} bytes)", library.kind == Library::Kind::Dawn ? "Dawn" : "WebGPU", file_bytes(library.api));
}

void open(const std::string& name, Libraries& result) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    result.failures.push_back({name, fmt::format("The WebGPU library cannot be opened: {}.", last_dl_error())});
    return;
  }
  auto library = std::make_shared<Library>();
  if (const auto missing = fill(handle, library->api)) {
    result.failures.push_back({name, fmt::format("The library lacks the WebGPU function {}.", *missing)});
    return;
  }
  const bool is_known =
      std::any_of(result.libraries.begin(), result.libraries.end(), [&](const std::shared_ptr<const Library>& other) {
        return other->api.wgpuCreateInstance == library->api.wgpuCreateInstance;
      });
  if (is_known) return;
  library->source = name;
  if (library->api.poll != nullptr) {
    library->kind = Library::Kind::WgpuNative;
  } else if (library->api.tick != nullptr) {
    library->kind = Library::Kind::Dawn;
  }
  library->is_early = dlsym(handle, "wgpuGetInstanceCapabilities") != nullptr;
  library->version = version_of(*library);
  result.libraries.push_back(std::move(library));
}

// The first of the names that is in a folder, else the first that the system's search path reaches.
void look_for(const std::vector<fs::path>& folders, std::span<const std::string_view> names,
              std::vector<std::string>& found) {
  for (const fs::path& folder : folders) {
    for (const std::string_view name : names) {
      std::error_code error;
      if (fs::exists(folder / name, error)) {
        found.push_back((folder / name).string());
        return;
      }
    }
  }
  for (const std::string_view name : names) {
    if (void* handle = dlopen(std::string(name).c_str(), RTLD_NOW | RTLD_LOCAL)) {
      dlclose(handle);  // opened again by name
      found.emplace_back(name);
      return;
    }
  }
}

}  // namespace

LoaderOptions LoaderOptions::standard() {
  LoaderOptions options;
  options.vulkan_folders = own_folders();
  if (const char* configured = std::getenv("DRIFTWOOD_WEBGPU")) {
    std::string_view rest = configured;
    while (!rest.empty()) {
      const std::size_t end = rest.find(':');
      if (const std::string_view file = rest.substr(0, end); !file.empty()) {
        options.files.emplace_back(file);
        options.vulkan_folders.push_back(fs::path(file).parent_path());
      }
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    return options;
  }
  const std::vector<fs::path> folders = own_folders();
  look_for(folders, dawn_names, options.files);
  look_for(folders, native_names, options.files);
  return options;
}

Libraries load_libraries(const LoaderOptions& options) {
  Libraries result;
  if (options.files.empty()) return result;
  provide_vulkan(options.vulkan_folders);
  for (const std::string& file : options.files) open(file, result);
  std::stable_partition(result.libraries.begin(), result.libraries.end(),
                        [](const std::shared_ptr<const Library>& each) { return each->kind == Library::Kind::Dawn; });
  return result;
}

}  // namespace driftwood::gpu::webgpu
