// A kernel as a function of a larger program (OpenClBody).
#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "base/error.h"
#include "shader/ir_walk.h"
#include "shader/opencl/printer.h"

namespace driftwood::shader::opencl {

namespace {

constexpr const char* memory_argument = "stage_memory";
constexpr const char* wait_argument = "stage_input";

// Weights and parameters: what the kernels of one run read and do not write.
bool is_settled(const Resource& resource) {
  return resource.kind == Resource::Kind::Uniform || (resource.weights.has_value() && resource.access == Access::Read);
}

// What a program defines at its scope, by the shape of the lines that are not indented.
std::vector<std::string> names_at_program_scope(std::string_view text) {
  std::set<std::string> names;
  const auto last_word = [](std::string_view head) {
    std::size_t begin = head.size();
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(head[begin - 1])) != 0 || head[begin - 1] == '_'))
      --begin;
    return std::string(head.substr(begin));
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with("static ")) names.insert(last_word(line.substr(0, line.find('('))));
    if (line.starts_with("__constant ")) names.insert(last_word(line.substr(0, line.find('['))));
    if (line.starts_with("} ") && line.ends_with(";")) names.insert(last_word(line.substr(0, line.size() - 1)));
  }
  names.erase("");
  return {names.begin(), names.end()};
}

bool has_pointer_to_uniform(const Module& module) {
  return std::ranges::any_of(module.functions, [](const auto& function) {
    return std::ranges::any_of(function->parameters, [](const auto& parameter) {
      const auto* pointer = parameter->type->template as<PointerType>();
      return pointer != nullptr && pointer->space == AddressSpace::Uniform;
    });
  });
}

bool is_barrier(const Expression& expression) {
  const auto* call = std::get_if<BuiltinCall>(&expression.node);
  if (call == nullptr) return false;
  return call->builtin == Builtin::WorkgroupBarrier || call->builtin == Builtin::StorageBarrier ||
         call->builtin == Builtin::WorkgroupUniformLoad;
}

}  // namespace

bool Printer::has_body(const Module& module, const OpenClDialect& dialect) {
  const bool knows_subgroup = dialect.subgroups == OpenClDialect::Subgroups::NvidiaPtx;
  if (module.uses_pipeline || (module.uses_subgroups && !knows_subgroup)) return false;
  const bool has_images =
      std::ranges::any_of(module.resources, [](const auto& resource) { return is_image(*resource); });
  return !has_images && !has_pointer_to_uniform(module);
}

// Whether all that a statement reads is settled before any kernel runs, and it writes nothing but variables: not where
// it may leave the function, after which the wait would not come.
bool Printer::waits_for_nothing(const Statement& statement) {
  bool settled = true;
  const auto check = [&](const Statement& each) {
    settled = settled && !std::holds_alternative<Return>(each.node) && !std::holds_alternative<ObjectStore>(each.node);
  };
  check(statement);
  for_each_block(const_cast<Statement&>(statement), [&](Block& block) { visit_statements(block, check); });
  visit_expressions(statement, [&](const Expression& each) {
    if (const auto* resource = std::get_if<ResourceExpression>(&each.node)) {
      settled = settled && is_settled(*resource->resource);
    } else if (const auto* load = std::get_if<ObjectLoad>(&each.node)) {
      settled = settled && is_settled(*load->object);
    } else if (const auto* read = std::get_if<VariableExpression>(&each.node)) {
      settled = settled && read->variable->space != AddressSpace::Workgroup;
    } else if (std::holds_alternative<BuiltinCall>(each.node)) {
      settled = settled && !is_barrier(each);
    } else if (const auto* call = std::get_if<FunctionCall>(&each.node)) {
      const Captures& captures = captures_[call->function];
      settled =
          settled && std::ranges::all_of(captures.resources, [](const auto* r) { return is_settled(*r); }) &&
          std::ranges::none_of(captures.variables, [](const auto* v) { return v->space == AddressSpace::Workgroup; });
    }
  });
  return settled;
}

// Workgroup variables are members of a structure; in the function's text their names stand for these.
void Printer::body_memory(const Function& function, OpenClBody& body) {
  std::string members, macros;
  for (const Variable* each : captures_[&function].variables) {
    if (each->space != AddressSpace::Workgroup) continue;
    const bool must_align = module_.uses_matrices && each->type->as<ArrayType>() != nullptr;
    const std::string printed = name(each->name);
    members.append("  ").append(declaration(each->type, printed));
    members += must_align ? " __attribute__((aligned(16)));\n" : ";\n";
    out_.line("#define " + printed + " (" + memory_argument + "->" + printed + ")");
  }
  if (members.empty()) return;
  body.memory = fresh_name(function.name + "_memory");
  prelude_.require(body.memory, "typedef struct {\n" + members + "} " + body.memory + ";");
}

OpenClBody Printer::print_body() {
  is_body_ = true;
  for (const auto& each : module_.functions) {
    if (!each->is_entry_point) function(*each);
  }
  const Function& entry = *module_.entry_point;
  current_ = &entry;
  OpenClBody body{.source = {}, .function = fresh_name(entry.name + "_body"), .workgroup_size = entry.workgroup_size};
  body_memory(entry, body);
  std::vector<std::string> parameters = {"const uint3 stage_group", "const uint3 stage_grid",
                                         std::string("const stage_wait ") + wait_argument};
  if (!body.memory.empty()) parameters.push_back("__local " + body.memory + "* " + memory_argument);
  for (const auto& each : module_.resources) {
    body.pointers.push_back(buffer_pointer(*each, "@"));
    body.is_early.push_back(is_settled(*each));
    parameters.push_back(resource_declaration(*each));
  }
  for (const ArrayLengthArgument& each : array_length_arguments(module_)) {
    parameters.push_back("uint " + array_length_name(*each.resource));
    ++body.lengths;
  }
  if (uses_wide_dot_) out_.line("__attribute__((noinline))");
  before_function();
  signature("static void " + body.function + "(", parameters);
  out_.indent();
  for (const auto& each : entry.parameters) {
    if (!used_variables_.contains(each.get())) continue;
    out_.line("const " + declaration(each->type, name(each->name)) + " = " + builtin_input(*each) + ";");
  }
  private_variables(entry);
  zero_workgroup_memory(entry);
  std::size_t early = 0;
  while (early < entry.body.size() && waits_for_nothing(*entry.body[early])) statement(*entry.body[early++]);
  out_.line(std::string("await_stage(") + wait_argument + ");");
  for (std::size_t i = early; i < entry.body.size(); ++i) statement(*entry.body[i]);
  out_.outdent();
  out_.line("}");
  for (const Variable* each : captures_[&entry].variables) {
    if (each->space == AddressSpace::Workgroup) out_.line("#undef " + name(each->name));
  }
  body.source = assembled();
  body.names = names_at_program_scope(body.source);
  visit_expressions(module_, [&](const Expression& each) { body.has_barriers |= is_barrier(each); });
  for (const auto& each : module_.variables) {
    body.has_barriers |= each->space == AddressSpace::Workgroup && each->needs_zeroes;
  }
  return body;
}

}  // namespace driftwood::shader::opencl
