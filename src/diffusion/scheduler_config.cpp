#include "diffusion/scheduler_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/error.h"
#include "diffusion/noise_schedule.h"
#include "formats/guarded_json.h"
#include "formats/json_fields.h"
#include "formats/quote.h"

namespace driftwood::diffusion {
namespace {

template <typename Value>
using Names = std::span<const std::pair<std::string_view, Value>>;

constexpr std::pair<std::string_view, SchedulerKind> classes[] = {
    {"PNDMScheduler", SchedulerKind::Pndm},
    {"DDIMScheduler", SchedulerKind::Ddim},
    {"EulerDiscreteScheduler", SchedulerKind::Euler},
    {"EulerAncestralDiscreteScheduler", SchedulerKind::EulerAncestral},
    {"DPMSolverMultistepScheduler", SchedulerKind::DpmSolver},
    {"LCMScheduler", SchedulerKind::Lcm},
};
constexpr std::pair<std::string_view, BetaSchedule> beta_schedules[] = {
    {"linear", BetaSchedule::Linear},
    {"scaled_linear", BetaSchedule::ScaledLinear},
    {"squaredcos_cap_v2", BetaSchedule::SquaredCosine},
};
constexpr std::pair<std::string_view, PredictionType> prediction_types[] = {
    {"epsilon", PredictionType::Epsilon},
    {"v_prediction", PredictionType::Velocity},
    {"sample", PredictionType::Sample},
};
constexpr std::pair<std::string_view, TimestepSpacing> spacings[] = {
    {"leading", TimestepSpacing::Leading},
    {"linspace", TimestepSpacing::Linspace},
    {"trailing", TimestepSpacing::Trailing},
};
// Files of other solvers have the last three; DPM-Solver takes them for midpoint.
constexpr std::pair<std::string_view, SolverType> solver_types[] = {
    {"midpoint", SolverType::Midpoint}, {"heun", SolverType::Heun},    {"logrho", SolverType::Midpoint},
    {"bh1", SolverType::Midpoint},      {"bh2", SolverType::Midpoint},
};
constexpr std::pair<std::string_view, FinalSigma> final_sigmas[] = {
    {"zero", FinalSigma::Zero},
    {"sigma_min", FinalSigma::Least},
};

template <typename Value>
[[noreturn]] void refuse_name(std::string_view key, std::string_view name, Names<Value> names) {
  std::vector<std::string_view> known;
  for (const auto& entry : names) known.push_back(entry.first);
  throw Unsupported(
      fmt::format("The key '{}' is {}; supported are {}.", key, quote_name(name), fmt::join(known, ", ")));
}

template <typename Value, std::size_t count>
std::optional<Value> choice(const JsonFields& fields, const char* key,
                            const std::pair<std::string_view, Value> (&names)[count]) {
  const auto name = fields.text(key);
  if (!name) return std::nullopt;
  for (const auto& [known, value] : names) {
    if (known == *name) return value;
  }
  refuse_name<Value>(key, *name, names);
}

void refuse_what_is_not_done(const JsonFields& fields) {
  for (const char* key :
       {"thresholding", "use_exponential_sigmas", "use_beta_sigmas", "use_lu_lambdas", "use_flow_sigmas"}) {
    if (fields.boolean(key).value_or(false)) {
      throw Unsupported(fmt::format("The key '{}' is true; only false is supported.", key));
    }
  }
  const auto only = [&](const char* key, std::string_view supported) {
    const auto name = fields.text(key);
    if (name && *name != supported) {
      throw Unsupported(fmt::format("The key '{}' is {}; only {} is supported.", key, quote_name(*name), supported));
    }
  };
  only("interpolation_type", "linear");
  only("timestep_type", "discrete");
  const auto variance = fields.text("variance_type");
  if (variance && variance->starts_with("learned")) {
    throw Unsupported(fmt::format("The key 'variance_type' is {}; models that predict a variance are not supported.",
                                  quote_name(*variance)));
  }
}

// Python writes the default of 'lambda_min_clipped' as -Infinity, which is no JSON. It becomes a number that passes
// the limits of no other key.
std::string without_infinities(std::string_view text) {
  constexpr std::string_view infinity = "-Infinity";
  std::string result;
  result.reserve(text.size());
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!quoted && text.substr(i).starts_with(infinity)) {
      result += "-1e308";
      i += infinity.size() - 1;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    result += text[i];
    if (quoted && text[i] == '\\' && i + 1 < text.size()) result += text[++i];
  }
  return result;
}

SchedulerConfig read(const JsonFields& fields) {
  SchedulerConfig config;
  config.class_name = fields.text("_class_name").value_or("");
  if (config.class_name.empty()) throw InvalidInput("The key '_class_name' is missing.");
  refuse_what_is_not_done(fields);

  const auto set = [](auto& member, auto value) {
    if (value) member = *value;
  };
  set(config.num_train_timesteps, fields.integer("num_train_timesteps", 2, most_train_timesteps));
  config.beta_start = fields.number("beta_start", least_beta, most_beta);
  config.beta_end = fields.number("beta_end", least_beta, most_beta);
  config.beta_schedule = choice(fields, "beta_schedule", beta_schedules);
  config.trained_betas = fields.numbers("trained_betas", most_train_timesteps, least_beta, most_beta);
  set(config.rescale_betas_zero_snr, fields.boolean("rescale_betas_zero_snr"));
  set(config.prediction_type, choice(fields, "prediction_type", prediction_types));

  config.timestep_spacing = choice(fields, "timestep_spacing", spacings);
  set(config.steps_offset, fields.integer("steps_offset", 0, most_train_timesteps));
  config.set_alpha_to_one = fields.boolean("set_alpha_to_one");
  set(config.skip_prk_steps, fields.boolean("skip_prk_steps"));

  config.clip_sample = fields.boolean("clip_sample");
  set(config.clip_sample_range, fields.number("clip_sample_range", 1e-6, 1e6));

  set(config.use_karras_sigmas, fields.boolean("use_karras_sigmas"));
  set(config.final_sigmas_type, choice(fields, "final_sigmas_type", final_sigmas));
  set(config.algorithm_type, fields.text("algorithm_type"));
  set(config.solver_type, choice(fields, "solver_type", solver_types));
  set(config.solver_order, fields.integer("solver_order", 1, 3));
  set(config.lower_order_final, fields.boolean("lower_order_final"));
  set(config.euler_at_final, fields.boolean("euler_at_final"));
  set(config.lambda_min_clipped, fields.number("lambda_min_clipped", -1e308, 1e3));

  set(config.original_inference_steps, fields.integer("original_inference_steps", 1, most_train_timesteps));
  set(config.timestep_scaling, fields.number("timestep_scaling", 1e-6, 1e6));
  return config;
}

}  // namespace

SchedulerConfig scheduler_config(std::string_view json_text, std::string_view source) {
  constexpr std::size_t longest_text = 4 << 20;  // 100,000 betas of up to 20 digits take half of it
  try {
    if (json_text.size() > longest_text) {
      throw InvalidInput(fmt::format("The scheduler's configuration has {} bytes; at most {} are allowed.",
                                     json_text.size(), longest_text));
    }
    const nlohmann::json document =
        parse_json(without_infinities(json_text), "The scheduler's configuration", {.depth = 16});
    if (!document.is_object()) throw InvalidInput("The scheduler's configuration is no JSON object.");
    return read(JsonFields(document));
  } catch (Error& error) {
    error.add_context(fmt::format("While reading '{}'.", source));
    throw;
  }
}

SchedulerKind default_scheduler(const SchedulerConfig& config) {
  for (const auto& [name, kind] : classes) {
    if (name != config.class_name) continue;
    return kind == SchedulerKind::DpmSolver && config.use_karras_sigmas ? SchedulerKind::DpmSolverKarras : kind;
  }
  refuse_name<SchedulerKind>("_class_name", config.class_name, classes);
}

SchedulerConfig for_latents(SchedulerConfig config) {
  config.clip_sample = false;
  config.steps_offset = 1;
  return config;
}

}  // namespace driftwood::diffusion
