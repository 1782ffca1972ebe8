// What a device can do at best, measured rather than read from a data sheet: bandwidth of memory, arithmetic of each
// kind, and what its event times say too much. With these a profile says how near a kernel is to the limit.
//
//   const measure::Ceilings ceilings = *measure::ceilings(device);   // measured once, then read from the program cache
//   const double least = ceilings.least_nanoseconds(bytes, flops, graph::Arithmetic::Floats);
#pragma once

#include <optional>
#include <string>

#include "gpu/device.h"
#include "gpu/program_cache.h"
#include "graph/program.h"

namespace driftwood::measure {

/// Zero: the device has none of it.
struct Ceilings {
  double read_gb_per_s = 0;   // of a buffer larger than caches
  double copy_gb_per_s = 0;   // read and written bytes together
  double float_gflops = 0;    // fused multiply-adds of f32, two operations each
  double half_gflops = 0;     // of f16
  double integer_gflops = 0;  // products of four bytes added up, eight operations each
  double matrix_gflops = 0;   // matrices of a subgroup or a workgroup, f16 summed in f32
  /// Nanoseconds that the event time of a kernel is longer than what the kernel takes from start to start, where
  /// kernels are queued behind one another; measured with kernels that do nothing.
  double event_excess_ns = 0;

  double bandwidth() const { return read_gb_per_s > copy_gb_per_s ? read_gb_per_s : copy_gb_per_s; }
  /// Of that kind, or of f32 where it was not measured.
  double gflops(graph::Arithmetic arithmetic) const;
  /// The roofline: the longer of the times that moving the bytes and doing the operations take at best.
  double least_nanoseconds(double bytes, double flops, graph::Arithmetic arithmetic) const;
  /// An event time without its excess; never below zero.
  double corrected(double nanoseconds) const {
    return nanoseconds > event_excess_ns ? nanoseconds - event_excess_ns : 0;
  }

  bool operator==(const Ceilings&) const = default;
};

/// Measures; takes a second or two. Throws what devices throw.
Ceilings measure_ceilings(gpu::Device& device);

/// The same, kept in a cache by device and driver. Nothing for the reference, whose speed says nothing about devices.
/// `again`: measured though it is known.
std::optional<Ceilings> ceilings(gpu::Device& device, bool again = false,
                                 const gpu::ProgramCache& cache = gpu::ProgramCache::standard());

/// As kept in the cache, and back; nothing where the text is none of this version.
std::string to_text(const Ceilings& ceilings);
std::optional<Ceilings> ceilings_from_text(const std::string& text);

}  // namespace driftwood::measure
