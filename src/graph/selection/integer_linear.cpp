#include "graph/selection/integer_linear.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/checked.h"
#include "base/error.h"
#include "graph/epilogue.h"
#include "graph/selection/linear.h"
#include "graph/selection/matrix_product.h"
#include "graph/selection/rows.h"
#include "graph/selection/token_axis.h"
#include "graph/selection/tunable.h"
#include "graph/selection/workgroups.h"

namespace driftwood::graph {

namespace {

// Below this number of positions a matrix of many outputs is better cut by rows of weights alone.
constexpr std::uint32_t least_tiled_positions = 16;

bool is_gated(const Node& node) { return node.as<IntegerGatedLinear>() != nullptr; }

std::size_t first_weights(const Node& node) {
  return is_gated(node) ? node.as<IntegerGatedLinear>()->weights() : node.as<IntegerLinear>()->weights();
}

IntegerInput input_of(const Node& node) {
  return is_gated(node) ? node.as<IntegerGatedLinear>()->input : node.as<IntegerLinear>()->input;
}

ValueId weights_of(const Node& node) { return node.inputs[first_weights(node)]; }

// ---- products of packed integers

/// Fusion points of a gated linear whose kernel applies the scale itself.
void add_gate_biases(const Node& node, const SelectionContext& context, KernelUse& use) {
  const Shape& shape = context.shape(node.outputs[0]);
  const std::size_t biases = first_weights(node) + 2;
  ElementWise gate = single(node.as<IntegerGatedLinear>()->activation);
  std::vector<Shape> shapes;
  if (node.inputs.size() > biases) {
    gate = compose(gate, 0, single(ElementOp::Add));
    shapes.push_back(context.shape(node.inputs[biases]));
    use.specialization.fusions["up_bias"] = fusion_source("up_bias", "up_bias", single(ElementOp::Add), shapes, shape);
    use.resources.push_back(read("gate_bias_0", node.inputs[biases]));
    use.resources.push_back(read("up_bias_0", node.inputs[biases + 1]));
  }
  use.specialization.fusions["activation"] = fusion_source("activation", "gate_bias", gate, shapes, shape);
}

// `inputs`: names of the tensors that the kernel knows of x, q, scale and sums. It reads those of one form of input;
// what is bound to the others is never read.
KernelUse integer_use(const Node& node, const SelectionContext& context, std::string module_path,
                      std::initializer_list<std::string_view> inputs) {
  KernelUse use{.module_path = std::move(module_path), .label = node.name};
  const ValueId w = weights_of(node);
  const ValueId up = is_gated(node) ? node.inputs[first_weights(node) + 1] : w;  // never read where there is none
  use.specialization.weights = {{"w", weights_descriptor(context, w)}, {"up", weights_descriptor(context, up)}};
  use.resources = {read("w", w), read("up", up), write("y", node.outputs[0]), parameters()};
  const auto given = std::span(node.inputs).first(first_weights(node));
  for (const std::string_view name : inputs) {
    const std::size_t place = name == "scale" ? 1 : name == "sums" ? 2 : 0;
    use.resources.push_back(read(std::string(name), given[std::min(place, given.size() - 1)]));
  }
  use.specialization.overrides = {{"weights_kind", byte_format(context.value(w).weights.format)},
                                  {"words", packed_words(context.shape(w).c)},
                                  {"matrices", is_gated(node) ? 2 : 1},
                                  {"rows_per_token", rows_per_token(context, node.outputs[0])}};
  add_row_scales(context.value(weights_of(node)).weights.format, inputs.size() > 0 && *(inputs.end() - 1) == "sums",
                 use);
  if (is_gated(node)) add_gate_biases(node, context, use);
  add_epilogue(node, context, use);
  return use;
}

struct Rows {
  std::uint32_t lanes, splits, tile;
};

// Bytes of workgroup memory of kernels/integer_rows.wgsl.
std::uint64_t rows_bytes(const Rows& rows, std::uint32_t matrices, std::uint32_t staged_words) {
  const std::uint64_t invocations = std::uint64_t{rows.lanes} * rows.splits;
  return 4 * (matrices * rows.tile * invocations + std::max<std::uint32_t>(staged_words + staged_words / 8, 9));
}

Rows rows_of(std::uint32_t columns, std::uint32_t tokens, std::uint32_t matrices, bool stages,
             const gpu::DeviceFacts& facts) {
  Rows rows{.lanes = weights_row_group(facts), .splits = 1, .tile = std::min<std::uint32_t>(8, tokens)};
  // As the float kernels: a group of 256, or of 128 where each invocation has several tokens to do; more would leave
  // each without a whole chunk.
  const auto chunks = static_cast<std::uint32_t>(divide_up(columns, 32));
  const std::uint32_t most = std::min<std::uint32_t>(rows.tile > 1 ? 128 : 256, facts.max_workgroup_size);
  while (rows.splits * 2 * rows.lanes <= most && rows.splits * 2 <= chunks &&
         rows.splits * 2 <= facts.max_workgroup_extent[1]) {
    rows.splits *= 2;
  }
  const std::uint32_t staged = stages ? packed_words(columns) : 0;
  while (rows.tile > 1 && rows_bytes(rows, matrices, staged) > facts.local_memory) rows.tile /= 2;
  return rows;
}

Lowering integer_rows(const Node& node, const SelectionContext& context) {
  KernelUse use = integer_use(node, context, "package::integer_linear_rows", {"x", "q", "scale"});
  const ValueId x = node.inputs[0];
  const Shape& matrix = context.shape(weights_of(node));
  const std::uint32_t tokens = context.per_token(x) ? context.shape(x).w : 1;
  const bool stages = input_of(node) == IntegerInput::Fused;
  const std::uint32_t matrices = is_gated(node) ? 2 : 1;
  Rows rows = rows_of(matrix.c, tokens, matrices, stages, context.facts);
  const gpu::DeviceFacts& facts = context.facts;
  const auto fits_with = [&](std::uint32_t Rows::*member) {
    return [&, member](std::uint32_t value) {
      Rows other = rows;
      other.*member = value;
      return rows_bytes(other, matrices, stages ? packed_words(matrix.c) : 0) <= facts.local_memory &&
             other.splits <= divide_up(matrix.c, 32) && other.splits * other.lanes <= facts.max_workgroup_size &&
             other.splits <= facts.max_workgroup_extent[1];
    };
  };
  if (tokens > 1) rows.tile = context.choice("tile", rows.tile, {1, 2, 4, 8}, fits_with(&Rows::tile));
  rows.splits = context.choice("splits", rows.splits, {1, 2, 4, 8, 16, 32}, fits_with(&Rows::splits));
  auto& overrides = use.specialization.overrides;
  overrides["row_lanes"] = rows.lanes;
  overrides["splits"] = rows.splits;
  overrides["tile"] = rows.tile;
  overrides["stages"] = stages;
  use.grid = {groups_of(matrix.w, rows.lanes), groups_of_rows(context, x, rows.tile)};
  return {.kernels = {std::move(use)}};
}

// A tile of kernels/integer_tile.wgsl: 4 lanes_o outputs times rows * lanes_p positions. Eight positions and four
// outputs an invocation read 12 vectors of workgroup memory for 128 products of four bytes. The last is for devices
// with the least memory and workgroups, and for few positions.
struct Tile {
  std::uint32_t lanes_o, lanes_p, rows, chunks;
  std::uint32_t invocations() const { return lanes_o * lanes_p; }
  std::uint32_t positions() const { return rows * lanes_p; }
  std::uint64_t bytes(std::uint32_t matrices) const {
    return std::uint64_t{4} * chunks * (9 * (positions() + 1) + 40 * lanes_o * matrices);
  }
};
constexpr Tile tiles[] = {{16, 16, 8, 4}, {16, 8, 8, 2}, {8, 8, 4, 2}};

const Tile& tile_for(std::uint32_t positions, std::uint32_t outputs, std::uint32_t matrices,
                     const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const auto fits = [&](const Tile& tile) {
    return tile.invocations() <= facts.max_workgroup_size && tile.invocations() <= facts.max_workgroup_extent[0] &&
           tile.bytes(matrices) <= facts.local_memory;
  };
  const auto fills = [&](const Tile& tile) {
    const std::uint64_t count = divide_up(positions, tile.positions()) * divide_up(outputs, 4 * tile.lanes_o);
    return fits(tile) && count >= 2 * std::uint64_t{facts.compute_units};
  };
  const Tile* const found = std::ranges::find_if(tiles, fills);
  const Tile& by_rule = found == std::end(tiles) ? tiles[std::size(tiles) - 1] : *found;
  const auto extents = [](const Tile& tile) { return std::pair(tile.positions(), 4 * tile.lanes_o); };
  return tuned_tile(context, std::span<const Tile>(tiles), by_rule, extents, fits);
}

Lowering integer_tiled(const Node& node, const SelectionContext& context) {
  KernelUse use = integer_use(node, context, "package::integer_linear_tiled", {"q", "scale"});
  const Shape& output = context.shape(node.outputs[0]);
  const std::uint32_t matrices = is_gated(node) ? 2 : 1;
  const Tile& tile = tile_for(output.w, output.c, matrices, context);
  auto& overrides = use.specialization.overrides;
  overrides["lanes_o"] = tile.lanes_o;
  overrides["lanes_p"] = tile.lanes_p;
  overrides["rows"] = tile.rows;
  overrides["chunks"] = tile.chunks;
  use.grid = {groups_of(output.c, 4 * tile.lanes_o), groups_of_rows(context, node.outputs[0], tile.positions())};
  return {.kernels = {std::move(use)}};
}

// Tokens that share each word of weights: their sums, of sixteen rows each, fill half of the 32 vector registers of
// AVX-512, and sums of a block the other half.
constexpr std::uint32_t most_wide_tokens = 8;

Lowering integer_wide(const Node& node, const SelectionContext& context) {
  KernelUse use = integer_use(node, context, "package::integer_linear_wide", {"q", "scale", "sums"});
  const ValueId x = node.inputs[0];
  const bool has_tokens = context.per_token(x) && context.shape(x).w > 1;
  const std::uint32_t tile = !has_tokens
                                 ? 1
                                 : context.choice("tile", std::min(most_wide_tokens, context.shape(x).w), {4, 6, 8, 12},
                                                  [&](std::uint32_t tokens) { return tokens <= context.shape(x).w; });
  use.specialization.overrides["tile"] = tile;
  use.grid = {groups_of(context.shape(weights_of(node)).w, 16), groups_of_rows(context, x, tile)};
  return {.kernels = {std::move(use)}};
}

// ---- integers of tokens

Lowering quantize_tokens(const Node& node, const SelectionContext& context) {
  KernelUse use{.module_path = "package::quantize_tokens", .label = node.name};
  const bool packs = node.as<QuantizeTokens>()->packed;
  const Shape& x = context.shape(node.inputs[0]);
  use.specialization.overrides = {{"lanes", lanes_for(context.facts, integer_chunks(x.c))}, {"packs", packs}};
  // What a form does not have is never written.
  use.resources = {read("x", node.inputs[0]), write("words", node.outputs[0]), write("values", node.outputs[0]),
                   write("scale", node.outputs.at(packs ? 1 : 0)), write("sums", node.outputs.back())};
  use.grid = {groups_of_rows(context, node.inputs[0])};
  return {.kernels = {std::move(use)}};
}

// ---- rows

bool takes_integers(const Node& node, const SelectionContext& context) {
  const IntegerInput input = input_of(node);
  return has_only_rows(node, context) && has_integer_kernels(context.value(weights_of(node)).weights.format) &&
         (input == IntegerInput::Packed || (input == IntegerInput::Fused && context.shape(node.inputs[0]).w == 1));
}

bool takes_wide_rows_of_words(const Node& node, const SelectionContext& context) {
  return context.facts.is_cpu && interleaved_rows(context) % 16 == 0 && input_of(node) == IntegerInput::Packed &&
         takes_integers(node, context);
}

bool takes_tiles_of_words(const Node& node, const SelectionContext& context) {
  return input_of(node) == IntegerInput::Packed && takes_integers(node, context) &&
         context.shape(node.inputs[0]).w >= least_tiled_positions;
}

constexpr KernelRow rows[] = {
    {QuantizeTokens::name, "quantize-tokens", has_only_rows, quantize_tokens},
    {IntegerLinear::name, "integer-linear-wide", takes_wide_rows_of_words, integer_wide},
    {IntegerLinear::name, "integer-linear-tiled", takes_tiles_of_words, integer_tiled},
    {IntegerLinear::name, "integer-linear-rows", takes_integers, integer_rows},
    {IntegerGatedLinear::name, "integer-gated-linear-wide", takes_wide_rows_of_words, integer_wide},
    {IntegerGatedLinear::name, "integer-gated-linear-tiled", takes_tiles_of_words, integer_tiled},
    {IntegerGatedLinear::name, "integer-gated-linear-rows", takes_integers, integer_rows}};

}  // namespace

bool has_integer_kernels(DataType format) { return byte_format(format) != 0; }

IntegerForm integer_form(const Graph& graph, const Node& linear, const gpu::DeviceFacts& facts,
                         const GraphOptions& options) {
  constexpr IntegerForm words{.input = IntegerInput::Packed, .stored = DataType::U32};
  const Value& weights = graph.value(linear.inputs[1]);
  // The kernels of rows take what the others do not, and one token alone.
  const std::string_view general =
      linear.as<GatedLinear>() != nullptr ? "integer-gated-linear-rows" : "integer-linear-rows";
  const bool has_kernels = has_integer_kernels(weights.weights.format) && is_trusted(facts, general);
  if (facts.is_cpu) return has_kernels && facts.has_wide_dot ? words : IntegerForm{.stored = DataType::F32};
  if (!has_kernels) return {.stored = DataType::F16};
  const std::uint32_t positions = graph.value(linear.inputs[0]).shape.w;
  if (positions == 1) {
    const std::uint32_t matrices = linear.as<GatedLinear>() != nullptr ? 2 : 1;
    const Rows rows = rows_of(weights.shape.c, 1, matrices, true, facts);
    if (rows_bytes(rows, matrices, packed_words(weights.shape.c)) <= facts.local_memory) {
      return {.input = IntegerInput::Fused};
    }
  }
  const bool has_matrices =
      facts.has_matrices && options.precision != Precision::F32 && positions >= least_matrix_positions;
  return has_matrices ? IntegerForm{.stored = DataType::F16} : words;
}

std::span<const KernelRow> integer_linear_kernels() { return rows; }

}  // namespace driftwood::graph
