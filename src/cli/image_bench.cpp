#include "cli/image_bench.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/bench_output.h"
#include "cli/image_files.h"
#include "cli/progress.h"
#include "diffusion/noise.h"

namespace driftwood::cli {

void set_size(diffusion::PipelineSettings& settings, const models::ImageCheckpoint& checkpoint,
              const std::string& size) {
  settings.width = settings.height = checkpoint.unet_config().sample_size * checkpoint.vae_config().scale();
  if (!size.empty()) std::tie(settings.width, settings.height) = parse_size(size);
  diffusion::check(settings, checkpoint.vae_config());
}

namespace {

struct Test {
  std::string name;
  std::size_t iterations;  // of a repetition: calls of the UNet
  std::vector<double> seconds = {};

  std::vector<double> rates() const {
    std::vector<double> rates;
    for (const double s : seconds) rates.push_back(static_cast<double>(iterations) / s);
    return rates;
  }
  double per_iteration() const { return mean(seconds) / static_cast<double>(iterations); }
};

class Bench {
 public:
  Bench(const ImageBench& arguments, const models::ImageCheckpoint& checkpoint)
      : arguments_(arguments), checkpoint_(checkpoint), scheduler_name_(arguments.scheduler) {
    set_size(settings_, checkpoint, arguments.size);
    settings_.batch = arguments.guidance > 1 ? 2 : 1;
    settings_.options = arguments.run.image_graph_options();
    arguments.image.apply(settings_);
    scheduler_ = open_scheduler(checkpoint, scheduler_name_);
    scheduler_->set_timesteps(arguments.steps);
    const std::string size = fmt::format("{}x{}", settings_.width, settings_.height);
    tests_ = {{fmt::format("text {}x77", settings_.batch), 1},
              {fmt::format("unet {} b{}", size, settings_.batch), scheduler_->timesteps().size()},
              {fmt::format("decode {}", size), 1},
              {fmt::format("image {} {} steps", size, arguments.steps), 1}};
  }

  /// A pipeline whose kernels are compiled, also those that are at first use, and whose caches are warm.
  std::unique_ptr<diffusion::Pipeline> warm(gpu::Device& device) {
    const auto compiling = std::make_shared<ProgressLine>("preparing kernels");
    settings_.options.choices = arguments_.run.choices(device.facts());
    settings_.progress = [compiling](std::size_t done, std::size_t all) { compiling->update(done, all); };
    auto pipeline = std::make_unique<diffusion::Pipeline>(device, checkpoint_, settings_);
    once(*pipeline);
    return pipeline;
  }

  void run() {
    const auto device = open_device(arguments_.run, selftest::Scope::Images);
    const auto pipeline = warm(*device);
    for (Test& test : tests_) test.seconds.clear();
    for (std::uint32_t i = 0; i < arguments_.repetitions; ++i) once(*pipeline);
    print(*pipeline, device->facts());
  }

 private:
  void once(diffusion::Pipeline& pipeline) {
    using Clock = std::chrono::steady_clock;
    std::vector<Clock::time_point> marks = {Clock::now()};
    // Ids that differ, as a prompt's do.
    std::vector<std::int32_t> ids(checkpoint_.text_config().max_tokens);
    const std::uint32_t vocabulary = checkpoint_.text_config().vocabulary;
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>((i * 7919 + 320) % vocabulary);
    const std::vector<float> context = pipeline.encode_text(ids);
    std::vector<float> negative;
    if (settings_.batch == 2) negative = pipeline.encode_text(ids);
    marks.push_back(Clock::now());
    std::vector<float> latents(pipeline.latent_size());
    diffusion::NoiseSource(1, diffusion::latent_stream).fill(latents);
    for (float& value : latents) value *= static_cast<float>(scheduler_->init_noise_sigma());
    scheduler_->set_timesteps(arguments_.steps);
    diffusion::DenoiseRequest request;
    request.context = context;
    request.negative = negative;
    request.guidance = arguments_.guidance;
    request.scheduler = scheduler_.get();
    request.latents = std::move(latents);
    request.seed = 1;
    ProgressLine progress("sampling");
    request.step = [&](std::size_t done, std::size_t all, double ms, std::span<const float>) {
      progress.update(done, all, fmt::format("{:.3f} s/it", ms / 1000));
    };
    latents = pipeline.denoise(std::move(request));
    marks.push_back(Clock::now());
    pipeline.decode(latents);
    marks.push_back(Clock::now());
    const auto seconds = [&](std::size_t from, std::size_t to) {
      return std::chrono::duration<double>(marks[to] - marks[from]).count();
    };
    for (std::size_t i = 0; i < 3; ++i) tests_[i].seconds.push_back(seconds(i, i + 1));
    tests_[3].seconds.push_back(seconds(0, 3));
  }

  nlohmann::json to_json(const Test& test, const gpu::DeviceFacts& facts, const graph::MemoryReport& memory) const {
    nlohmann::json options = arguments_.run.to_json();
    options["low_memory"] = settings_.low_memory;
    options["vae_tiling"] = settings_.vae_tiling;
    nlohmann::json row = timings(test.seconds, test.rates());
    row.update({{"model_filename", checkpoint_.path().string()},
                {"model_type", checkpoint_.name()},
                {"model_size", checkpoint_.total_bytes()},
                {"model_n_params", checkpoint_.total_values()},
                {"backends", facts.api},
                {"gpu_info", facts.name},
                {"driver", facts.driver},
                {"device", facts.id},
                {"test", test.name},
                {"n_steps", arguments_.steps},
                {"n_iterations", test.iterations},
                {"scheduler", scheduler_name_},
                {"guidance", arguments_.guidance},
                {"width", settings_.width},
                {"height", settings_.height},
                {"seconds_per_iteration", test.per_iteration()},
                {"weights_bytes", memory.weights},
                {"planned_bytes", memory.activations_planned},
                {"naive_bytes", memory.activations_naive},
                {"allocated_bytes", memory.allocated},
                {"options", options}});
    return row;
  }

  void print(const diffusion::Pipeline& pipeline, const gpu::DeviceFacts& facts) const {
    // Weights add up; of activations one component's live at a time.
    graph::MemoryReport memory;
    for (const auto& [name, report] : pipeline.memory()) {
      memory.weights += report.weights;
      memory.activations_planned = std::max(memory.activations_planned, report.activations_planned);
      memory.activations_naive = std::max(memory.activations_naive, report.activations_naive);
      memory.allocated = report.allocated;  // by the device in all
    }
    std::vector<nlohmann::json> rows;
    for (const Test& test : tests_) rows.push_back(to_json(test, facts, memory));
    if (print_rows(rows, arguments_.output)) return;
    fmt::print(
        "| model | size | params | backend | test | s | s/it | t/s |\n"
        "| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: |\n");
    for (const Test& test : tests_) {
      fmt::print("| {} | {:.2f} MiB | {:.2f} M | {} | {} | {:.4f} ± {:.4f} | {:.4f} | {:.2f} ± {:.2f} |\n",
                 checkpoint_.name(), static_cast<double>(checkpoint_.total_bytes()) / (1 << 20),
                 static_cast<double>(checkpoint_.total_values()) / 1e6, facts.api, test.name, mean(test.seconds),
                 deviation(test.seconds), test.per_iteration(), mean(test.rates()), deviation(test.rates()));
    }
    fmt::print(
        "\n{} on {}; scheduler {}, weights {:.1f} MiB, activations {:.2f} MiB planned of {:.2f} MiB naive, "
        "{:.1f} MiB allocated in all; "
        "options {}\n",
        facts.id, facts.name, scheduler_name_, static_cast<double>(memory.weights) / (1 << 20),
        static_cast<double>(memory.activations_planned) / (1 << 20),
        static_cast<double>(memory.activations_naive) / (1 << 20), static_cast<double>(memory.allocated) / (1 << 20),
        rows.front()["options"].dump());
  }

  const ImageBench& arguments_;
  const models::ImageCheckpoint& checkpoint_;
  std::string scheduler_name_;
  diffusion::PipelineSettings settings_;
  std::unique_ptr<diffusion::Scheduler> scheduler_;
  std::vector<Test> tests_;
};

}  // namespace

std::unique_ptr<diffusion::Pipeline> run_once(const ImageBench& arguments, const models::ImageCheckpoint& checkpoint,
                                              gpu::Device& device) {
  return Bench(arguments, checkpoint).warm(device);
}

void bench_image(const ImageBench& arguments) {
  const auto checkpoint = models::ImageCheckpoint::open(arguments.model);
  Bench(arguments, checkpoint).run();
}

}  // namespace driftwood::cli
