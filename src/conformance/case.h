// The conformance suite: every kernel as a graph of one node, on every device, over every storage and type, held to a
// plain computation in double precision.
//
// A Case is a row of a table: which operation, how it is stored, and how to make a Problem of it. A Problem is the
// graph with the contents of all that it reads and what it must write. Rows of tokens that are not active, and places
// of caches that are not filled, hold NaN; outputs hold a pattern before the run and lie between guard words.
//
//   std::vector<Case> cases = {{.operation = "rms-norm", .name = "5 channels", .setting = {.max_tokens = 8, .tokens =
//   3},
//                               .make = [](Draft& draft) { ... }}};
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "gpu/device.h"
#include "graph/builder.h"
#include "graph/parameters.h"
#include "graph/program.h"

namespace driftwood::conformance {

/// How a case is stored and run.
struct Setting {
  StorageKind storage = StorageKind::Buffer;
  DataType activation = DataType::F32;  // of inputs and outputs
  DataType packed = DataType::F32;      // of weights, or of caches
  std::optional<DataType> caches = {};  // where packed is of weights
  std::uint32_t max_tokens = 1;
  std::uint32_t tokens = 1;
  std::uint32_t position = 0;
  bool is_idle = false;                       // nothing to do: grids of no workgroup
  const graph::NodeChoice* choice = nullptr;  // of a kernel and its parameters, where a device has it; kept for good

  DataType cache_type() const { return caches.value_or(packed); }
};

struct Index {
  std::uint32_t b = 0, h = 0, w = 0, c = 0;
};

/// What an element must be. Rounding errors grow with `magnitude`: the sum of the absolute terms that made the value.
struct Wanted {
  double value = 0;
  double magnitude = 0;
  bool is_written = true;  // else its bytes stay as they were
  double slack = 0;        // error that the storage allows: half a step of an 8-bit block
};

inline Wanted exactly(double value) { return {value, std::abs(value)}; }

/// What the arithmetic on the way to an element is, at most: tolerance.h makes the error of it that is allowed.
struct Arithmetic {
  double sum = 1;    // terms of the sums, one inside the other
  double steps = 4;  // other sums, products and conversions
  double exponentials = 0, sines = 0, roots = 0, inverse_roots = 0, divisions = 0, logarithms = 0;
};

/// Of values that are only moved.
inline constexpr Arithmetic no_arithmetic = {.sum = 0, .steps = 0};

struct Expected {
  std::string name;  // of the output or state
  std::vector<Wanted> elements;
};

struct Problem {
  graph::Graph graph;
  std::string refusal = {};  // why the device cannot store it as the case says, or nothing
  graph::Parameters parameters = {};
  Arithmetic arithmetic = {};
  bool is_idle = false;
  std::size_t dispatches = 1;                                    // that must run; 0: as many as it takes
  std::map<std::string, std::vector<float>> contents = {};       // of inputs and states, whole
  std::map<std::string, std::vector<std::uint32_t>> words = {};  // of quantized caches
  std::vector<std::uint32_t> ids = {};                           // of the input "ids", where there is one
  std::map<std::string, std::vector<std::byte>> weights = {};
  std::vector<Expected> expected = {};
};

/// A tensor of the graph with its values.
struct Field {
  graph::Tensor tensor;
  Shape shape;
  std::vector<float> values;
  double at(std::uint32_t b, std::uint32_t h, std::uint32_t w, std::uint32_t c) const {
    return values[((std::size_t{b} * shape.h + h) * shape.w + w) * shape.c + c];
  }
  double at(std::uint32_t w, std::uint32_t c) const { return at(0, 0, w, c); }
};

/// What follows the operation and is fused into its kernel.
enum class Tail : std::uint8_t { None, Silu, Residual, SiluResidual };
std::string_view to_string(Tail tail);

/// A Problem under construction.
class Draft {
 public:
  Draft(const Setting& setting, unsigned seed, bool computes = true)
      : setting(setting), builder({.max_tokens = setting.max_tokens}), random_(seed), computes_(computes) {}

  const Setting& setting;
  graph::Builder builder;
  Problem problem = {};
  /// Changes the graph once it is built.
  std::function<void(graph::Graph&)> adjust = {};

  /// Random values in [low, high) in the type of activations; NaN in rows of tokens that are not active.
  Field input(const std::string& name, const Shape& shape, float low = -2, float high = 2);
  Field constant(const std::string& name, const Shape& shape, float low = -2, float high = 2);
  /// A cache of type setting.cache_type(), which may be Q8_0. NaN from place `filled` on.
  Field cache(const std::string& name, const Shape& shape, std::uint32_t filled);
  /// A matrix of format setting.packed; shape {W = rows, C = columns}.
  Field weights(const std::string& name, std::uint32_t rows, std::uint32_t columns);
  graph::Tensor ids(std::uint32_t vocabulary);

  using Rule = std::function<Wanted(const Index&)>;
  /// Makes `tensor` the output `name`, after the tail; `rule` gives what the operation computes.
  void output(const std::string& name, const graph::Tensor& tensor, const Rule& rule, Tail tail = Tail::None);
  /// What a cache holds after the run: elements for which `rule` says nothing stay as they were.
  void state(const std::string& name, const Shape& shape, const Rule& rule);
  /// The rows (W) of a shape that are active, all of them where it has no token axis.
  std::uint32_t active_rows(const Shape& shape) const;

  std::mt19937& random() { return random_; }
  Problem finish() &&;

 private:
  std::vector<float> random_values(std::size_t count, DataType type, float low, float high);
  void expect(const std::string& name, const Shape& shape, const Rule& rule);
  std::mt19937 random_;
  bool computes_;  // what is expected
};

struct Case {
  std::string operation;
  std::string name;
  Setting setting;
  std::string packed;  // what setting.packed is of: "weights", "caches", or nothing
  std::function<void(Draft&)> make;
  bool everywhere = false;  // on OpenCL too, where a kernel takes up to a second to compile
};

std::string describe(const Case& c);
Problem problem_of(const Case& c, const gpu::DeviceFacts& facts, unsigned seed);
/// The same without what it must compute: for its graph.
Problem sketch_of(const Case& c, const gpu::DeviceFacts& facts);
/// How a case's graph becomes a program: its own storage and choice, and integers only where it makes them itself.
graph::GraphOptions options_of(const Setting& setting);

/// A device under test and its compiled kernels.
struct Subject {
  gpu::Device& device;
  std::shared_ptr<graph::KernelCache> kernels;
};

/// Errors of a device's functions, beside their results, in units of 2^-24.
struct Accuracy {
  double exponential = 6, sine = 8, root = 6, inverse_root = 4, division = 5, logarithm = 6;
  double half_roundings = 1;  // of a conversion to f16, in half units of the last place
};

/// Runs a problem. Gives the values of each output, and what is wrong with them; an empty text where nothing is.
struct Outcome {
  std::map<std::string, std::vector<float>> values;
  std::string fault;
  double half_steps = 0;   // roundings to halves of what is multiplied and summed
  Accuracy accuracy = {};  // of the device
};
/// Throws Unsupported where the problem has a refusal, and what devices throw.
Outcome run(const Subject& subject, const Problem& problem, const Setting& setting);
/// What differs between two devices, or nothing.
std::string difference(const Problem& problem, const Outcome& a, const Outcome& b);

// ---- the tables

/// `base` with every kind of memory and type of activations, and each of these formats of weights or caches.
std::vector<Setting> every_way(const Setting& base, std::span<const DataType> packed);

std::vector<Case> norm_cases();
std::vector<Case> layer_norm_cases();
std::vector<Case> group_statistics_cases();
std::vector<Case> linear_cases();
std::vector<Case> gated_linear_cases();
std::vector<Case> quantize_tokens_cases();
std::vector<Case> integer_linear_cases();
std::vector<Case> integer_gated_linear_cases();
std::vector<Case> qkv_linear_cases();
std::vector<Case> conv2d_cases();
std::vector<Case> concat_cases();
std::vector<Case> token_cases();  // embedding and select-token
std::vector<Case> sample_token_cases();
std::vector<Case> rope_cases();
std::vector<Case> cache_cases();  // head-layout, cache-write and rope-qkv
std::vector<Case> attention_cases();
std::vector<Case> multi_head_attention_cases();
std::vector<Case> element_wise_cases();
/// Those of every operation.
std::vector<Case> all_cases();

inline constexpr StorageKind every_storage[] = {StorageKind::Buffer, StorageKind::ImageBuffer, StorageKind::Texture2D,
                                                StorageKind::Texture3D, StorageKind::Texture2DArray};
inline constexpr DataType activation_types[] = {DataType::F32, DataType::F16};
/// Whole slices of four channels, and all remainders; fewer than a slice, and more than a row of a workgroup.
inline constexpr std::uint32_t edge_channels[] = {1, 2, 3, 5, 7, 30, 33, 66};
/// Of weights.
inline constexpr DataType formats[] = {
    DataType::F32,  DataType::F16,  DataType::BF16,   DataType::Q4_0,  DataType::Q4_1, DataType::Q5_0,
    DataType::Q5_1, DataType::Q8_0, DataType::Q2_K,   DataType::Q3_K,  DataType::Q4_K, DataType::Q5_K,
    DataType::Q6_K, DataType::Q8_K, DataType::IQ4_NL, DataType::MXFP4, DataType::I8C,  DataType::I4C};

}  // namespace driftwood::conformance
