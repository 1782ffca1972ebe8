#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/checked.h"
#include "base/error.h"
#include "shader/address.h"
#include "shader/fit_limits.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "shader/optimize.h"
#include "shader/optimizing/variables.h"
#include "tensor/packed_weights.h"

namespace driftwood::shader {

namespace {

using namespace build;

bool is_buffer(const Resource& resource) {
  if (resource.kind == Resource::Kind::Object) return resource.storage == StorageKind::Buffer;
  return resource.kind == Resource::Kind::Storage;
}

// Bytes from one element of the buffer to the next; 0 where it is no plain array.
std::uint64_t stride_of(const Resource& resource) {
  if (resource.kind == Resource::Kind::Object) return std::uint64_t{4} * info(resource.texel).block_bytes;
  const auto* array = resource.type->as<ArrayType>();
  if (array == nullptr) return 0;
  return round_up(std::uint64_t{size_of(array->element)}, std::uint64_t{alignment_of(array->element)});
}

class BindingSplit {
 public:
  BindingSplit(Module& module, std::uint64_t max_bytes, std::uint64_t alignment,
               const std::map<std::string, std::uint64_t>& buffer_bytes)
      : module_(module), max_bytes_(max_bytes), alignment_(alignment), buffer_bytes_(buffer_bytes), names_(module) {}

  std::vector<BufferPart> run() {
    split_resources();
    if (parts_.empty()) return {};
    for (auto& function : module_.functions) {
      check_addresses(*function);
      rewrite_statements(function->body, [&](StatementPtr& each) { rewrite_store(each); });
    }
    rewrite_expressions(module_, [&](ExpressionPtr& each) { rewrite_load(each); });
    check_left();
    // They call nothing, so that they may come before all others.
    module_.functions.insert(module_.functions.begin(), std::make_move_iterator(loads_.begin()),
                             std::make_move_iterator(loads_.end()));
    for (auto& function : module_.functions) optimizing::refresh_references(function->body);
    propagate_lets(module_);
    fold_constants(module_);
    remove_dead_code(module_);
    std::erase_if(made_, [&](const BufferPart& part) {
      return std::ranges::none_of(module_.resources, [&](const auto& each) { return each->name == part.name; });
    });
    return std::move(made_);
  }

 private:
  struct Parts {
    std::vector<Resource*> resources;
    std::uint64_t elements = 0;  // of each part but the last
    std::uint64_t total = 0;     // of all
  };

  std::uint64_t bytes_of(const Resource& resource) const {
    if (resource.kind == Resource::Kind::Object) return stride_of(resource) * resource.extent[0];
    if (resource.weights) return packed_size(*resource.weights);
    const auto found = buffer_bytes_.find(resource.name);
    return found == buffer_bytes_.end() ? 0 : found->second;
  }

  void split_resources() {
    std::vector<std::unique_ptr<Resource>> before = std::move(module_.resources);
    module_.resources.clear();
    for (std::unique_ptr<Resource>& resource : before) {
      const std::uint64_t bytes = is_buffer(*resource) ? bytes_of(*resource) : 0;
      if (bytes <= max_bytes_) {
        append(std::move(resource));
      } else {
        add_parts(*resource, bytes);
        replaced_.push_back(std::move(resource));
      }
    }
  }

  Resource* append(std::unique_ptr<Resource> resource) {
    resource->binding = static_cast<std::uint32_t>(module_.resources.size());
    module_.resources.push_back(std::move(resource));
    return module_.resources.back().get();
  }

  void add_parts(const Resource& resource, std::uint64_t bytes) {
    const std::uint64_t stride = stride_of(resource);
    if (stride == 0) refuse(resource, bytes, "is no plain array");
    const std::uint64_t unit = std::lcm(std::max<std::uint64_t>(alignment_, 1), stride);
    const std::uint64_t part_bytes = max_bytes_ / unit * unit;
    if (part_bytes == 0) {
      refuse(resource, bytes, fmt::format("cannot be divided: a part is a multiple of {} bytes", unit));
    }
    Parts& parts = parts_[&resource];
    parts.elements = part_bytes / stride;
    parts.total = bytes / stride;
    for (std::uint64_t offset = 0; offset < bytes; offset += part_bytes) {
      auto part = std::make_unique<Resource>();
      part->name = names_.make(fmt::format("{}_{}", resource.name, parts.resources.size()));
      part->kind = resource.kind;
      part->access = resource.access;
      part->type = resource.type;
      part->range = resource.range;
      part->tensor = resource.tensor;
      part->storage = resource.storage;
      part->texel = resource.texel;
      part->extent = resource.extent;
      const std::uint64_t own_bytes = std::min(part_bytes, bytes - offset);
      if (part->kind == Resource::Kind::Object) part->extent[0] = static_cast<std::uint32_t>(own_bytes / stride);
      made_.push_back({.name = part->name, .of = resource.name, .offset = offset, .bytes = own_bytes});
      parts.resources.push_back(append(std::move(part)));
    }
  }

  [[noreturn]] void refuse(const Resource& resource, std::uint64_t bytes, const std::string& why) const {
    throw Unsupported(fmt::format("The buffer '{}' of {} bytes exceeds the {} bytes that one binding reaches, and {}.",
                                  resource.name, bytes, max_bytes_, why));
  }

  const Parts* parts_of(const Resource* resource) const {
    const auto found = parts_.find(resource);
    return found == parts_.end() ? nullptr : &found->second;
  }

  // The parts of the buffer whose elements an expression picks.
  const Parts* parts_of_base(const Index& index) const {
    const auto* base = std::get_if<ResourceExpression>(&index.base->node);
    return base == nullptr ? nullptr : parts_of(base->resource);
  }

  // ---- what cannot be divided ---------------------------------------------------------------------------------

  void check_addresses(const Function& function) const {
    visit_expressions(function.body, [&](const Expression& each) {
      const auto* address = std::get_if<AddressOf>(&each.node);
      if (address == nullptr || std::holds_alternative<ResourceExpression>(address->reference->node)) return;
      const Resource* resource = root_resource(*address->reference);
      if (parts_of(resource) != nullptr)
        refuse(*resource, bytes_of(*resource), "the kernel takes an element's address");
    });
  }

  void check_left() const {
    visit_expressions(module_, [&](const Expression& each) {
      const auto* read = std::get_if<ResourceExpression>(&each.node);
      if (read == nullptr || parts_of(read->resource) == nullptr) return;
      refuse(*read->resource, bytes_of(*read->resource), "the kernel uses it as a whole");
    });
  }

  // ---- loads --------------------------------------------------------------------------------------------------

  struct Place {
    std::size_t part;
    ExpressionPtr index;
  };
  // Which part holds an element, and where, if its index is known.
  static std::optional<Place> known_place(const Parts& parts, const Expression& index) {
    const auto value = integer_value(index);
    if (!value || *value < 0) return {};
    const auto element = static_cast<std::uint64_t>(*value);
    const std::size_t part = std::min<std::size_t>(element / parts.elements, parts.resources.size() - 1);
    return Place{
        part, address::constant(*scalar_of(index.type), static_cast<std::uint32_t>(element - part * parts.elements))};
  }

  static ExpressionPtr within(const Parts& parts, std::size_t part, ExpressionPtr index) {
    if (part == 0) return index;
    const Scalar scalar = *scalar_of(index->type);
    return binary(BinaryOp::Subtract, std::move(index),
                  address::constant(scalar, static_cast<std::uint32_t>(part * parts.elements)));
  }

  static ExpressionPtr is_before(const Parts& parts, std::size_t part, ExpressionPtr index) {
    const Scalar scalar = *scalar_of(index->type);
    return binary(BinaryOp::Less, std::move(index),
                  address::constant(scalar, static_cast<std::uint32_t>(part * parts.elements)));
  }

  static ExpressionPtr element(Resource& resource, ExpressionPtr index) {
    return build::index(expression(resource.type, ResourceExpression{&resource}, {}, true), std::move(index));
  }

  static ExpressionPtr texel(Resource& resource, const TypePtr& type, ExpressionPtr index) {
    return expression(type, ObjectLoad{&resource, list(std::move(index))});
  }

  void rewrite_load(ExpressionPtr& each) {
    if (auto* load = std::get_if<ObjectLoad>(&each->node)) {
      const Parts* parts = parts_of(load->object);
      if (parts == nullptr) return;
      each = load_from(*parts, *load->object, each->type, std::move(load->coordinates[0]), each->range);
    } else if (auto* index = std::get_if<Index>(&each->node)) {
      const Parts* parts = parts_of_base(*index);
      if (parts == nullptr) return;
      Resource& resource = *std::get<ResourceExpression>(index->base->node).resource;
      if (scalar_of(each->type) == Scalar::F16 && !module_.uses_f16) {
        refuse(resource, bytes_of(resource), "holds halves, in which the device does not compute");
      }
      each = load_from(*parts, resource, each->type, std::move(index->index), each->range);
    } else if (auto* call = std::get_if<BuiltinCall>(&each->node)) {
      if (call->builtin != Builtin::ArrayLength) return;
      const auto* address = std::get_if<AddressOf>(&call->arguments[0]->node);
      if (address == nullptr) return;
      const auto* whole = std::get_if<ResourceExpression>(&address->reference->node);
      const Parts* parts = whole == nullptr ? nullptr : parts_of(whole->resource);
      if (parts != nullptr) each = literal_u32(static_cast<std::uint32_t>(parts->total), each->range);
    }
  }

  ExpressionPtr load_from(const Parts& parts, Resource& resource, const TypePtr& type, ExpressionPtr at,
                          SourceRange range) {
    const bool is_object = resource.kind == Resource::Kind::Object;
    const auto load = [&](std::size_t part, ExpressionPtr index) {
      Resource& from = *parts.resources[part];
      return is_object ? texel(from, type, std::move(index)) : element(from, std::move(index));
    };
    ExpressionPtr result;
    if (auto place = known_place(parts, *at)) {
      result = load(place->part, std::move(place->index));
    } else {
      const std::string key = fmt::format("{} {} {}", resource.name, to_string(type), to_string(at->type));
      Function*& function = by_key_[key];
      if (function == nullptr) {
        auto fresh = std::make_unique<Function>();
        fresh->name = names_.make("load_" + resource.name);
        fresh->range = resource.range;
        fresh->result = type;
        auto parameter = variable(names_.make("at"), at->type, false);
        parameter->is_parameter = true;
        Variable& index = *parameter;
        fresh->parameters.push_back(std::move(parameter));
        for (std::size_t part = 0; part < parts.resources.size(); ++part) {
          StatementPtr found = statement(Return{load(part, within(parts, part, read(index)))});
          if (part + 1 < parts.resources.size()) {
            If choice{is_before(parts, part + 1, read(index)), {}, {}};
            choice.then_block.push_back(std::move(found));
            found = statement(std::move(choice));
          }
          fresh->body.push_back(std::move(found));
        }
        loads_.push_back(std::move(fresh));
        function = loads_.back().get();
      }
      result = build::call(*function, list(std::move(at)));
    }
    result->range = range;
    return result;
  }

  // ---- stores -------------------------------------------------------------------------------------------------

  // The element that a target picks, through members, components and indices.
  ExpressionPtr* element_of(ExpressionPtr& target) const {
    if (auto* index = std::get_if<Index>(&target->node)) {
      return parts_of_base(*index) != nullptr ? &target : element_of(index->base);
    }
    if (auto* member = std::get_if<Member>(&target->node)) return element_of(member->base);
    if (auto* swizzle = std::get_if<Swizzle>(&target->node)) return element_of(swizzle->base);
    return nullptr;
  }

  void rewrite_store(StatementPtr& each) {
    if (auto* store = std::get_if<ObjectStore>(&each->node)) {
      if (const Parts* parts = parts_of(store->object)) {
        ExpressionPtr at = std::move(store->coordinates[0]);
        choose(each, *parts, std::move(at), store->value, [](Statement& copy, Resource& part, ExpressionPtr index) {
          auto& own = std::get<ObjectStore>(copy.node);
          own.object = &part;
          own.coordinates[0] = std::move(index);
        });
      }
    } else if (auto* assign = std::get_if<Assign>(&each->node)) {
      if (assign->target) rewrite_assignment(each, assign->target, assign->value);
    } else if (auto* compound = std::get_if<CompoundAssign>(&each->node)) {
      rewrite_assignment(each, compound->target, compound->value);
    } else if (auto* loop = std::get_if<For>(&each->node)) {
      for (const StatementPtr* part : {&loop->init, &loop->update}) {
        if (*part) refuse_store(**part);
      }
    }
  }

  // A loop's header takes no choice between statements.
  void refuse_store(const Statement& statement) const {
    const auto* assign = std::get_if<Assign>(&statement.node);
    const auto* compound = std::get_if<CompoundAssign>(&statement.node);
    const Expression* target = assign != nullptr     ? assign->target.get()
                               : compound != nullptr ? compound->target.get()
                                                     : nullptr;
    const Resource* resource = target == nullptr ? nullptr : root_resource(*target);
    if (parts_of(resource) != nullptr) refuse(*resource, bytes_of(*resource), "a loop's header stores to it");
  }

  void rewrite_assignment(StatementPtr& each, ExpressionPtr& target, ExpressionPtr& value) {
    ExpressionPtr* const picked = element_of(target);
    if (picked == nullptr) return;
    auto& index = std::get<Index>((*picked)->node);
    const Parts& parts = *parts_of_base(index);
    ExpressionPtr at = std::move(index.index);
    index.index = literal_u32(0);
    choose(each, parts, std::move(at), value, [this](Statement& copy, Resource& part, ExpressionPtr inner) {
      auto* assigned = std::get_if<Assign>(&copy.node);
      ExpressionPtr& own = assigned != nullptr ? assigned->target : std::get<CompoundAssign>(copy.node).target;
      *element_of(own) = element(part, std::move(inner));
    });
  }

  // { let at = ..; let value = ..; if (at < n) { store to part 0 } else if ... }
  template <class Redirect>
  void choose(StatementPtr& each, const Parts& parts, ExpressionPtr at, ExpressionPtr& value,
              const Redirect& redirect) {
    if (auto place = known_place(parts, *at)) {
      if (auto* store = std::get_if<ObjectStore>(&each->node)) store->coordinates[0] = literal_i32(0);
      redirect(*each, *parts.resources[place->part], std::move(place->index));
      return;
    }
    Block block;
    const auto let = [&](std::string_view name, ExpressionPtr expression) -> Variable& {
      auto made = variable(names_.make(name), expression->type, false);
      Variable& result = *made;
      block.push_back(declare(std::move(made), std::move(expression), each->range));
      return result;
    };
    Variable& index = let("at", std::move(at));
    Variable& stored = let("stored", std::move(value));
    value = read(stored);
    if (auto* store = std::get_if<ObjectStore>(&each->node)) store->coordinates[0] = read(index);
    Block chain;
    for (std::size_t part = parts.resources.size(); part-- > 0;) {
      VariableMap variables;
      StatementPtr copy = clone(*each, variables, names_);
      redirect(*copy, *parts.resources[part], within(parts, part, read(index)));
      Block own;
      own.push_back(std::move(copy));
      if (part + 1 < parts.resources.size()) {
        If choice{is_before(parts, part + 1, read(index)), std::move(own), std::move(chain)};
        own = Block();
        own.push_back(statement(std::move(choice), each->range));
      }
      chain = std::move(own);
    }
    for (StatementPtr& statement : chain) block.push_back(std::move(statement));
    each = statement(BlockStatement{std::move(block)}, each->range);
  }

  Module& module_;
  std::uint64_t max_bytes_, alignment_;
  const std::map<std::string, std::uint64_t>& buffer_bytes_;
  FreshNames names_;
  std::vector<std::unique_ptr<Resource>> replaced_;  // kept while the tree refers to them
  std::unordered_map<const Resource*, Parts> parts_;
  std::vector<BufferPart> made_;
  std::vector<std::unique_ptr<Function>> loads_;
  std::map<std::string, Function*> by_key_;
};

}  // namespace

std::vector<BufferPart> split_bindings(Module& module, std::uint64_t max_bytes, std::uint64_t alignment,
                                       const std::map<std::string, std::uint64_t>& buffer_bytes) {
  return BindingSplit(module, max_bytes, alignment, buffer_bytes).run();
}

}  // namespace driftwood::shader
