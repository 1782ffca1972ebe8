#include <algorithm>
#include <array>

#include "shader/builtins.h"
#include "shader/reserved_words.h"
#include "shader/wgsl/printer.h"

namespace driftwood::shader::wgsl {

namespace {

// What builtins.h does not list: types, functions of images and of other stages, address spaces, access modes, texel
// formats. A variable of the module with such a name would hide it from the text that the emitter adds.
constexpr auto predeclared = std::to_array<std::string_view>({
    "array",
    "atomic",
    "atomicCompareExchangeWeak",
    "bitcast",
    "bool",
    "determinant",
    "dpdx",
    "dpdy",
    "f16",
    "f32",
    "faceForward",
    "frexp",
    "function",
    "fwidth",
    "i32",
    "mat2x2",
    "mat3x3",
    "mat4x4",
    "modf",
    "pack2x16snorm",
    "pack2x16unorm",
    "private",
    "ptr",
    "read",
    "read_write",
    "reflect",
    "refract",
    "rgba16float",
    "rgba32float",
    "rgba32sint",
    "rgba32uint",
    "rgba8sint",
    "rgba8uint",
    "sampler",
    "storage",
    "subgroup_matrix_left",
    "subgroup_matrix_result",
    "subgroup_matrix_right",
    "texture_2d",
    "texture_2d_array",
    "texture_3d",
    "texture_storage_2d",
    "texture_storage_2d_array",
    "texture_storage_3d",
    "textureLoad",
    "textureStore",
    "transpose",
    "u32",
    "uniform",
    "unpack2x16snorm",
    "unpack2x16unorm",
    "vec2",
    "vec2f",
    "vec2h",
    "vec2i",
    "vec2u",
    "vec3",
    "vec3f",
    "vec3h",
    "vec3i",
    "vec3u",
    "vec4",
    "vec4f",
    "vec4h",
    "vec4i",
    "vec4u",
    "workgroup",
    "write",
});

}  // namespace

bool is_taken_name(std::string_view name) {
  return is_keyword(name) || is_reserved_word(name) || builtin_from_name(name).has_value() ||
         std::ranges::find(predeclared, name) != predeclared.end();
}

std::string Printer::name(const std::string& wanted) const {
  if (!is_taken_name(wanted)) return wanted;
  return fresh_name(wanted + "_");
}

std::string Printer::fresh_name(std::string wanted) const {
  while (module_names_.contains(wanted)) wanted += "_";
  return wanted;
}

std::string Printer::require(const std::string& name, const std::string& text) {
  const std::string free = fresh_name(name);
  if (helpers_.insert(free).second) prelude_.push_back("fn " + free + text);
  return free;
}

}  // namespace driftwood::shader::wgsl
