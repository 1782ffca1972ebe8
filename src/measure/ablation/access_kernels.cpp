#include "measure/ablation/access_kernels.h"

#include <fmt/format.h>

#include <array>

namespace driftwood::measure {
namespace {

constexpr const char* sum_text = R"(
@tensor var<read> x: tensor<f32>;
@tensor var<read> other: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<write> y: tensor<f32>;
override width: u32;
override height: u32;

@compute @workgroup_size(width, height)
fn sum(@builtin(global_invocation_id) id: vec3u) {
  let s = id.x;
  let column = id.y;
  let row = id.z;
  if (s < tensorSlices(y) && column < tensorWidth(y)) {
    let value = tensorLoad(x, row, column, s) * tensorLoad(gamma, s) + tensorLoad(other, row, column, s);
    tensorStore(y, row, column, s, value);
  }
}
)";

constexpr const char* sum_opencl = R"(
  const uint s = get_global_id(0), column = get_global_id(1), row = get_global_id(2);
  if (s < SLICES && column < WIDTH) {
    const float4 value = LOAD(x, row, column, s) * gamma_[s] + LOAD(other, row, column, s);
    STORE(y, row, column, s, value);
  }
)";

constexpr const char* sum_wgsl = R"(
  let s = id.x;
  let column = id.y;
  let row = id.z;
  if (s < slices && column < width) {
    let value = load_x(row, column, s) * gamma[s] + load_other(row, column, s);
    store_y(row, column, s, value);
  }
)";

constexpr const char* window_text = R"(
@tensor var<read> x: tensor<f32>;
@tensor var<write> y: tensor<f32>;
override width: u32;
override height: u32;

@compute @workgroup_size(width, height)
fn window(@builtin(global_invocation_id) id: vec3u) {
  let s = id.x;
  let column = id.y;
  let row = id.z;
  if (s < tensorSlices(y) && column < tensorWidth(y)) {
    var sum = vec4f();
    for (var i = 0u; i < 3u; i++) {
      for (var j = 0u; j < 3u; j++) {
        let from_row = row + i - 1u;
        let from_column = column + j - 1u;
        if (from_row < tensorHeight(x) && from_column < tensorWidth(x)) {
          sum += tensorLoad(x, from_row, from_column, s);
        }
      }
    }
    tensorStore(y, row, column, s, sum * 0.125);
  }
}
)";

constexpr const char* window_opencl = R"(
  const uint s = get_global_id(0), column = get_global_id(1), row = get_global_id(2);
  if (s < SLICES && column < WIDTH) {
    float4 sum = (float4)(0.0f);
    for (uint i = 0u; i < 3u; i++) {
      for (uint j = 0u; j < 3u; j++) {
        const uint from_row = row + i - 1u;
        const uint from_column = column + j - 1u;
        if (from_row < HEIGHT && from_column < WIDTH) {
          sum += LOAD(x, from_row, from_column, s);
        }
      }
    }
    STORE(y, row, column, s, sum * 0.125f);
  }
)";

constexpr const char* window_wgsl = R"(
  let s = id.x;
  let column = id.y;
  let row = id.z;
  if (s < slices && column < width) {
    var sum = vec4<f32>();
    for (var i = 0u; i < 3u; i++) {
      for (var j = 0u; j < 3u; j++) {
        let from_row = row + i - 1u;
        let from_column = column + j - 1u;
        if (from_row < height && from_column < width) {
          sum += load_x(from_row, from_column, s);
        }
      }
    }
    store_y(row, column, s, sum * 0.125);
  }
)";

constexpr const char* norm_text = R"(
@tensor var<read> x: tensor<f32>;
@tensor var<read> gamma: tensor<f32>;
@tensor var<write> y: tensor<f32>;
override width: u32;
override height: u32;

@compute @workgroup_size(width, height)
fn norm(@builtin(global_invocation_id) id: vec3u) {
  let column = id.x;
  let row = id.y;
  if (column < tensorWidth(y) && row < tensorHeight(y)) {
    var squares = 0.0;
    for (var s = 0u; s < tensorSlices(x); s++) {
      let value = tensorLoad(x, row, column, s);
      squares += dot(value, value);
    }
    let factor = 1.0 / (squares / f32(tensorChannels(x)) + 0.5);
    for (var s = 0u; s < tensorSlices(x); s++) {
      tensorStore(y, row, column, s, tensorLoad(x, row, column, s) * factor * tensorLoad(gamma, s));
    }
  }
}
)";

constexpr const char* norm_opencl = R"(
  const uint column = get_global_id(0), row = get_global_id(1);
  if (column < WIDTH && row < HEIGHT) {
    float squares = 0.0f;
    for (uint s = 0u; s < SLICES; s++) {
      const float4 value = LOAD(x, row, column, s);
      squares += dot(value, value);
    }
    const float factor = 1.0f / (squares / CHANNELS + 0.5f);
    for (uint s = 0u; s < SLICES; s++) {
      STORE(y, row, column, s, LOAD(x, row, column, s) * factor * gamma_[s]);
    }
  }
)";

constexpr const char* norm_wgsl = R"(
  let column = id.x;
  let row = id.y;
  if (column < width && row < height) {
    var squares = 0.0f;
    for (var s = 0u; s < slices; s++) {
      let value = load_x(row, column, s);
      squares += dot(value, value);
    }
    let factor = 1.0f / (squares / channels + 0.5f);
    for (var s = 0u; s < slices; s++) {
      store_y(row, column, s, load_x(row, column, s) * factor * gamma[s]);
    }
  }
)";

constexpr AccessKernel kernels[] = {
    {"sum", sum_text, sum_opencl, sum_wgsl, true, true, false},
    {"window", window_text, window_opencl, window_wgsl, false, false, false},
    {"norm", norm_text, norm_opencl, norm_wgsl, false, true, true},
};

std::string opencl_source(const AccessKernel& kernel, const TensorDescriptor& tensor,
                          std::array<std::uint32_t, 2> workgroup) {
  const char* read = "";
  const char* write = "";
  std::string load, store, head;
  switch (tensor.storage) {
    case StorageKind::Buffer:
      read = "__global const float4* restrict";
      write = "__global float4* restrict";
      load = "t[(row * WIDTH + column) * SLICES + (s)]";
      store = "t[(row * WIDTH + column) * SLICES + (s)] = (v)";
      break;
    case StorageKind::ImageBuffer:
      read = "__read_only image1d_buffer_t";
      write = "__write_only image1d_buffer_t";
      load = "read_imagef(t, (row * WIDTH + column) * SLICES + (s))";
      store = "write_imagef(t, (row * WIDTH + column) * SLICES + (s), v)";
      break;
    case StorageKind::Texture2D:
      read = "__read_only image2d_t";
      write = "__write_only image2d_t";
      load = "read_imagef(t, (int2)(column, row * SLICES + (s)))";
      store = "write_imagef(t, (int2)(column, row * SLICES + (s)), v)";
      break;
    case StorageKind::Texture2DArray:
    case StorageKind::Texture3D:
      read = tensor.storage == StorageKind::Texture3D ? "__read_only image3d_t" : "__read_only image2d_array_t";
      write = tensor.storage == StorageKind::Texture3D ? "__write_only image3d_t" : "__write_only image2d_array_t";
      if (tensor.storage == StorageKind::Texture3D) head = "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n";
      load = "read_imagef(t, (int4)(column, row, s, 0))";
      store = "write_imagef(t, (int4)(column, row, s, 0), v)";
      break;
  }
  const Shape& shape = tensor.shape;
  std::string arguments = fmt::format("{} x", read);
  if (kernel.uses_other) arguments += fmt::format(", {} other", read);
  if (kernel.uses_gamma) arguments += ", __global const float4* restrict gamma_";
  arguments += fmt::format(", {} y", write);
  // Where each buffer begins (shader::emit_opencl): at its beginning.
  const bool is_buffer = tensor.storage == StorageKind::Buffer;
  if (is_buffer) arguments += kernel.uses_other ? ", ulong x_offset, ulong other_offset" : ", ulong x_offset";
  if (kernel.uses_gamma) arguments += ", ulong gamma_offset";
  if (is_buffer) arguments += ", ulong y_offset";
  return fmt::format(
      "{}#define WIDTH {}u\n#define HEIGHT {}u\n#define SLICES {}u\n#define CHANNELS {}.0f\n"
      "#define LOAD(t, row, column, s) {}\n#define STORE(t, row, column, s, v) {}\n"
      "__attribute__((reqd_work_group_size({}, {}, 1)))\n__kernel void by_hand({}) {{{}}}\n",
      head, shape.w, shape.h, shape.slices(), shape.c, load, store, workgroup[0], workgroup[1], arguments,
      kernel.opencl_body);
}

std::string wgsl_source(const AccessKernel& kernel, const TensorDescriptor& tensor,
                        std::array<std::uint32_t, 2> workgroup) {
  const bool is_buffer = tensor.storage == StorageKind::Buffer;
  const bool is_plane = tensor.storage == StorageKind::Texture2D,
             is_array = tensor.storage == StorageKind::Texture2DArray;
  const std::string kind = is_plane ? "2d" : is_array ? "2d_array" : "3d";
  // How the three numbers lead to a texel.
  const std::string at = is_buffer  ? "(row * width + column) * slices + s"
                         : is_plane ? "vec2<u32>(column, row * slices + s)"
                         : is_array ? "vec2<u32>(column, row), s"
                                    : "vec3<u32>(column, row, s)";
  std::string text =
      fmt::format("const width = {}u;\nconst height = {}u;\nconst slices = {}u;\nconst channels = {}.0f;\n",
                  tensor.shape.w, tensor.shape.h, tensor.shape.slices(), tensor.shape.c);
  int binding = 0;
  const auto add = [&](const char* name) {
    text += is_buffer
                ? fmt::format("@group(0) @binding({}) var<storage, read> {}: array<vec4<f32>>;\n", binding++, name)
                : fmt::format("@group(0) @binding({}) var {}: texture_{}<f32>;\n", binding++, name, kind);
    text += fmt::format("fn load_{0}(row: u32, column: u32, s: u32) -> vec4<f32> {{\n  return {1};\n}}\n", name,
                        is_buffer ? fmt::format("{}[{}]", name, at) : fmt::format("textureLoad({}, {}, 0)", name, at));
  };
  add("x");
  if (kernel.uses_other) add("other");
  if (kernel.uses_gamma) {
    text += fmt::format("@group(0) @binding({}) var<storage, read> gamma: array<vec4<f32>>;\n", binding++);
  }
  text += is_buffer
              ? fmt::format("@group(0) @binding({}) var<storage, read_write> y: array<vec4<f32>>;\n", binding)
              : fmt::format("@group(0) @binding({}) var y: texture_storage_{}<rgba32float, write>;\n", binding, kind);
  text += fmt::format("fn store_y(row: u32, column: u32, s: u32, value: vec4<f32>) {{\n  {};\n}}\n",
                      is_buffer ? fmt::format("y[{}] = value", at) : fmt::format("textureStore(y, {}, value)", at));
  return text + fmt::format(
                    "@compute @workgroup_size({}, {}, 1)\nfn by_hand(@builtin(global_invocation_id) id: "
                    "vec3<u32>) {{{}}}\n",
                    workgroup[0], workgroup[1], kernel.wgsl_body);
}

}  // namespace

std::span<const AccessKernel> access_kernels() { return kernels; }

std::optional<std::string> hand_written(const AccessKernel& kernel, HandLanguage language,
                                        const TensorDescriptor& tensor, std::array<std::uint32_t, 2> workgroup) {
  if (language == HandLanguage::OpenCl) return opencl_source(kernel, tensor, workgroup);
  if (tensor.storage == StorageKind::ImageBuffer) return std::nullopt;
  return wgsl_source(kernel, tensor, workgroup);
}

}  // namespace driftwood::measure
