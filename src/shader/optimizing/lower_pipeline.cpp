// The pipeline of a workgroup as plain loops. The invocation that fills a stage copies it, between the barriers that
// the stage's release and the wait for it are. An invocation's sums need the parts of the left factor that it and three
// neighbours hold, which they exchange. The product is written in the kernel language and taken from a module of its
// own.
#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "base/error.h"
#include "shader/checker.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"

namespace driftwood::shader {

namespace {

using namespace build;

std::uint32_t count_of(const TypePtr& pointer) { return *pointer->as<PointerType>()->pointee->as<ArrayType>()->count; }

// Sums of an invocation, with r = index / 32 * 16 + index % 32 / 4 and c = index % 4: 4 j + e is row r, column 8 j +
// 2 c + e, and 4 j + 2 + e row r + 8 of that column. Of the left factor it holds (r, 2 c), (r + 8, 2 c), (r, 2 c + 8)
// and (r + 8, 2 c + 8) of each 16 columns, each with the column behind it.
constexpr std::string_view multiply_text = R"(
fn dot_of_halves(a: u32, b: u32) -> f32 {{
  let product = unpack2x16float(a) * unpack2x16float(b);
  return product.x + product.y;
}}

fn multiply(sums: ptr<function, array<f32, {1}>>, {2}right: ptr<workgroup, array<vec4u, {3}>>, right_offset: u32,
            right_stride: u32, index: u32) {{
  let row = index % 128u / 32u * 16u + index % 32u / 4u;
  for (var step = 0u; step < {4}u; step++) {{
    {5}
    for (var q = 0u; q < 4u; q++) {{
      let part = subgroupShuffle(own, index % 32u / 4u * 4u + q);
      for (var j = 0u; j < {1}u / 4u; j++) {{
        for (var e = 0u; e < 2u; e++) {{
          let at = right_offset + 2u * step * right_stride + 8u * j + index % 4u * 2u + e;
          let low = (*right)[at][q];
          let high = (*right)[at + right_stride][q];
          (*sums)[4u * j + e] += dot_of_halves(part.x, low) + dot_of_halves(part.z, high);
          (*sums)[4u * j + 2u + e] += dot_of_halves(part.y, low) + dot_of_halves(part.w, high);
        }}
      }}
    }}
  }}
}}

{6}
@compute @workgroup_size({0})
fn main(@builtin(local_invocation_index) index: u32) {{
  {7}
}}
)";

constexpr std::string_view from_registers = "let own = (*left)[step];";
constexpr std::string_view from_memory =
    "let low_left = left_offset + 2u * step * left_stride + row;\n"
    "    let c = index % 4u;\n"
    "    let own = vec4u((*left)[low_left][c], (*left)[low_left + 8u][c],\n"
    "                    (*left)[low_left + left_stride][c], (*left)[low_left + left_stride + 8u][c]);";

// Of single words, four of which are an element.
constexpr std::string_view from_words =
    "let low_left = 4u * (left_offset + 2u * step * left_stride + row) + index % 4u;\n"
    "    let own = vec4u((*left)[low_left], (*left)[low_left + 32u],\n"
    "                    (*left)[low_left + 4u * left_stride], (*left)[low_left + 4u * left_stride + 32u]);";

class PipelineLowering {
 public:
  explicit PipelineLowering(Module& module) : module_(module), names_(module) {
    const auto& size = module.entry_point->workgroup_size;
    invocations_ = size[0] * size[1] * size[2];
  }

  void run() {
    add_index();
    for (auto& function : module_.functions) {
      rewrite_blocks(function->body, [&](Block& block) { lower(block); });
    }
    // Products call nothing of the module, so they may come first.
    module_.functions.insert(module_.functions.begin(), std::make_move_iterator(products_.begin()),
                             std::make_move_iterator(products_.end()));
    module_.uses_pipeline = false;
    module_.uses_subgroups = module_.uses_subgroups || !products_.empty();
  }

 private:
  // A private variable, as any function may need it.
  void add_index() {
    Function& entry = *module_.entry_point;
    Variable* index = nullptr;
    for (auto& parameter : entry.parameters) {
      if (parameter->builtin == BuiltinInput::LocalInvocationIndex) index = parameter.get();
    }
    if (index == nullptr) {
      auto parameter = variable(names_.make("invocation"), scalar_type(Scalar::U32), false);
      parameter->is_parameter = true;
      parameter->builtin = BuiltinInput::LocalInvocationIndex;
      index = parameter.get();
      entry.parameters.push_back(std::move(parameter));
    }
    auto kept = variable(names_.make("pipeline_index"), scalar_type(Scalar::U32), true, AddressSpace::Private);
    index_ = kept.get();
    module_.variables.push_back(std::move(kept));
    entry.body.insert(entry.body.begin(), assign(read(*index_), read(*index)));
  }

  void lower(Block& block) {
    Block result;
    for (StatementPtr& each : block) {
      auto* statement = std::get_if<CallStatement>(&each->node);
      auto* call = statement == nullptr ? nullptr : std::get_if<BuiltinCall>(&statement->call->node);
      if (call == nullptr || !is_pipeline_builtin(call->builtin)) {
        result.push_back(std::move(each));
        continue;
      }
      switch (call->builtin) {
        case Builtin::StageWait:
        case Builtin::StageRelease: result.push_back(barrier(each->range)); break;
        case Builtin::StageCopy: copy(*call, each->range, result); break;
        case Builtin::WorkgroupMatrixMultiplyAccumulate: multiply(*call, each->range, result); break;
        default: break;
      }
    }
    block = std::move(result);
  }

  static StatementPtr barrier(SourceRange range) {
    return build::statement(CallStatement{build::call(Builtin::WorkgroupBarrier, void_type(), {})}, range);
  }

  Variable& bind(std::string_view name, ExpressionPtr value, Block& block) {
    auto made = variable(names_.make(name), scalar_type(Scalar::U32), false);
    Variable& bound = *made;
    block.push_back(declare(std::move(made), std::move(value)));
    return bound;
  }

  static ExpressionPtr pointee(const Expression& pointer) {
    if (const auto* address = std::get_if<AddressOf>(&pointer.node)) return clone(*address->reference);
    return expression(pointer.type->as<PointerType>()->pointee, Dereference{clone(pointer)}, pointer.range, true);
  }

  // for (var i = 0; i < count; i++) { to[to_offset + i] = from[from_offset + i]; }
  void copy(BuiltinCall& call, SourceRange range, Block& result) {
    Block block;
    Variable& to = bind("to", std::move(call.arguments[3]), block);
    Variable& from = bind("from", std::move(call.arguments[5]), block);
    Variable& count = bind("count", std::move(call.arguments[6]), block);
    auto counter = variable(names_.make("i"), scalar_type(Scalar::U32), true);
    Variable& i = *counter;
    For loop;
    loop.init = declare(std::move(counter), literal_u32(0));
    loop.condition = binary(BinaryOp::Less, read(i), read(count));
    loop.update = build::statement(CompoundAssign{BinaryOp::Add, read(i), literal_u32(1)});
    loop.body.push_back(assign(build::index(pointee(*call.arguments[2]), binary(BinaryOp::Add, read(to), read(i))),
                               build::index(pointee(*call.arguments[4]), binary(BinaryOp::Add, read(from), read(i)))));
    block.push_back(build::statement(std::move(loop), range));
    result.push_back(build::statement(BlockStatement{std::move(block)}, range));
  }

  void multiply(BuiltinCall& call, SourceRange range, Block& result) {
    const bool in_memory = call.arguments.size() == 8;
    const auto steps =
        in_memory ? static_cast<std::uint32_t>(*integer_value(*call.arguments[7])) : count_of(call.arguments[1]->type);
    if (in_memory) call.arguments.pop_back();
    Function& product =
        product_for(in_memory, has_words(call.arguments[1]->type), count_of(call.arguments[0]->type), steps,
                    count_of(call.arguments[1]->type), count_of(call.arguments[in_memory ? 4 : 2]->type));
    std::vector<ExpressionPtr> arguments = std::move(call.arguments);
    arguments.push_back(read(*index_));
    result.push_back(build::statement(CallStatement{build::call(product, std::move(arguments))}, range));
  }

  static bool has_words(const TypePtr& pointer) {
    return width_of(pointer->as<PointerType>()->pointee->as<ArrayType>()->element) == 1;
  }

  Function& product_for(bool in_memory, bool words, std::uint32_t sums, std::uint32_t steps, std::uint32_t left,
                        std::uint32_t right) {
    Function*& known = known_[{in_memory, words, sums, steps, left, right}];
    if (known != nullptr) return *known;
    const std::string left_parameters =
        in_memory ? fmt::format("left: ptr<workgroup, array<{}, {}>>, left_offset: u32, left_stride: u32, ",
                                words ? "u32" : "vec4u", left)
                  : fmt::format("left: ptr<function, array<vec4u, {}>>, ", left);
    std::string memory = fmt::format("var<workgroup> right_tile: array<vec4u, {}>;\n", right);
    std::string body = fmt::format("var sums: array<f32, {}>;\n  ", sums);
    if (in_memory) {
      memory += fmt::format("var<workgroup> left_tile: array<{}, {}>;\n", words ? "u32" : "vec4u", left);
      body += "multiply(&sums, &left_tile, 0u, 0u, &right_tile, 0u, 0u, index);";
    } else {
      body += fmt::format("var left: array<vec4u, {}>;\n  multiply(&sums, &left, &right_tile, 0u, 0u, index);", left);
    }
    const std::string text = fmt::format(multiply_text, invocations_, sums, left_parameters, right, steps,
                                         !in_memory ? from_registers
                                         : words    ? from_words
                                                    : from_memory,
                                         memory, body);
    const SourceProvider provider = [&](std::string_view) { return SourceFile{"workgroup product", text}; };
    Module made = check(provider, "package::workgroup_product", {});
    take(made);
    known = products_.back().get();
    return *known;
  }

  // The functions of the module but its entry point.
  void take(Module& made) {
    for (auto& function : made.functions) {
      if (function->is_entry_point) continue;
      function->name = names_.make(function->name);
      for (auto& parameter : function->parameters) parameter->name = names_.make(parameter->name);
      rewrite_statements(function->body, [&](StatementPtr& each) {
        each->range = {};
        if (auto* declared = std::get_if<Declare>(&each->node)) {
          declared->variable->name = names_.make(declared->variable->name);
        }
      });
      rewrite_expressions(function->body, [](ExpressionPtr& each) { each->range = {}; });
      products_.push_back(std::move(function));
    }
  }

  Module& module_;
  FreshNames names_;
  std::uint32_t invocations_ = 0;
  Variable* index_ = nullptr;
  std::map<std::tuple<bool, bool, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, Function*> known_;
  std::vector<std::unique_ptr<Function>> products_;
};

}  // namespace

void lower_pipeline(Module& module) { PipelineLowering(module).run(); }

void keep_staged_memory(Module& module) {
  visit_expressions(module, [](const Expression& each) {
    const auto* call = std::get_if<BuiltinCall>(&each.node);
    if (call == nullptr || !is_pipeline_builtin(call->builtin)) return;
    for (const ExpressionPtr& argument : call->arguments) {
      const auto* address = std::get_if<AddressOf>(&argument->node);
      const Variable* variable = address == nullptr ? nullptr : root_variable(*address->reference);
      if (variable == nullptr || variable->space != AddressSpace::Workgroup) continue;
      const_cast<Variable*>(variable)->needs_zeroes = false;
    }
  });
}

}  // namespace driftwood::shader
