// The kernel: its arguments, workgroup memory and the whole program.
#include <algorithm>

#include "base/error.h"
#include "shader/metal/printer.h"

namespace driftwood::shader::metal {

namespace {

std::string_view attribute_of(BuiltinInput input) {
  switch (input) {
    case BuiltinInput::LocalInvocationId: return "thread_position_in_threadgroup";
    case BuiltinInput::LocalInvocationIndex: return "thread_index_in_threadgroup";
    case BuiltinInput::GlobalInvocationId: return "thread_position_in_grid";
    case BuiltinInput::WorkgroupId: return "threadgroup_position_in_grid";
    case BuiltinInput::NumWorkgroups: return "threadgroups_per_grid";
    case BuiltinInput::SubgroupInvocationId: return "thread_index_in_simdgroup";
    case BuiltinInput::SubgroupSize: return "threads_per_simdgroup";
    case BuiltinInput::SubgroupId: return "simdgroup_index_in_threadgroup";
    case BuiltinInput::NumSubgroups: return "simdgroups_per_threadgroup";
    case BuiltinInput::None: break;
  }
  throw InternalError("A parameter of the entry point is no builtin value.");
}

bool holds_atomics(const TypePtr& type) {
  if (type->as<AtomicType>() != nullptr) return true;
  if (const auto* array = type->as<ArrayType>()) return holds_atomics(array->element);
  const auto* structure = type->as<StructType>();
  return structure != nullptr && std::any_of(structure->fields.begin(), structure->fields.end(),
                                             [](const auto& each) { return holds_atomics(each.type); });
}

std::string attributed(const std::string& declaration, std::string_view attribute) {
  return declaration + " [[" + std::string(attribute) + "]]";
}

}  // namespace

Printer::Printer(const Module& module, const MetalDialect& dialect) : c_family::Printer(module), dialect_(dialect) {}

std::string Printer::store_zero(const std::string& place, const TypePtr& type) const {
  if (const auto* atomic = type->as<AtomicType>()) {
    const std::string zero = atomic->scalar == Scalar::U32 ? "0u" : "0";
    return "atomic_store_explicit(&" + place + ", " + zero + ", memory_order_relaxed)";
  }
  if (type->as<StructType>() != nullptr && holds_atomics(type)) {
    // A structure of atomics cannot be assigned; its words can.
    return "for (uint word = 0u; word < sizeof(" + place + ") / 4u; word++) ((threadgroup uint*)&" + place +
           ")[word] = 0u";
  }
  return c_family::Printer::store_zero(place, type);
}

std::vector<std::string> Printer::kernel_parameters() {
  std::vector<std::string> parameters;
  const bool has_lengths = !array_length_arguments(module_).empty();
  for (std::size_t i = 0; i < module_.resources.size(); ++i) {
    const Resource& each = *module_.resources[i];
    const std::size_t buffers = has_lengths ? metal_lengths_buffer : metal_lengths_buffer + 1;
    if (!is_image(each) && i >= buffers) {
      throw Unsupported("The kernel binds '" + each.name + "' as buffer " + std::to_string(i) + "; Metal has " +
                        std::to_string(buffers) + " of them for a kernel.");
    }
    parameters.push_back(
        attributed(resource_declaration(each), (is_image(each) ? "texture(" : "buffer(") + std::to_string(i) + ")"));
  }
  return parameters;
}

void Printer::entry_point(const Function& function) {
  current_ = &function;
  std::vector<std::string> parameters = kernel_parameters();
  const auto lengths = array_length_arguments(module_);
  const std::string lengths_name = lengths.empty() ? "" : name(fresh_name("array_lengths"));
  if (!lengths.empty()) {
    parameters.push_back(
        attributed("constant uint* " + lengths_name, "buffer(" + std::to_string(metal_lengths_buffer) + ")"));
  }
  index_name_.clear();
  for (const auto& each : function.parameters) {
    if (!used_variables_.contains(each.get())) continue;
    if (each->builtin == BuiltinInput::LocalInvocationIndex) index_name_ = name(each->name);
    parameters.push_back(attributed(declaration(each->type, name(each->name)), attribute_of(each->builtin)));
  }
  const auto& variables = captures_[&function].variables;
  const bool zeroes = std::any_of(variables.begin(), variables.end(), [](const Variable* each) {
    return each->space == AddressSpace::Workgroup && each->needs_zeroes;
  });
  if (zeroes && index_name_.empty()) {
    index_name_ = name(fresh_name("local_index"));
    parameters.push_back(attributed("uint " + index_name_, attribute_of(BuiltinInput::LocalInvocationIndex)));
  }
  const auto& size = function.workgroup_size;
  out_.line("[[max_total_threads_per_threadgroup(" + std::to_string(size[0] * size[1] * size[2]) + ")]]");
  signature("kernel void " + name(function.name) + "(", parameters);
  out_.indent();
  for (const Variable* each : variables) {
    if (each->space != AddressSpace::Workgroup) continue;
    out_.line("threadgroup " + declaration(each->type, name(each->name)) + ";");
  }
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    out_.line("const uint " + array_length_name(*lengths[i].resource) + " = " + lengths_name + "[" + std::to_string(i) +
              "];");
  }
  private_variables(function);
  zero_workgroup_memory(function);
  out_.outdent();
  block(function.body);
  out_.line("}");
}

std::string Printer::print() {
  require_no_wide_vectors();
  // Bodies first: they say which helpers, tables and wrappers the prelude needs.
  for (const auto& each : module_.functions) {
    if (!each->is_entry_point) function(*each);
  }
  entry_point(*module_.entry_point);

  std::string text = "#include <metal_stdlib>\n";
  if (module_.uses_matrices) text += "#include <metal_simdgroup_matrix>\n";
  text += "\nusing namespace metal;\n\n";
  for (const std::string& each : type_declarations()) text += each + "\n\n";
  text += prelude_.text();
  return text + out_.text();
}

}  // namespace driftwood::shader::metal
