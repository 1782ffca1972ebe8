#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

// Whether an invocation of the kernel is a plain function call: alone in its workgroup, nothing shared, no barriers.
bool is_plain_call(const Module& module) {
  const auto& size = module.entry_point->workgroup_size;
  bool plain =
      size[0] * size[1] * size[2] == 1 && !module.uses_subgroups && !module.uses_matrices && !module.uses_pipeline;
  for (const auto& each : module.variables) plain = plain && each->space != AddressSpace::Workgroup;
  visit_expressions(module, [&](const Expression& each) {
    const auto* call = std::get_if<BuiltinCall>(&each.node);
    if (call == nullptr) return;
    plain = plain && call->builtin != Builtin::WorkgroupBarrier && call->builtin != Builtin::StorageBarrier;
  });
  return plain;
}

bool has_separate_body(const Module& module, const OpenClDialect& dialect) {
  return dialect.separate_bodies && is_plain_call(module);
}

bool has_wide_dot(const Module& module) {
  bool found = false;
  visit_expressions(module, [&](const Expression& each) {
    const auto* call = std::get_if<BuiltinCall>(&each.node);
    found = found || (call != nullptr && call->builtin == Builtin::Dot4U8I8Packed);
  });
  return found;
}

// Names of a body's own arguments.
constexpr const char* body_group = "stage_group";
constexpr const char* body_grid = "stage_grid";

std::string body_invocation(const std::array<std::uint32_t, 3>& size, const std::string& local) {
  return std::string(body_group) + " * (uint3)(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
         std::to_string(size[2]) + ") + " + local;
}

constexpr const char* wide_dot_attribute = "__attribute__((target(\"avx512vnni\")))";

}  // namespace

Printer::Printer(const Module& module, const OpenClDialect& dialect)
    : c_family::Printer(module),
      dialect_(dialect),
      uses_wide_dot_(dialect.wide_dot && has_separate_body(module, dialect) && has_wide_dot(module)) {
  if (dialect_.subgroups == OpenClDialect::Subgroups::NvidiaPtx) find_lets();
}

void Printer::before_function() {
  if (uses_wide_dot_) out_.line(wide_dot_attribute);
}

std::string Printer::builtin_input(const Variable& parameter) const {
  const auto& size = module_.entry_point->workgroup_size;
  const std::uint32_t total = size[0] * size[1] * size[2];
  const auto triple = [](const std::string& function) {
    return "(uint3)(" + function + "(0), " + function + "(1), " + function + "(2))";
  };
  std::string index = "(uint)get_local_id(0)";
  if (size[1] * size[2] > 1) index += " + (uint)get_local_id(1) * " + std::to_string(size[0]) + "u";
  if (size[2] > 1) index += " + (uint)get_local_id(2) * " + std::to_string(size[0] * size[1]) + "u";
  const std::string grouped = size[1] * size[2] > 1 ? "(" + index + ")" : index;
  const bool ptx = dialect_.subgroups == OpenClDialect::Subgroups::NvidiaPtx;
  switch (parameter.builtin) {
    case BuiltinInput::LocalInvocationId: return triple("get_local_id");
    case BuiltinInput::GlobalInvocationId:
      if (is_body_) return body_invocation(size, triple("get_local_id"));
      return triple("get_global_id");
    case BuiltinInput::WorkgroupId: return is_body_ ? body_group : triple("get_group_id");
    case BuiltinInput::NumWorkgroups: return is_body_ ? body_grid : triple("get_num_groups");
    case BuiltinInput::LocalInvocationIndex: return index;
    case BuiltinInput::SubgroupInvocationId: return ptx ? grouped + " % 32u" : "get_sub_group_local_id()";
    case BuiltinInput::SubgroupSize: return ptx ? "32u" : "get_max_sub_group_size()";
    case BuiltinInput::SubgroupId: return ptx ? grouped + " / 32u" : "get_sub_group_id()";
    case BuiltinInput::NumSubgroups: return ptx ? std::to_string((total + 31) / 32) + "u" : "get_num_sub_groups()";
    case BuiltinInput::None: break;
  }
  throw InternalError("The parameter '" + parameter.name + "' of the entry point is no builtin value.");
}

// The kernel's arguments, and where each of its buffers begins. A binding is a buffer and an offset into it rather than
// a sub-buffer: NVIDIA's driver takes longer for each launch the more of those a buffer has, and cannot release them.
// The statements that find these beginnings are given back: variables of the workgroup are declared before them.
std::vector<std::string> Printer::kernel_head(const Function& function) {
  std::vector<std::string> parameters, offsets, lines;
  for (const auto& each : module_.resources) {
    parameters.push_back(resource_declaration(*each));
    if (is_image(*each)) continue;
    const std::string pointer = name(each->name), offset = fresh_name(each->name + "_offset");
    offsets.push_back("ulong " + offset);
    lines.push_back(fmt::format("{0} = ({1})(({2}uchar*){0} + {3});", pointer, buffer_pointer(*each, ""),
                                buffer_qualifiers(*each), offset));
  }
  for (const ArrayLengthArgument& each : array_length_arguments(module_)) {
    parameters.push_back("uint " + array_length_name(*each.resource));
  }
  parameters.insert(parameters.end(), offsets.begin(), offsets.end());
  signature("__kernel void " + name(function.name) + "(", parameters);
  return lines;
}

// The kernel as a function of its own, and a kernel that calls it.
void Printer::separate_entry_point(const Function& function) {
  std::vector<std::string> parameters, arguments;
  for (const auto& each : function.parameters) {
    if (!used_variables_.contains(each.get())) continue;
    parameters.push_back(declaration(each->type, name(each->name)));
    arguments.push_back(builtin_input(*each));
  }
  for (const auto& each : module_.resources) {
    parameters.push_back(resource_declaration(*each));
    arguments.push_back(name(each->name));
  }
  for (const ArrayLengthArgument& each : array_length_arguments(module_)) {
    parameters.push_back("uint " + array_length_name(*each.resource));
    arguments.push_back(array_length_name(*each.resource));
  }
  const std::string body = fresh_name(function.name + "_body");
  out_.line("__attribute__((noinline))");
  if (uses_wide_dot_) out_.line(wide_dot_attribute);
  signature("static void " + body + "(", parameters);
  out_.indent();
  private_variables(function);
  out_.outdent();
  block(function.body);
  out_.line("}");
  out_.blank();
  out_.line("__attribute__((reqd_work_group_size(1, 1, 1)))");
  const std::vector<std::string> beginnings = kernel_head(function);
  out_.indent();
  for (const std::string& line : beginnings) out_.line(line);
  std::string call = body + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) call += (i == 0 ? "" : ", ") + arguments[i];
  out_.line(call + ");");
  out_.outdent();
  out_.line("}");
}

void Printer::entry_point(const Function& function) {
  current_ = &function;
  if (has_separate_body(module_, dialect_)) {
    separate_entry_point(function);
    return;
  }
  const auto& size = function.workgroup_size;
  out_.line("__attribute__((reqd_work_group_size(" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
            std::to_string(size[2]) + ")))");
  if (module_.uses_subgroups && !dialect_.subgroup_attribute.empty()) {
    out_.line("__attribute__((" + dialect_.subgroup_attribute + "))");
  }
  const std::vector<std::string> beginnings = kernel_head(function);
  out_.indent();
  for (const Variable* each : captures_[&function].variables) {
    if (each->space != AddressSpace::Workgroup) continue;
    // Rows of matrices are read 16 bytes at once. Copies to stages go by lines of 128 bytes; those that lie across two
    // lines took three times as long on an H200.
    const bool must_align = (module_.uses_matrices || module_.uses_pipeline) && each->type->as<ArrayType>() != nullptr;
    const std::string_view alignment = module_.uses_pipeline && dialect_.pipeline ? "128" : "16";
    out_.line("__local " + declaration(each->type, name(each->name)) +
              (must_align ? " __attribute__((aligned(" + std::string(alignment) + ")));" : ";"));
  }
  for (const std::string& line : beginnings) out_.line(line);
  for (const auto& each : function.parameters) {
    if (!used_variables_.contains(each.get())) continue;
    out_.line("const " + declaration(each->type, name(each->name)) + " = " + builtin_input(*each) + ";");
  }
  private_variables(function);
  zero_workgroup_memory(function);
  out_.outdent();
  block(function.body);
  out_.line("}");
}

std::string Printer::workgroup_index() const {
  const auto& size = module_.entry_point->workgroup_size;
  std::string index = "get_local_id(0)";
  if (size[1] * size[2] > 1) index += " + get_local_id(1) * " + std::to_string(size[0]);
  if (size[2] > 1) index += " + get_local_id(2) * " + std::to_string(size[0] * size[1]);
  return index;
}

std::string Printer::print() {
  // Bodies first: they say which helpers, tables and wrappers the prelude needs.
  for (const auto& each : module_.functions) {
    if (!each->is_entry_point) function(*each);
  }
  entry_point(*module_.entry_point);
  return assembled();
}

std::string Printer::assembled() const {
  std::string text;
  const auto mentions_half = [&] {
    return dialect_.f16_arithmetic && dialect_.f16_pragma && (out_.text().find("half") != std::string::npos);
  };
  if (mentions_half()) text += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
  if (module_.uses_subgroups && dialect_.subgroups == OpenClDialect::Subgroups::Khr) {
    text += "#pragma OPENCL EXTENSION cl_khr_subgroups : enable\n";
  }
  if (module_.uses_subgroups && dialect_.subgroups == OpenClDialect::Subgroups::Intel) {
    text += "#pragma OPENCL EXTENSION cl_intel_subgroups : enable\n";
  }
  if (dialect_.packed_dot == OpenClDialect::PackedDot::Arm && module_.uses_packed_dot) {
    text += "#pragma OPENCL EXTENSION cl_arm_integer_dot_product_int8 : enable\n";
  }
  for (const auto& each : module_.resources) {
    if (each->kind == Resource::Kind::Object && each->storage == StorageKind::Texture3D &&
        each->access != Access::Read) {
      text += "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n";
      break;
    }
  }
  if (!text.empty()) text += "\n";

  for (const std::string& each : type_declarations()) text += each + "\n\n";
  text += prelude_.text();
  return text + out_.text();
}

}  // namespace driftwood::shader::opencl
