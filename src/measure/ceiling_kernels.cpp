#include "measure/ceiling_kernels.h"

#include <algorithm>
#include <string>

#include "shader/compile.h"

namespace driftwood::measure {
namespace {

// A workgroup moves `lanes * rounds * 8` vectors: neighbouring lanes neighbouring ones, eight of them under way at
// once.
constexpr const char* stream_text = R"(
override lanes: u32;
override rounds: u32;
override writes: bool;
override reads: bool;
var<storage, read> x: array<vec4f>;
var<storage, read_write> y: array<vec4f>;
const width = 8u;

@compute @workgroup_size(lanes)
fn stream(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let first = group.x * (lanes * rounds * width) + lane;
  var sums: array<vec4f, width>;
  for (var round = 0u; round < rounds; round++) {
    @unroll for (var i = 0u; i < width; i++) {
      let at = first + (round * width + i) * lanes;
      if (reads) {
        sums[i] += x[at];
        if (writes) {
          y[at] = sums[i];
          sums[i] = vec4f();
        }
      } else {
        y[at] = vec4f(f32(at % 4093u)) + vec4f(0.1, 0.2, 0.3, 0.4);
      }
    }
  }
  if (reads && !writes) {
    var sum = vec4f();
    @unroll for (var i = 0u; i < width; i++) {
      sum += sums[i];
    }
    if (sum.x + sum.y == sum.z * sum.w) {  // never, which no compiler knows
      y[lane] = sum;
    }
  }
}
)";

// Chains of dependent operations side by side, enough of them to hide how long each takes.
constexpr const char* float_text = R"(
override lanes: u32;
alias value = vec4f;
var<storage, read> x: array<vec4u>;
var<storage, read_write> y: array<vec4f>;
const chains = 8u;

@compute @workgroup_size(lanes)
fn floats(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) lane: u32) {
  let turns = x[0].x;
  let factor = value(bitcast<f32>(x[0].y));
  let term = value(bitcast<f32>(x[0].z));
  var sums: array<value, chains>;
  @unroll for (var i = 0u; i < chains; i++) {
    sums[i] = value(f32(lane + i));
  }
  for (var turn = 0u; turn < turns; turn++) {
    @unroll for (var again = 0u; again < 4u; again++) {
      @unroll for (var i = 0u; i < chains; i++) {
        sums[i] = fma(sums[i], factor, term);
      }
    }
  }
  var sum = value();
  @unroll for (var i = 0u; i < chains; i++) {
    sum += sums[i];
  }
  y[at.x] = vec4f(sum[0], sum[1], sum[2], sum[3]);
}
)";

constexpr const char* half_text = R"(
enable f16;
override lanes: u32;
var<storage, read> x: array<vec4u>;
var<storage, read_write> y: array<vec4f>;
const chains = 16u;

@compute @workgroup_size(lanes)
fn halves(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) lane: u32) {
  let turns = x[0].x;
  let factor = vec2<f16>(f16(bitcast<f32>(x[0].y)));
  let term = vec2<f16>(f16(bitcast<f32>(x[0].z)));
  var sums: array<vec2<f16>, chains>;
  @unroll for (var i = 0u; i < chains; i++) {
    sums[i] = vec2<f16>(f16(f32(lane % 64u + i)));
  }
  for (var turn = 0u; turn < turns; turn++) {
    @unroll for (var again = 0u; again < 4u; again++) {
      @unroll for (var i = 0u; i < chains; i++) {
        sums[i] = sums[i] * factor + term;
      }
    }
  }
  var sum = vec2f();
  @unroll for (var i = 0u; i < chains; i++) {
    sum += vec2f(sums[i]);
  }
  y[at.x] = vec4f(sum, 0.0, 0.0);
}
)";

// A chain takes its factor from the next, so that no product is the same as another.
constexpr const char* integer_text = R"(
override lanes: u32;
var<storage, read> x: array<vec4u>;
var<storage, read_write> y: array<vec4f>;
const chains = 16u;

@compute @workgroup_size(lanes)
fn integers(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) lane: u32) {
  let turns = x[0].x;
  let factor = x[0].w;
  var sums: array<i32, chains>;
  @unroll for (var i = 0u; i < chains; i++) {
    sums[i] = i32(lane + i + 1u);
  }
  for (var turn = 0u; turn < turns; turn++) {
    @unroll for (var again = 0u; again < 4u; again++) {
      @unroll for (var i = 0u; i < chains; i++) {
        sums[i] = dot4I8Packed(bitcast<u32>(sums[(i + 1u) % chains]), factor) + sums[i];
      }
    }
  }
  var sum = 0;
  @unroll for (var i = 0u; i < chains; i++) {
    sum += sums[i];
  }
  y[at.x] = vec4f(f32(sum));
}
)";

// The same of sixteen words at once, as CPUs have it.
constexpr const char* wide_integer_text = R"(
override lanes: u32;
var<storage, read> x: array<vec4u>;
var<storage, read_write> y: array<vec4f>;
const chains = 12u;

@compute @workgroup_size(lanes)
fn integers(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) lane: u32) {
  let turns = x[0].x;
  let factor = vec16<u32>(x[0].w);
  var sums: array<vec16<i32>, chains>;
  @unroll for (var i = 0u; i < chains; i++) {
    sums[i] = vec16<i32>(i32(lane + i + 1u));
  }
  for (var turn = 0u; turn < turns; turn++) {
    @unroll for (var again = 0u; again < 4u; again++) {
      @unroll for (var i = 0u; i < chains; i++) {
        sums[i] = sums[i] + dot4U8I8Packed(vec16<u32>(sums[(i + 1u) % chains]), factor);
      }
    }
  }
  var sum = vec16<i32>();
  @unroll for (var i = 0u; i < chains; i++) {
    sum += sums[i] >> vec16<u32>(i);
  }
  y[at.x] = vec4f(f32(sum[0]), f32(sum[5]), f32(sum[10]), f32(sum[15]));
}
)";

// A subgroup multiplies 32 rows by 64 columns, 16 deep, from the same factors again and again.
constexpr const char* matrix_text = R"(
override subgroups: u32;
alias left = subgroup_matrix_left<f16, 16, 16>;
alias right = subgroup_matrix_right<f16, 16, 16>;
alias result = subgroup_matrix_result<f32, 16, 16>;
var<storage, read> x: array<vec4u>;
var<storage, read_write> y: array<vec4f>;
const down = 2u;
const across = 4u;
const pitch = 24u;
const lanes = 32u * subgroups;
var<workgroup> factors: array<vec4<u32>, (down + across) * 16u * pitch / 8u>;
var<workgroup> sums_kept: array<vec4f, subgroups * 16u * pitch / 4u>;

@compute @workgroup_size(lanes)
fn matrices(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let turns = x[0].x;
  for (var i = lane; i < (down + across) * 16u * pitch / 8u; i += lanes) {
    factors[i] = vec4<u32>(pack2x16float(vec2f(bitcast<f32>(x[0].y), bitcast<f32>(x[0].z)))) + (i % 7u) * 0x00010001u;
  }
  workgroupBarrier();
  var a: array<left, down>;
  var b: array<right, across>;
  var sums: array<result, down * across>;
  @unroll for (var i = 0u; i < down; i++) {
    a[i] = subgroupMatrixLoad<left>(&factors, i * 16u * pitch, false, pitch);
  }
  @unroll for (var j = 0u; j < across; j++) {
    b[j] = subgroupMatrixLoad<right>(&factors, (down + j) * 16u * pitch, true, pitch);
  }
  for (var turn = 0u; turn < turns; turn++) {
    @unroll for (var i = 0u; i < down; i++) {
      @unroll for (var j = 0u; j < across; j++) {
        sums[i * across + j] = subgroupMatrixMultiplyAccumulate(a[i], b[j], sums[i * across + j]);
      }
    }
  }
  var total = vec4f();
  let place = lane / 32u * 16u * pitch;
  @unroll for (var i = 0u; i < down * across; i++) {
    subgroupMatrixStore(&sums_kept, place, sums[i], false, pitch);
    workgroupBarrier();
    total += sums_kept[place / 4u + lane % 32u / 2u * (pitch / 4u) + lane % 2u];
    workgroupBarrier();
  }
  y[group.x * lanes + lane] = total;
}
)";

// Each 128 invocations multiply 64 rows that they hold in registers by 256 columns in workgroup memory, 64 deep.
constexpr const char* pipeline_text = R"(
var<storage, read> x: array<vec4u>;
var<storage, read_write> y: array<vec4f>;
const lanes = 256u;
const columns = 256u;
const steps = 4u;
var<workgroup> tile: array<vec4<u32>, steps * 2u * columns>;

@compute @workgroup_size(lanes)
fn pipeline(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let turns = x[0].x;
  let pair = pack2x16float(vec2f(bitcast<f32>(x[0].y), bitcast<f32>(x[0].z)));
  for (var i = lane; i < steps * 2u * columns; i += lanes) {
    tile[i] = vec4<u32>(pair) + (i % 7u) * 0x00010001u;
  }
  var left: array<vec4<u32>, steps>;
  @unroll for (var i = 0u; i < steps; i++) {
    left[i] = vec4<u32>(pair) + (lane % 5u + i) * 0x00010001u;
  }
  var sums: array<f32, columns / 2u>;
  workgroupBarrier();
  for (var turn = 0u; turn < turns; turn++) {
    workgroupMatrixMultiplyAccumulate(&sums, &left, &tile, 0u, columns);
    workgroupMatrixWait(&sums);
  }
  var total = vec4f();
  @unroll for (var i = 0u; i < columns / 8u; i++) {
    total += vec4f(sums[4u * i], sums[4u * i + 1u], sums[4u * i + 2u], sums[4u * i + 3u]);
  }
  y[group.x * lanes + lane] = total;
}
)";

constexpr const char* empty_text = R"(
override lanes: u32;
var<storage, read> x: array<vec4u>;
var<storage, read_write> y: array<vec4f>;

@compute @workgroup_size(lanes)
fn empty(@builtin(local_invocation_index) lane: u32) {
  y[lane] = vec4f(f32(x[0].x));
}
)";

constexpr std::uint32_t subgroups = 4;
constexpr std::uint32_t pipeline_lanes = 256;

std::uint32_t lanes_of(const gpu::DeviceFacts& facts) {
  return facts.is_cpu ? 1 : std::min<std::uint32_t>({256, facts.max_workgroup_size, facts.max_workgroup_extent[0]});
}

std::string text_of(CeilingKernel kernel, const gpu::DeviceFacts& facts) {
  switch (kernel) {
    case CeilingKernel::Fill:
    case CeilingKernel::Read:
    case CeilingKernel::Copy: return stream_text;
    case CeilingKernel::Floats: return float_text;
    case CeilingKernel::Halves: return half_text;
    case CeilingKernel::Integers: return facts.has_wide_dot ? wide_integer_text : integer_text;
    case CeilingKernel::Matrices: return matrix_text;
    case CeilingKernel::Pipeline: return pipeline_text;
    case CeilingKernel::Empty: return empty_text;
  }
  return {};
}

}  // namespace

std::string_view to_string(CeilingKernel kernel) {
  switch (kernel) {
    case CeilingKernel::Fill: return "writing";
    case CeilingKernel::Read: return "reading";
    case CeilingKernel::Copy: return "copying";
    case CeilingKernel::Floats: return "f32";
    case CeilingKernel::Halves: return "f16";
    case CeilingKernel::Integers: return "8-bit integers";
    case CeilingKernel::Matrices: return "matrices of f16";
    case CeilingKernel::Pipeline: return "matrices of f16 of a workgroup";
    default: return "nothing";
  }
}

bool has(CeilingKernel kernel, const gpu::DeviceFacts& facts) {
  switch (kernel) {
    case CeilingKernel::Halves: return facts.has_f16_arithmetic;
    case CeilingKernel::Integers: return facts.has_packed_dot || facts.has_wide_dot;
    case CeilingKernel::Matrices:
      return facts.has_matrices && facts.max_workgroup_size >= 32 * subgroups && facts.local_memory >= 16384;
    case CeilingKernel::Pipeline: return gpu::runs_pipeline(facts) && facts.max_workgroup_size >= pipeline_lanes;
    default: return true;
  }
}

CeilingWork make(CeilingKernel kernel, gpu::Device& device) {
  const gpu::DeviceFacts& facts = device.facts();
  const bool is_stream =
      kernel == CeilingKernel::Fill || kernel == CeilingKernel::Read || kernel == CeilingKernel::Copy;
  const std::uint32_t lanes = kernel == CeilingKernel::Empty ? std::min(lanes_of(facts), 32U) : lanes_of(facts);
  const std::uint32_t rounds = facts.is_cpu ? 4096 : 2;
  shader::Specialization specialization;
  if (kernel == CeilingKernel::Matrices) {
    specialization.overrides["subgroups"] = subgroups;
  } else if (kernel != CeilingKernel::Pipeline) {
    specialization.overrides["lanes"] = lanes;
  }
  if (is_stream) {
    specialization.overrides["rounds"] = rounds;
    specialization.overrides["reads"] = kernel == CeilingKernel::Fill ? 0 : 1;
    specialization.overrides["writes"] = kernel == CeilingKernel::Read ? 0 : 1;
  }
  if (kernel == CeilingKernel::Floats && facts.is_cpu) specialization.aliases["value"] = "vec16<f32>";
  const std::string text = text_of(kernel, facts);
  const auto source = [&](std::string_view path) -> std::optional<shader::SourceFile> {
    if (path != "package::ceiling") return std::nullopt;
    return shader::SourceFile{"ceiling.wgsl", text};
  };
  const shader::TargetTraits traits{.has_f16_arithmetic = facts.has_f16_arithmetic,
                                    .has_subgroups = facts.has_subgroups,
                                    .has_packed_dot = facts.has_packed_dot,
                                    .has_matrices = facts.has_matrices,
                                    .has_pipeline = gpu::runs_pipeline(facts),
                                    .subgroup_size = facts.subgroup_size};
  CeilingWork work;
  work.kernel = device.compile(shader::compile(source, "package::ceiling", specialization, traits), "ceiling");
  const std::uint64_t vectors = std::uint64_t{lanes} * rounds * 8;
  const std::uint64_t invocations = kernel == CeilingKernel::Matrices   ? 32 * subgroups
                                    : kernel == CeilingKernel::Pipeline ? pipeline_lanes
                                                                        : lanes;
  work.result_bytes = 16 * invocations;
  switch (kernel) {
    case CeilingKernel::Fill: work.bytes_written = 16 * vectors; break;
    case CeilingKernel::Read: work.bytes_read = 16 * vectors; break;
    case CeilingKernel::Copy: work.bytes_read = work.bytes_written = 16 * vectors; break;
    case CeilingKernel::Floats: work.flops_per_turn = 4.0 * 8 * (facts.is_cpu ? 16 : 4) * 2 * lanes; break;
    case CeilingKernel::Halves: work.flops_per_turn = 4.0 * 16 * 2 * 2 * lanes; break;
    case CeilingKernel::Integers:
      work.flops_per_turn = facts.has_wide_dot ? 4.0 * 12 * 16 * 8 * lanes : 4.0 * 16 * 8 * lanes;
      break;
    case CeilingKernel::Matrices: work.flops_per_turn = 8 * 2.0 * 16 * 16 * 16 * subgroups; break;
    case CeilingKernel::Pipeline: work.flops_per_turn = 2.0 * 64 * 256 * 64 * pipeline_lanes / 128; break;
    case CeilingKernel::Empty: break;
  }
  return work;
}

}  // namespace driftwood::measure
