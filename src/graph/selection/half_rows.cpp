#include "graph/selection/half_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  std::uint32_t chunks, piece_words;    // of a piece, of 32 columns, and its words in memory
  std::uint64_t row_bytes;
};

Matrix matrix_of(const Node& node, const WeightsDescriptor& weights) {
  const DataTypeInfo& format = info(weights.format);
  const std::uint64_t blocks = weights.columns / format.block_length;
  const std::uint32_t chunks = piece_chunks(weights.format);
  return {.rows = weights.rows,
          .columns = weights.columns,
          .pieces = weights.columns / 32 / chunks,
          .sides = matrices_of(node),
          .chunks = chunks,
          .piece_words = static_cast<std::uint32_t>(
              divide_up(std::uint64_t{8} * format.block_bytes * chunks, format.block_length)),
          .row_bytes = blocks * format.block_bytes};
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

// Rows of a workgroup, invocations of a row, and chunks that one loads in a step.
struct Cut {
  std::uint32_t lanes, splits, turns;
};

// Of a unit: of several one adds up what it has while another loads.
std::uint32_t workgroups_of_unit(const Matrix& matrix, const Cut& cut) {
  return std::max(invocations / (cut.lanes * cut.splits * matrix.sides), 1U);
}

// Rows that a workgroup does one after the other, in groups of its lanes.
std::uint32_t blocks_of(const Matrix& matrix, const Cut& cut, const gpu::DeviceFacts& facts) {
  const std::uint64_t workgroups = std::uint64_t{workgroups_of_unit(matrix, cut)} * facts.compute_units;
  return static_cast<std::uint32_t>(divide_up(divide_up(matrix.rows, cut.lanes), workgroups));
}

std::uint32_t steps_of(const Matrix& matrix, const Cut& cut) {
  return static_cast<std::uint32_t>(divide_up(matrix.pieces, std::uint64_t{cut.splits} * cut.turns));
}

// What a cut adds to the time of a product, in microseconds of an H200 by 132 units: fitted to 400 cuts of 32 matrices
// of 640 to 16,384 columns (docs/performance.md). What it takes of them all, its bytes above all, is left out.
double expected_time(const Matrix& matrix, const Cut& cut, const gpu::DeviceFacts& facts) {
  const double groups = static_cast<double>(divide_up(matrix.rows, cut.lanes));
  const double blocks = blocks_of(matrix, cut, facts), columns = matrix.columns;
  const double steps = steps_of(matrix, cut);
  // Workgroups of the fullest unit at a time, and the megabytes of weights that it reads.
  const double at_once = std::ceil(std::min<double>(workgroups_of_unit(matrix, cut), groups / facts.compute_units));
  const double bytes = blocks * at_once * cut.lanes * matrix.sides * static_cast<double>(matrix.row_bytes) / 1e6;
  const double token = 0.0292 * columns / (cut.lanes * cut.splits * matrix.sides) + 0.153e-3 * at_once * columns;
  const double step = 0.208 + 0.062 * cut.turns * matrix.chunks;
  return token + blocks * (steps * step + 0.046 * std::log2(cut.splits)) + 0.8 * bytes;
}

// Words of two steps are in registers at once, and where there are more than two steps the next ones' come while those
// are still in use (docs/performance.md: 391 tok/s of llama3.1-8b q8_0 with 36 words in all cases, 411 with 20).
bool fits_registers(const Matrix& matrix, const Cut& cut, bool in_bytes) {
  const std::uint32_t most = in_bytes && steps_of(matrix, cut) <= 2 ? 36 : 20;
  return cut.turns == 1 || cut.turns * matrix.piece_words <= most;
}

Cut choose_cut(const Matrix& matrix, std::uint32_t row_group, bool in_bytes, const gpu::DeviceFacts& facts) {
  Cut best{std::min<std::uint32_t>(row_group, 16), 1, 1};
  double least = std::numeric_limits<double>::infinity();
  // Fewer than 16 rows read less than a line of memory together; of large matrices they never gained more than 2 %.
  for (const std::uint32_t lanes : {32, 16}) {
    for (const std::uint32_t splits : {64, 32, 16, 8, 4, 2, 1}) {
      for (const std::uint32_t turns : {4, 2, 1}) {
        const Cut cut{lanes, splits, turns};
        const bool is_right = row_group % lanes == 0 && fits(matrix, lanes, splits, invocations, facts) &&
                              turns * splits <= matrix.pieces && fits_registers(matrix, cut, in_bytes);
        // More than two workgroups of a unit are for matrices that have no columns for more invocations.
        const bool is_small = workgroups_of_unit(matrix, cut) > 2;
        if (!is_right || (is_small && fits(matrix, lanes, 2 * splits, invocations, facts))) continue;
        const double time = expected_time(matrix, cut, facts);
        if (time >= least) continue;
        least = time;
        best = cut;
      }
    }
  }
  return best;
}

// Each workgroup does its rows one after the other and makes the token ready once, so there are as many as run at once.
RowTiling resident_tiling(const Node& node, const SelectionContext& context, bool in_bytes) {
  const gpu::DeviceFacts& facts = context.facts;
  const Matrix matrix = matrix_of(node, weights_descriptor(context, node.inputs[1]));
  const std::uint32_t row_group = weights_row_group(facts);
  Cut cut = choose_cut(matrix, row_group, in_bytes, facts);
  cut.lanes = context.choice("resident_lanes", cut.lanes, {8, 16, 32},
                             [&](std::uint32_t lanes) { return row_group % lanes == 0; });
  cut.splits = context.choice("resident_splits", cut.splits, {4, 8, 16, 32, 64}, [&](std::uint32_t splits) {
    return fits(matrix, cut.lanes, splits, invocations, facts);
  });
  cut.turns = context.choice("resident_turns", cut.turns, {1, 2, 4},
                             [&](std::uint32_t turns) { return turns * cut.splits <= matrix.pieces; });
  return {.lanes = cut.lanes,
          .splits = cut.splits,
          .blocks = blocks_of(matrix, cut, facts),
          .turns = cut.turns,
          .halves = true};
}

}  // namespace

RowTiling choose_half_tiling(const Node& node, const SelectionContext& context) {
  const gpu::DeviceFacts& facts = context.facts;
  const bool stays = facts.joins_dispatches && context.options.decode_launches != DecodeLaunches::Many;
  // Bytes take longer to make, which workgroups that do many rows each gain back (docs/performance.md).
  const bool in_bytes = context.choice("in_bytes", stays && facts.has_packed_dot ? 1 : 0, {0, 1},
                                       [&](std::uint32_t bytes) { return bytes == 0 || facts.has_packed_dot; }) != 0;
  RowTiling tiling = stays ? resident_tiling(node, context, in_bytes) : launch_tiling(node, context);
  tiling.in_bytes = in_bytes;
  return tiling;
}

}  // namespace driftwood::graph
