#include <array>

#include "shader/fit_limits.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"

namespace driftwood::shader {

namespace {

using namespace build;

TypePtr u32() { return scalar_type(Scalar::U32); }
TypePtr triple() { return vector_type(Scalar::U32, 3); }

class GridFolding {
 public:
  GridFolding(Module& module, const FoldedGrid& grid)
      : module_(module), grid_(grid), names_(module), entry_(*module.entry_point) {}

  void run() {
    std::vector<std::unique_ptr<Variable>> replaced;
    const bool is_asked = std::erase_if(entry_.parameters, [&](auto& parameter) {
                            if (!depends_on_grid(parameter->builtin)) return false;
                            replaced.push_back(std::move(parameter));
                            return true;
                          }) > 0;
    Variable& group = add_input("launched_group", BuiltinInput::WorkgroupId, triple());
    Variable& launched = add_input("launched_groups", BuiltinInput::NumWorkgroups, triple());

    // The groups along each axis of the wanted grid, and which of them in all this one is.
    std::array<Variable*, 3> extents{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      extents[axis] = &let(std::string("groups_") + "xyz"[axis], u32(), extent(grid_.extents[axis]));
    }
    const auto count = [&](std::size_t axis) { return read(*extents[axis]); };
    const auto at = [](Variable& vector, int axis) { return component(read(vector), axis); };
    ExpressionPtr above =
        binary(BinaryOp::Add, at(group, 1), binary(BinaryOp::Multiply, at(launched, 1), at(group, 2)));
    Variable& number =
        let("group_number", u32(),
            binary(BinaryOp::Add, at(group, 0), binary(BinaryOp::Multiply, at(launched, 0), std::move(above))));
    If end{binary(BinaryOp::GreaterEqual, read(number),
                  binary(BinaryOp::Multiply, binary(BinaryOp::Multiply, count(0), count(1)), count(2))),
           {},
           {}};
    end.then_block.push_back(statement(Return{nullptr}));
    head_.push_back(statement(std::move(end)));
    if (is_asked) {
      Variable& row = let("group_row", u32(), binary(BinaryOp::Divide, read(number), count(0)));
      ExpressionPtr x = binary(BinaryOp::Remainder, read(number), count(0));
      ExpressionPtr y = binary(BinaryOp::Remainder, read(row), count(1));
      ExpressionPtr z = binary(BinaryOp::Divide, read(row), count(1));
      Variable& wanted =
          let("group", triple(), expression(triple(), Construct{list(std::move(x), std::move(y), std::move(z))}));
      for (auto& each : replaced) replace(std::move(each), wanted, extents);
    }
    entry_.body.insert(entry_.body.begin(), std::make_move_iterator(head_.begin()),
                       std::make_move_iterator(head_.end()));
  }

 private:
  static bool depends_on_grid(BuiltinInput builtin) {
    return builtin == BuiltinInput::WorkgroupId || builtin == BuiltinInput::NumWorkgroups ||
           builtin == BuiltinInput::GlobalInvocationId;
  }

  // A parameter of the entry point; one there already where it has the builtin.
  Variable& add_input(std::string_view name, BuiltinInput builtin, TypePtr type) {
    for (auto& each : entry_.parameters) {
      if (each->builtin == builtin) return *each;
    }
    auto parameter = variable(names_.make(name), std::move(type), false);
    parameter->is_parameter = true;
    parameter->builtin = builtin;
    entry_.parameters.push_back(std::move(parameter));
    return *entry_.parameters.back();
  }

  Variable& let(std::string_view name, TypePtr type, ExpressionPtr value) {
    auto made = variable(names_.make(name), std::move(type), false);
    Variable& result = *made;
    head_.push_back(declare(std::move(made), std::move(value)));
    return result;
  }

  // A builtin input that the device no longer gives becomes a let of its name.
  void replace(std::unique_ptr<Variable> input, Variable& group, const std::array<Variable*, 3>& extents) {
    ExpressionPtr value;
    if (input->builtin == BuiltinInput::WorkgroupId) {
      value = read(group);
    } else if (input->builtin == BuiltinInput::NumWorkgroups) {
      value = expression(triple(), Construct{list(read(*extents[0]), read(*extents[1]), read(*extents[2]))});
    } else {
      Variable& local = add_input("local_id", BuiltinInput::LocalInvocationId, triple());
      std::vector<ConstantScalar> size;
      for (const std::uint32_t each : entry_.workgroup_size) size.push_back(ConstantScalar::of_int(Scalar::U32, each));
      value = binary(BinaryOp::Add, binary(BinaryOp::Multiply, read(group), literal(triple(), std::move(size))),
                     read(local));
    }
    input->builtin = BuiltinInput::None;
    input->is_parameter = false;
    head_.push_back(declare(std::move(input), std::move(value)));
  }

  ExpressionPtr extent(const FoldedGrid::Extent& extent) {
    ExpressionPtr count = literal_u32(extent.fixed);
    const auto times = [&](ExpressionPtr total, std::uint32_t divisor) {
      ExpressionPtr rounded = binary(BinaryOp::Add, std::move(total), literal_u32(divisor - 1));
      count = binary(BinaryOp::Multiply, std::move(count),
                     binary(BinaryOp::Divide, std::move(rounded), literal_u32(divisor)));
    };
    if (extent.rows_per_group != 0) {
      times(binary(BinaryOp::Multiply, parameter(0), literal_u32(extent.rows_per_token)), extent.rows_per_group);
    }
    if (extent.context_per_group != 0) {
      times(binary(BinaryOp::Add, parameter(1), parameter(0)), extent.context_per_group);
    }
    return count;
  }

  // Word 0, tokens, or word 1, position, of the parameters.
  ExpressionPtr parameter(std::uint32_t word) {
    Resource& uniform = parameters();
    ExpressionPtr all = expression(uniform.type, ResourceExpression{&uniform}, {}, true);
    return expression(u32(), Member{std::move(all), word}, {}, true);
  }

  Resource& parameters() {
    if (parameters_ != nullptr) return *parameters_;
    for (auto& each : module_.resources) {
      if (each->name == grid_.parameters && each->kind == Resource::Kind::Uniform &&
          each->type->as<StructType>() != nullptr) {
        return *(parameters_ = each.get());
      }
    }
    StructType structure{.name = names_.make("GridParameters"), .fields = {}, .size = 16, .alignment = 4};
    for (const char* field : {"tokens", "position", "reserved_0", "reserved_1"}) {
      structure.fields.push_back({field, u32(), static_cast<std::uint32_t>(4 * structure.fields.size())});
    }
    auto type = std::make_shared<const Type>(Type{std::move(structure)});
    module_.structs.push_back(type);
    auto resource = std::make_unique<Resource>();
    resource->name = names_.make(FoldedGrid::own_parameters);
    resource->kind = Resource::Kind::Uniform;
    resource->type = type;
    resource->binding = static_cast<std::uint32_t>(module_.resources.size());
    module_.resources.push_back(std::move(resource));
    return *(parameters_ = module_.resources.back().get());
  }

  Module& module_;
  const FoldedGrid& grid_;
  FreshNames names_;
  Function& entry_;
  Block head_;
  Resource* parameters_ = nullptr;
};

}  // namespace

void fold_grid(Module& module, const FoldedGrid& grid) {
  GridFolding(module, grid).run();
  fold_constants(module);
  propagate_lets(module);
  fold_constants(module);
  remove_dead_code(module);
}

}  // namespace driftwood::shader
