#include "gpu/opencl/loader.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "gpu/opencl/status.h"

namespace driftwood::gpu::opencl {
namespace {

using GetPlatformIds = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
using GetExtensionFunctionAddress = void*(CL_API_CALL*)(const char*);

// The first member of every object of an ICD driver (cl_khr_icd, "Interaction with the ICD loader").
struct DispatchedObject {
  const cl_icd_dispatch* dispatch;
};

std::string last_dl_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "the system gives no reason";
}

std::vector<cl_platform_id> platform_ids(GetPlatformIds get, cl_int& status) {
  cl_uint count = 0;
  status = get(0, nullptr, &count);
  if (status != CL_SUCCESS || count == 0) return {};
  std::vector<cl_platform_id> ids(count);
  status = get(count, ids.data(), &count);
  if (status != CL_SUCCESS) return {};
  ids.resize(std::min<std::size_t>(ids.size(), count));
  return ids;
}

// The table from exported symbols; the name of a missing function where there is one.
std::optional<std::string> fill_from_symbols(void* library, Api& api) {
#define DRIFTWOOD_LOAD(name)                                              \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, #name)); \
  if (api.name == nullptr) return #name;
  DRIFTWOOD_OPENCL_FUNCTIONS(DRIFTWOOD_LOAD)
#undef DRIFTWOOD_LOAD
  return std::nullopt;
}

std::optional<std::string> fill_from_dispatch(const cl_icd_dispatch& dispatch, Api& api) {
#define DRIFTWOOD_LOAD(name)                                      \
  api.name = reinterpret_cast<decltype(api.name)>(dispatch.name); \
  if (api.name == nullptr) return #name;
  DRIFTWOOD_OPENCL_FUNCTIONS(DRIFTWOOD_LOAD)
#undef DRIFTWOOD_LOAD
  return std::nullopt;
}

// False where there is no such library.
bool open_loader(const std::string& name, Drivers& drivers) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    drivers.failures.push_back({name, fmt::format("The OpenCL loader cannot be opened: {}.", last_dl_error())});
    return false;
  }
  auto api = std::make_shared<Api>();
  const auto get = reinterpret_cast<GetPlatformIds>(dlsym(library, "clGetPlatformIDs"));
  const std::optional<std::string> missing =
      get == nullptr ? std::optional<std::string>("clGetPlatformIDs") : fill_from_symbols(library, *api);
  if (missing) {
    drivers.failures.push_back({name, fmt::format("The library lacks the OpenCL 1.2 function {}.", *missing)});
    return true;
  }
  cl_int status = CL_SUCCESS;
  const std::vector<cl_platform_id> ids = platform_ids(get, status);
  if (ids.empty()) {
    drivers.failures.push_back({name, fmt::format("The OpenCL loader finds no platform ({}).", status_name(status))});
  }
  for (cl_platform_id id : ids) drivers.platforms.push_back({api, id, name});
  return true;
}

std::string platform_name(const Api& api, cl_platform_id platform) {
  std::array<char, 256> name = {};
  std::size_t size = 0;
  return api.clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size() - 1, name.data(), &size) == CL_SUCCESS
             ? name.data()
             : "";
}

// Whether another way led to this platform before: the same object, or the same driver from another copy of its file.
bool is_known(const Drivers& drivers, const Api& api, cl_platform_id platform) {
  const std::string name = platform_name(api, platform);
  return std::any_of(drivers.platforms.begin(), drivers.platforms.end(), [&](const Platform& known) {
    return known.platform == platform || platform_name(*known.api, known.platform) == name;
  });
}

// A vendor's library without a loader: its platforms, and its functions through a platform's dispatch table.
void open_vendor_library(const std::string& name, Drivers& drivers) {
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;  // most of the list is absent on any machine: no failure worth a line
  const auto address = reinterpret_cast<GetExtensionFunctionAddress>(dlsym(library, "clGetExtensionFunctionAddress"));
  auto get = reinterpret_cast<GetPlatformIds>(dlsym(library, "clIcdGetPlatformIDsKHR"));
  if (get == nullptr && address != nullptr) get = reinterpret_cast<GetPlatformIds>(address("clIcdGetPlatformIDsKHR"));
  if (get == nullptr) {
    drivers.failures.push_back({name, "The library lacks clIcdGetPlatformIDsKHR, so it needs an OpenCL loader."});
    return;
  }
  cl_int status = CL_SUCCESS;
  const std::vector<cl_platform_id> ids = platform_ids(get, status);
  if (ids.empty()) {
    drivers.failures.push_back({name, fmt::format("The driver has no platform ({}).", status_name(status))});
  }
  for (cl_platform_id id : ids) {
    const cl_icd_dispatch* dispatch = reinterpret_cast<const DispatchedObject*>(id)->dispatch;
    auto api = std::make_shared<Api>();
    if (dispatch == nullptr) {
      drivers.failures.push_back({name, "The driver's platform has no dispatch table."});
    } else if (const auto missing = fill_from_dispatch(*dispatch, *api)) {
      drivers.failures.push_back({name, fmt::format("The driver lacks the OpenCL 1.2 function {}.", *missing)});
    } else if (!is_known(drivers, *api, id)) {
      drivers.platforms.push_back({std::move(api), id, name});
    }
  }
}

// The loader passes over a driver that does not open without a word; this finds out which and why.
void check_vendor_files(Drivers& drivers) {
  const char* configured = std::getenv("OCL_ICD_VENDORS");
  std::filesystem::path place = configured != nullptr && *configured != '\0' ? configured : "/etc/OpenCL/vendors";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(place, error)) {
    for (std::filesystem::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
      if (it->path().extension() == ".icd") files.push_back(it->path());
    }
  } else if (place.extension() == ".icd") {
    files.push_back(place);
  }
  std::sort(files.begin(), files.end());
  for (const std::filesystem::path& file : files) {
    std::ifstream stream(file);
    std::string library;
    std::getline(stream, library);
    while (!library.empty() && (library.back() == '\r' || library.back() == ' ')) library.pop_back();
    if (library.empty()) {
      drivers.failures.push_back({file.string(), "The file names no library."});
    } else if (dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
      drivers.failures.push_back({file.string(), fmt::format("The driver cannot be opened: {}.", last_dl_error())});
    }
  }
}

}  // namespace

Drivers load_drivers(const LoaderOptions& options) {
  Drivers drivers;
  std::vector<DriverFailure> loader_failures;
  bool has_loader = false;
  for (const std::string& name : options.loader_libraries) {
    Drivers attempt;
    has_loader |= open_loader(name, attempt);
    loader_failures.insert(loader_failures.end(), attempt.failures.begin(), attempt.failures.end());
    if (!attempt.platforms.empty()) {
      drivers.platforms = std::move(attempt.platforms);
      loader_failures.clear();  // an earlier name that did not open is of no interest now
      break;
    }
  }
  drivers.failures = std::move(loader_failures);
  check_vendor_files(drivers);
  const char* configured = std::getenv("OCL_ICD_VENDORS");
  if (has_loader && configured != nullptr && *configured != '\0') return drivers;
  for (const std::string& name : options.vendor_libraries) open_vendor_library(name, drivers);
  for (const std::string& name : options.fallback_libraries) {
    if (drivers.platforms.empty()) open_vendor_library(name, drivers);
  }
  return drivers;
}

}  // namespace driftwood::gpu::opencl
