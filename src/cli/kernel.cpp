#include <fmt/format.h>

#include <charconv>

#include "base/error.h"
#include "cli/command.h"
#include "cli/options.h"
#include "kernels/source.h"
#include "shader/compile.h"
#include "shader/emit_metal.h"
#include "shader/emit_opencl.h"
#include "shader/emit_wgsl.h"
#include "shader/ir_printer.h"
#include "tensor/packed_weights.h"
#include "tensor/storage.h"

namespace driftwood::cli {
namespace {

struct KernelArguments {
  std::string name, emit = "opencl";
  std::vector<std::string> settings;
  bool list = false, pipeline = false;
};

[[noreturn]] void bad_setting(const std::string& text, const std::string& why) {
  throw CLI::ValidationError("--set", fmt::format("'{}' {}", text, why));
}

/// Numbers separated by 'x': "1x16x64".
std::vector<std::uint32_t> numbers(const std::string& text, const std::string& setting) {
  std::vector<std::uint32_t> list;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::uint32_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number == 0) bad_setting(setting, "has no extents such as 16x64");
    list.push_back(number);
    if (next == end) return list;
    if (*next != 'x') bad_setting(setting, "has no extents such as 16x64");
    at = next + 1;
  }
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

/// NAME=tensor:TYPE:WxC[:STORAGE] or HxWxC, BxHxWxC.
TensorDescriptor tensor_setting(const std::vector<std::string>& parts, const std::string& setting) {
  if (parts.size() < 3 || parts.size() > 4) bad_setting(setting, "is no tensor such as x=tensor:f32:16x64:buffer");
  const auto type = data_type_from_name(parts[1]);
  if (!type) bad_setting(setting, fmt::format("names the unknown type '{}'", parts[1]));
  const auto extents = numbers(parts[2], setting);
  if (extents.size() > 4) bad_setting(setting, "has more than the four extents B, H, W, C");
  TensorDescriptor descriptor{.data_type = *type};
  std::uint32_t* const axes[] = {&descriptor.shape.c, &descriptor.shape.w, &descriptor.shape.h, &descriptor.shape.b};
  for (std::size_t i = 0; i < extents.size(); ++i) *axes[i] = extents[extents.size() - 1 - i];
  const std::string storage = parts.size() == 4 ? parts[3] : "buffer";
  const auto kind = storage_from_name(storage);
  if (!kind) bad_setting(setting, fmt::format("names the unknown storage '{}'", storage));
  descriptor.storage = *kind;
  descriptor.layout = default_layout(descriptor.storage, descriptor.shape);
  return descriptor;
}

/// NAME=weights:FORMAT:ROWSxCOLUMNS[:ROW_GROUP[:WORD_RUN]].
WeightsDescriptor weights_setting(const std::vector<std::string>& parts, const std::string& setting) {
  if (parts.size() < 3 || parts.size() > 5) bad_setting(setting, "is no matrix such as w=weights:q4_0:64x128:32");
  const auto format = data_type_from_name(parts[1]);
  if (!format) bad_setting(setting, fmt::format("names the unknown format '{}'", parts[1]));
  const auto extents = numbers(parts[2], setting);
  if (extents.size() != 2) bad_setting(setting, "has no two extents ROWSxCOLUMNS");
  constexpr std::uint32_t gpu_group = 32;
  const std::uint32_t group = parts.size() > 3 ? numbers(parts[3], setting)[0] : gpu_group;
  const std::uint32_t run = group == gpu_group ? gpu_word_run(*format) : 1;
  return {.format = *format,
          .rows = extents[0],
          .columns = extents[1],
          .row_group = group,
          .word_run = parts.size() > 4 ? numbers(parts[4], setting)[0] : run};
}

void apply(shader::Specialization& specialization, const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) bad_setting(setting, "is not NAME=VALUE");
  const std::string name = setting.substr(0, equals), value = setting.substr(equals + 1);
  const auto parts = split(value, ':');
  if (parts[0] == "tensor") {
    specialization.tensors[name] = tensor_setting(parts, setting);
    return;
  }
  if (parts[0] == "weights") {
    specialization.weights[name] = weights_setting(parts, setting);
    return;
  }
  if (value == "true" || value == "false") {
    specialization.overrides[name] = value == "true" ? 1 : 0;
    return;
  }
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (!value.empty() && *end == '\0')
    specialization.overrides[name] = number;
  else
    specialization.aliases[name] = value;
}

void kernel(const KernelArguments& arguments) {
  if (arguments.list) {
    for (const std::string& path : kernels::module_paths()) fmt::print("{}\n", path);
    return;
  }
  if (arguments.name.empty())
    throw CLI::ValidationError("kernel", "NAME is missing; 'driftwood kernel --list' lists the kernels");
  shader::Specialization specialization;
  for (const std::string& setting : arguments.settings) apply(specialization, setting);
  const std::string path = arguments.name.starts_with("package::") ? arguments.name : "package::" + arguments.name;
  if (!kernels::source(path))
    throw InvalidInput(
        fmt::format("There is no kernel '{}'. 'driftwood kernel --list' lists the kernels.", arguments.name));
  // Plain, without options of the language, but for matrices, which only one dialect has; Metal with all that Apple's
  // GPUs have.
  shader::TargetTraits traits{.has_matrices = true, .has_pipeline = arguments.pipeline};
  if (arguments.emit == "metal" || arguments.pipeline) {
    traits.has_f16_arithmetic = traits.has_subgroups = true;
    traits.subgroup_size = 32;
  }
  const shader::Module module = shader::compile(kernels::source, path, specialization, traits);
  const bool matrices = module.uses_matrices;
  std::string text;
  if (arguments.emit == "opencl") {
    shader::OpenClDialect dialect{.matrices = true, .pipeline = arguments.pipeline};
    if (arguments.pipeline) {  // as NVIDIA's driver takes it
      dialect.f16_arithmetic = dialect.f16_ptx = true;
      dialect.subgroups = shader::OpenClDialect::Subgroups::NvidiaPtx;
    }
    text = shader::emit_opencl(module, dialect);
  }
  if (arguments.emit == "wgsl")
    text = shader::emit_wgsl(module, {.f16 = matrices, .subgroups = matrices, .matrices = true});
  if (arguments.emit == "metal") text = shader::emit_metal(module);
  if (arguments.emit == "ir") text = shader::print(module);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

void add_kernel(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<KernelArguments>();
  CLI::App* command = app.add_subcommand("kernel", "The code generated for a kernel");
  command->add_option("NAME", arguments->name, "Kernel, such as rms_norm");
  command->add_option("--emit", arguments->emit, "opencl, wgsl, metal, or ir: the checked and optimised kernel itself")
      ->check(CLI::IsMember({"opencl", "wgsl", "metal", "ir"}))
      ->capture_default_str();
  command->add_option("--set", arguments->settings,
                      "NAME=NUMBER for an override, NAME=TYPE for an alias, NAME=tensor:TYPE:[BxHx]WxC[:STORAGE], "
                      "NAME=weights:FORMAT:ROWSxCOLUMNS[:ROW_GROUP[:WORD_RUN]] (repeatable)");
  command->add_flag(
      "--pipeline", arguments->pipeline,
      "OpenCL C with the pipeline of a workgroup as NVIDIA's driver takes it, not lowered to plain loops");
  command->add_flag("--list", arguments->list, "List the kernels and helper modules");
  command->callback([arguments, &action] { action = [arguments] { kernel(*arguments); }; });
}

}  // namespace driftwood::cli
