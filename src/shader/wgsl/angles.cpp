// Sines and cosines to the accuracy of the other languages. WGSL promises no more than 2^-11, and that between -pi and
// pi alone; RoPE turns by angles of thousands of radians.
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

// The angle less a multiple of a quarter turn, from -pi/4 to pi/4, and that multiple modulo 4. |x| is m 2^(e - 150)
// with an integer m; m times the 64 bits of 2/pi that matter, modulo 2^64, has the quarter turns in its two highest
// bits (after Payne and Hanek). The table holds the bits of 2/pi behind 32 zeroes.
constexpr const char* reduce_angle = R"((x: f32) -> vec2<f32> {
  let bits = bitcast<u32>(x) & 2147483647u;
  if (bits < 1061752795u) {
    return vec2<f32>(x, 0.0f);
  }
  if (bits >= 2139095040u) {
    return vec2<f32>(x - x, 0.0f);
  }
  var table = array<u32, 9>(0u, 2734261102u, 1313084713u, 4230436817u, 4113882560u, 3680671129u, 1011060801u, 4266746795u, 3736847713u);
  let m = (bits & 8388607u) | 8388608u;
  let at = (bits >> 23u) - 120u;
  let word = at >> 5u;
  let shift = at & 31u;
  var high = table[word];
  var low = table[word + 1u];
  if (shift > 0u) {
    high = (high << shift) | (low >> (32u - shift));
    low = (low << shift) | (table[word + 2u] >> (32u - shift));
  }
  let a = m >> 16u;
  let b = m & 65535u;
  let c = low >> 16u;
  let d = low & 65535u;
  let middle = b * c + ((b * d) >> 16u);
  let product = m * high + a * c + (middle >> 16u) + ((a * d + (middle & 65535u)) >> 16u);
  let quarter = (product + 536870912u) >> 30u;
  let rest = f32(bitcast<i32>(product - (quarter << 30u))) * 1.4629180792671596e-9f;
  return select(vec2<f32>(rest, f32(quarter)), vec2<f32>(-rest, f32((4u - quarter) & 3u)), x < 0.0f);
})";

// The sine of an angle and `quarters` quarter turns. The polynomials are those of Cephes' single precision.
constexpr const char* sine_from = R"((x: f32, quarters: u32) -> f32 {
  let reduced = reduce_angle(x);
  let r = reduced.x;
  let r2 = r * r;
  let sine = r + r * r2 * (-0.16666654611f + r2 * (0.0083321608736f + r2 * -0.00019515295891f));
  let cosine = 1.0f - 0.5f * r2 + r2 * r2 * (0.041666645683f + r2 * (-0.0013887316255f + r2 * 0.000024433157118f));
  let quarter = (u32(reduced.y) + quarters) & 3u;
  let value = select(sine, cosine, (quarter & 1u) == 1u);
  return select(value, -value, quarter > 1u);
})";

}  // namespace

Code Printer::angle_builtin(const Expression& expression, const BuiltinCall& node) {
  require("reduce_angle", reduce_angle);
  const std::string sine = require("sine_from", sine_from);
  const int width = width_of(expression.type);
  const bool is_half = scalar_of(expression.type) == Scalar::F16;
  const auto of = [&](const std::string& angle) {
    const std::string sines = sine + "(" + angle + ", 0u)", cosines = sine + "(" + angle + ", 1u)";
    if (node.builtin == Builtin::Sin) return sines;
    return node.builtin == Builtin::Cos ? cosines : sines + " / " + cosines;
  };
  const std::string scalar = is_half ? "f16" : "f32";
  const std::string type = width == 1 ? scalar : "vec" + std::to_string(width) + "<" + scalar + ">";
  std::string values;
  for (int i = 0; i < width; ++i) {
    std::string angle = width == 1 ? "x" : std::string("x.") + "xyzw"[i];
    if (is_half) angle = "f32(" + angle + ")";
    const std::string value = is_half ? "f16(" + of(angle) + ")" : of(angle);
    values += (i > 0 ? ", " : "") + value;
  }
  if (width > 1) values = type + "(" + values + ")";
  const std::string called =
      require("accurate_" + std::string(to_string(node.builtin)) + "_" + (is_half ? "h" : "f") + std::to_string(width),
              "(x: " + type + ") -> " + type + " {\n  return " + values + ";\n}");
  return call(called, node.arguments);
}

}  // namespace driftwood::shader::wgsl
