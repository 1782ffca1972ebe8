#include "graph/selection/half_rows.h"

#include <algorithm>

#include "base/checked.h"
#include "graph/selection/rows.h"
#include "graph/selection/workgroups.h"
#include "tensor/packed_weights.h"

namespace driftwood::graph {
namespace {

// Chunks of 32 columns that an invocation reads together (kernels/half_fields.wgsl).
std::uint32_t piece_chunks(DataType format) {
  return format == DataType::Q6_K ? 4 : info(format).block_length == 256 ? 2 : 1;
}

struct Matrix {
  std::uint32_t rows, columns, pieces;  // pieces: of a row
  std::uint32_t sides;                  // matrices, each of which has half of the invocations
};

Matrix matrix_of(const Node& node, const WeightsDescriptor& weights) {
  return {.rows = weights.rows,
          .columns = weights.columns,
          .pieces = weights.columns / 32 / piece_chunks(weights.format),
          .sides = matrices_of(node)};
}

bool fits(const Matrix& matrix, std::uint32_t lanes, std::uint32_t splits, std::uint32_t most,
          const gpu::DeviceFacts& facts) {
  return splits <= matrix.pieces && splits * lanes * matrix.sides <= std::min(most, facts.max_workgroup_size) &&
         splits * matrix.sides <= facts.max_workgroup_extent[1];
}

RowTiling launch_tiling(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const Matrix matrix = matrix_of(node, weights_descriptor(context, node.inputs[1]));
  RowTiling tiling{.lanes = weights_row_group(facts), .halves = true};
  const std::uint64_t on_a_unit = divide_up(divide_up(matrix.rows, tiling.lanes), facts.compute_units);
  // Best on an H200 (docs/performance.md): sixteen invocations a row, thirty-two of long rows, eight where there are
  // many rows, four of two matrices.
  constexpr std::uint32_t long_row = 8192, many_rows = 8;
  const std::uint32_t most = matrix.sides > 1 ? 4 : on_a_unit > many_rows ? 8 : matrix.columns > long_row ? 32 : 16;
  const auto can_split = [&](std::uint32_t splits) {
    return fits(matrix, tiling.lanes, splits, facts.max_workgroup_size, facts);
  };
  while (tiling.splits < most && can_split(2 * tiling.splits)) tiling.splits *= 2;
  tiling.splits = context.choice("splits", tiling.splits, {1, 2, 4, 8, 16, 32}, can_split);
  tiling.turns = context.choice("turns", 1, {1, 2, 4},
                                [&](std::uint32_t turns) { return turns * tiling.splits <= matrix.pieces; });
  // A unit holds some eight workgroups at a time; those that would come later find the token ready.
  tiling.blocks = context.choice("blocks", static_cast<std::uint32_t>(std::clamp<std::uint64_t>(on_a_unit / 8, 1, 8)),
                                 {1, 2, 4, 8, 16});
  return tiling;
}

// ---- for workgroups that stay

// Of a unit. On an H200, llama3.1-8b q4_0, 512 with four chunks each under way are faster than 1,024, which have
// registers for one (docs/performance.md).
constexpr std::uint32_t invocations = 512;

// Rows of a workgroup, and workgroups of a unit: of two one adds up what it has while the other loads.
struct Cut {
  std::uint32_t lanes, on_a_unit;
};

std::uint32_t blocks_of(const Matrix& matrix, Cut cut, const gpu::DeviceFacts& facts) {
  const std::uint64_t workgroups = std::uint64_t{cut.on_a_unit} * facts.compute_units;
  return static_cast<std::uint32_t>(divide_up(divide_up(matrix.rows, cut.lanes), workgroups));
}

std::uint32_t splits_of(const Matrix& matrix, Cut cut, const gpu::DeviceFacts& facts) {
  std::uint32_t splits = 1;
  while (fits(matrix, cut.lanes, 2 * splits, invocations / cut.on_a_unit, facts)) splits *= 2;
  return splits;
}

// The share of workgroups that have rows, when all do as many as the first.
double balance(const Matrix& matrix, Cut cut, const gpu::DeviceFacts& facts) {
  const double places = static_cast<double>(blocks_of(matrix, cut, facts)) * cut.on_a_unit * facts.compute_units;
  return static_cast<double>(divide_up(matrix.rows, cut.lanes)) / places;
}

// The share of invocations that have columns, when all do as many as the first.
double evenness(const Matrix& matrix, Cut cut, const gpu::DeviceFacts& facts) {
  const std::uint32_t splits = splits_of(matrix, cut, facts);
  return static_cast<double>(matrix.pieces) / static_cast<double>(divide_up(matrix.pieces, splits) * splits);
}

// Wide rows and a workgroup a unit where that leaves few idle; else what leaves the fewest.
Cut choose_cut(const Matrix& matrix, std::uint32_t row_group, const gpu::DeviceFacts& facts) {
  constexpr double enough = 0.9;
  const Cut wide{row_group, 1}, narrow{std::min<std::uint32_t>(row_group, 8), 2}, two{row_group, 2};
  if (balance(matrix, wide, facts) >= enough && evenness(matrix, wide, facts) >= enough) return wide;
  const auto busy = [&](Cut cut) { return balance(matrix, cut, facts) * evenness(matrix, cut, facts); };
  Cut best = narrow;
  for (const Cut cut : {two, wide}) {
    if (busy(cut) > busy(best)) best = cut;
  }
  return best;
}

// Registers hold some twenty words of a step, and as many of the next. An even number of chunks needs no conditions.
std::uint32_t turns_of(const Matrix& matrix, std::uint32_t splits, DataType format) {
  constexpr std::uint32_t words = 20;
  const auto piece_words = static_cast<std::uint32_t>(
      divide_up(std::uint64_t{8} * info(format).block_bytes * piece_chunks(format), info(format).block_length));
  std::uint32_t best = 1;
  for (const std::uint32_t turns : {2, 4}) {
    const std::uint32_t step = turns * splits;
    const bool is_even = matrix.pieces % step == 0 || matrix.pieces % splits != 0;
    if (turns * piece_words <= words && step <= matrix.pieces && is_even) best = turns;
  }
  return best;
}

// Each workgroup does its rows one after the other and makes the token ready once, so there are as many as run at once.
RowTiling resident_tiling(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const WeightsDescriptor weights = weights_descriptor(context, node.inputs[1]);
  const Matrix matrix = matrix_of(node, weights);
  const std::uint32_t row_group = weights_row_group(facts);
  Cut cut = choose_cut(matrix, row_group, facts);
  RowTiling tiling{.lanes = cut.lanes, .halves = true};
  tiling.lanes = context.choice("resident_lanes", cut.lanes, {8, 16, 32},
                                [&](std::uint32_t lanes) { return row_group % lanes == 0; });
  const std::uint32_t splits = splits_of(matrix, {tiling.lanes, cut.on_a_unit}, facts);
  tiling.splits = context.choice("resident_splits", splits, {4, 8, 16, 32, 64}, [&](std::uint32_t value) {
    return fits(matrix, tiling.lanes, value, invocations, facts);
  });
  if (tiling.lanes != cut.lanes || tiling.splits != splits)
    cut.on_a_unit = std::max(invocations / (tiling.lanes * tiling.splits * matrix.sides), 1U);
  tiling.turns = context.choice("resident_turns", turns_of(matrix, tiling.splits, weights.format), {1, 2, 4},
                                [&](std::uint32_t turns) { return turns * tiling.splits <= matrix.pieces; });
  tiling.blocks = blocks_of(matrix, {tiling.lanes, cut.on_a_unit}, facts);
  return tiling;
}

}  // namespace

RowTiling choose_half_tiling(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const bool stays = facts.joins_dispatches && context.options.decode_launches != DecodeLaunches::Many;
  RowTiling tiling = stays ? resident_tiling(node, context) : launch_tiling(node, context);
  // Bytes take longer to make, which workgroups that do many rows each gain back (docs/performance.md).
  tiling.in_bytes = context.choice("in_bytes", stays && facts.has_packed_dot ? 1 : 0, {0, 1},
                                   [&](std::uint32_t bytes) { return bytes == 0 || facts.has_packed_dot; }) != 0;
  return tiling;
}

}  // namespace driftwood::graph
