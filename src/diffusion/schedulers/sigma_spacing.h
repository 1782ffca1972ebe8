// Sigmas between the timesteps of a training, and the spacing of Karras et al.
#pragma once

#include <span>
#include <vector>

namespace driftwood::diffusion {

/// How a solver in sigmas lays out a run.
enum class SigmaSpacing { Timesteps, Karras };

/// The sigma at a timestep between those of `train_sigmas` (rising, one for each timestep), by linear interpolation.
double sigma_at(double timestep, std::span<const float> train_sigmas);

/// The inverse: the timestep whose sigma is `sigma`, by linear interpolation of logarithms.
double timestep_of(double sigma, std::span<const float> train_sigmas);

/// `count` sigmas from `most` down to `least`: Karras et al., "Elucidating the Design Space of Diffusion-Based
/// Generative Models", 2022, equation 5 with rho = 7.
std::vector<double> karras_sigmas(double most, double least, std::size_t count);

}  // namespace driftwood::diffusion
