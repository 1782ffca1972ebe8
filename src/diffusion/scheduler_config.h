// What a scheduler is made from: the scheduler_config.json of a diffusers folder as plain numbers.
//
// Files name few keys, and what a file does not name has the default of the scheduler that is used, which need not be
// the one that the file names. Such keys are optional here.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace driftwood::diffusion {

/// The schedulers by the names that users give them: pndm, ddim, euler, euler-a, dpm++2m, dpm++2m-karras, lcm.
enum class SchedulerKind { Pndm, Ddim, Euler, EulerAncestral, DpmSolver, DpmSolverKarras, Lcm };

enum class BetaSchedule { Linear, ScaledLinear, SquaredCosine };
enum class PredictionType { Epsilon, Velocity, Sample };
enum class TimestepSpacing { Leading, Linspace, Trailing };
enum class SolverType { Midpoint, Heun };
enum class FinalSigma { Zero, Least };

/// Names and meaning as in scheduler_config.json. The kinds that read a key stand behind it, if not all do.
struct SchedulerConfig {
  std::string class_name = {};  // "_class_name", such as PNDMScheduler

  std::uint32_t num_train_timesteps = 1000;
  std::optional<double> beta_start = {};           // 0.0001; lcm 0.00085
  std::optional<double> beta_end = {};             // 0.02; lcm 0.012
  std::optional<BetaSchedule> beta_schedule = {};  // linear; lcm scaled_linear
  std::vector<double> trained_betas = {};          // in place of the three above, one for each timestep
  bool rescale_betas_zero_snr = false;             // all but pndm
  PredictionType prediction_type = PredictionType::Epsilon;

  std::optional<TimestepSpacing> timestep_spacing = {};  // pndm, ddim: leading; euler, dpm++: linspace
  std::uint32_t steps_offset = 0;                        // for leading
  std::optional<bool> set_alpha_to_one = {};             // pndm: false; ddim: true
  bool skip_prk_steps = false;                           // pndm

  std::optional<bool> clip_sample = {};  // ddim: true; lcm: false
  double clip_sample_range = 1;          // ddim, lcm
  double eta = 0;                        // ddim; no key of the file: 0 draws no noise, 1 as much as DDPM

  bool use_karras_sigmas = false;                                        // euler; dpm++ goes by its kind
  FinalSigma final_sigmas_type = FinalSigma::Zero;                       // euler, dpm++
  std::string algorithm_type = "dpmsolver++";                            // dpm++
  SolverType solver_type = SolverType::Midpoint;                         // dpm++
  std::uint32_t solver_order = 2;                                        // dpm++
  bool lower_order_final = true;                                         // dpm++
  bool euler_at_final = false;                                           // dpm++
  double lambda_min_clipped = -std::numeric_limits<double>::infinity();  // dpm++

  std::uint32_t original_inference_steps = 50;  // lcm
  double timestep_scaling = 10;                 // lcm
};

/// Reads the text of a scheduler_config.json; `source` names it in messages ("scheduler/scheduler_config.json"). Throws
/// InvalidInput where it is no such file or a number is past its limit, Unsupported where it asks for something that is
/// not done here. Keys that are not known are passed over.
SchedulerConfig scheduler_config(std::string_view json_text, std::string_view source);

/// The kind that `class_name` stands for. Throws Unsupported, naming the classes that are known.
SchedulerKind default_scheduler(const SchedulerConfig& config);

/// The same for sampling the latents of Stable Diffusion 1.x: nothing is clipped, which would cut latents of ordinary
/// size, and leading timesteps begin at 1, which those models were made for. Files that say otherwise, or say nothing,
/// are old; diffusers' pipeline reads them in this way too.
SchedulerConfig for_latents(SchedulerConfig config);

}  // namespace driftwood::diffusion
