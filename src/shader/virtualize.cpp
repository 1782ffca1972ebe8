#include "shader/virtualize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "shader/address.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "tensor/packed_weights.h"
#include "tensor/storage.h"

namespace driftwood::shader {
namespace {

// The axes of a position in the order of tensorLoad's arguments, by how many there are.
constexpr std::array<std::array<Axis, 5>, 5> argument_axes = {{
    {Axis::S},
    {Axis::W, Axis::S},
    {Axis::H, Axis::W, Axis::S},
    {Axis::B, Axis::H, Axis::W, Axis::S},
    {Axis::B, Axis::H, Axis::W, Axis::D, Axis::S},
}};

class Virtualizer {
 public:
  explicit Virtualizer(Module& module) : module_(module), names_(module) {}

  void run() {
    replace_resources();
    for (const auto& function : module_.functions) {
      rewrite_statements(function->body, [&](StatementPtr& each) { rewrite_store(each); });
    }
    rewrite_expressions(module_, [&](ExpressionPtr& each) { rewrite(each); });
    // Accesses call nothing, so that they may come before all others.
    module_.functions.insert(module_.functions.begin(), std::make_move_iterator(accesses_.begin()),
                             std::make_move_iterator(accesses_.end()));
  }

 private:
  // ---- resources ----------------------------------------------------------------------------------------------

  void replace_resources() {
    std::vector<std::unique_ptr<Resource>> before = std::move(module_.resources);
    module_.resources.clear();
    for (std::unique_ptr<Resource>& resource : before) {
      if (resource->kind == Resource::Kind::Tensor) {
        add_objects(*resource);
        replaced_.push_back(std::move(resource));
        continue;
      }
      if (resource->kind == Resource::Kind::Weights) make_storage(*resource);
      append(std::move(resource));
    }
  }

  Resource* append(std::unique_ptr<Resource> resource) {
    resource->binding = static_cast<std::uint32_t>(module_.resources.size());
    module_.resources.push_back(std::move(resource));
    return module_.resources.back().get();
  }

  void add_objects(const Resource& resource) {
    const TensorDescriptor& descriptor = tensor_of(resource);
    const auto extent = object_extents(descriptor);
    for (std::uint32_t i = 0; i < descriptor.objects; ++i) {
      auto object = std::make_unique<Resource>();
      object->name = descriptor.objects == 1 ? resource.name : names_.make(fmt::format("{}_{}", resource.name, i));
      object->kind = Resource::Kind::Object;
      object->access = resource.access;
      object->type = value_type(resource);
      object->range = resource.range;
      object->tensor = descriptor;
      object->storage = descriptor.storage;
      object->texel = descriptor.data_type;
      object->extent = extent;
      objects_[&resource].push_back(append(std::move(object)));
    }
  }

  static void make_storage(Resource& resource) {
    if (!resource.weights) throw InternalError(fmt::format("The weights '{}' have no descriptor.", resource.name));
    packed_size(*resource.weights);
    resource.kind = Resource::Kind::Storage;
    resource.type = array_type(scalar_type(Scalar::U32), std::nullopt);
  }

  static const TensorDescriptor& tensor_of(const Resource& resource) {
    if (!resource.tensor) throw InternalError(fmt::format("The tensor '{}' has no descriptor.", resource.name));
    return *resource.tensor;
  }

  static TypePtr value_type(const Resource& tensor) { return vector_type(tensor.type->as<TensorType>()->value, 4); }

  // The resource that the first argument names.
  static Resource& resource_of(const BuiltinCall& call) {
    if (const auto* const node = std::get_if<ResourceExpression>(&call.arguments.at(0)->node)) return *node->resource;
    throw InternalError(fmt::format("The argument of '{}' names no resource.", to_string(call.builtin)));
  }

  // ---- tensors ------------------------------------------------------------------------------------------------

  using Position = std::array<ExpressionPtr, 5>;  // by Axis; null: 0

  static Position position_of(std::vector<ExpressionPtr> scalars) {
    if (scalars.empty() || scalars.size() > 5)
      throw InternalError("A tensor is accessed with 0 or more than 5 coordinates.");
    Position position;
    const auto& axes = argument_axes[scalars.size() - 1];
    for (std::size_t i = 0; i < scalars.size(); ++i)
      position[static_cast<std::size_t>(axes[i])] = std::move(scalars[i]);
    return position;
  }

  static std::vector<ExpressionPtr> object_coordinates(const TensorDescriptor& descriptor, const Position& position,
                                                       Scalar scalar) {
    std::vector<ExpressionPtr> result;
    const auto expressions = coordinates(descriptor);
    for (int i = 0; i < coordinate_count(descriptor.storage); ++i) {
      const CoordinateExpression& expression = expressions[static_cast<std::size_t>(i)];
      result.push_back(address::as(Scalar::I32, address::substitute(expression, position, scalar)));
    }
    return result;
  }

  // An access to a tensor: a load where `value` is null, else a store. Not both of the results are set.
  struct Access {
    ExpressionPtr load;
    StatementPtr store;
  };

  static Access access_object(Resource& object, const TypePtr& loaded, std::vector<ExpressionPtr> coordinates,
                              ExpressionPtr value, SourceRange range) {
    if (!value) return {build::expression(loaded, ObjectLoad{&object, std::move(coordinates)}, range), nullptr};
    return {nullptr, build::statement(ObjectStore{&object, std::move(coordinates), std::move(value)}, range)};
  }

  // In place where the object is known and the arguments can be moved into the coordinates; else a call of a function.
  Access access(Resource& tensor, const TypePtr& loaded, std::span<ExpressionPtr> arguments, ExpressionPtr value,
                SourceRange range) {
    const TensorDescriptor& descriptor = tensor_of(tensor);
    std::vector<ExpressionPtr> scalars = address::flatten(arguments);
    const Scalar scalar = address::common_type(scalars);
    const Position position = position_of(std::move(scalars));
    const ExpressionPtr object = address::substitute(object_index(descriptor), position, scalar);
    const auto known = integer_value(*object);
    bool in_place = known.has_value();
    for (const ExpressionPtr& argument : arguments) {
      in_place &= address::is_movable(*argument);
      if (width_of(argument->type) > 1) in_place &= !repeats_work(*argument);
    }
    if (in_place) {
      Resource& target = *objects_.at(&tensor)[static_cast<std::size_t>(*known)];
      return access_object(target, loaded, object_coordinates(descriptor, position, scalar), std::move(value), range);
    }
    Function& function = access_function(tensor, loaded, arguments, value != nullptr);
    std::vector<ExpressionPtr> passed;
    for (ExpressionPtr& argument : arguments) passed.push_back(std::move(argument));
    const bool is_store = value != nullptr;
    if (is_store) passed.push_back(std::move(value));
    ExpressionPtr call = build::call(function, std::move(passed));
    call->range = range;
    if (!is_store) return {std::move(call), nullptr};
    return {nullptr, build::statement(CallStatement{std::move(call)}, range)};
  }

  // Whether taking the components of a vector one by one computes something several times.
  static bool repeats_work(const Expression& vector) {
    bool repeats = false;
    visit_expressions(vector, [&](const Expression& each) {
      repeats |= std::holds_alternative<BuiltinCall>(each.node) || std::holds_alternative<FunctionCall>(each.node) ||
                 std::holds_alternative<ObjectLoad>(each.node);
    });
    return repeats;
  }

  // fn x_load(arguments...) -> vec4 or fn x_store(arguments..., value: vec4): one for each list of argument types.
  Function& access_function(Resource& tensor, const TypePtr& loaded, std::span<ExpressionPtr> arguments,
                            bool is_store) {
    const bool is_halves = !is_store && !same_type(loaded, value_type(tensor));
    std::string key = tensor.name + (is_store ? "_store" : is_halves ? "_load_halves" : "_load");
    const std::string name = key;
    for (const ExpressionPtr& argument : arguments) key += ' ' + to_string(argument->type);
    if (const auto found = by_key_.find(key); found != by_key_.end()) return *found->second;

    const TensorDescriptor& descriptor = tensor_of(tensor);
    auto function = std::make_unique<Function>();
    function->name = names_.make(name);
    function->range = tensor.range;
    function->result = is_store ? void_type() : loaded;
    std::vector<ExpressionPtr> parameters;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool is_slice = i + 1 == arguments.size() && width_of(arguments[i]->type) == 1;
      Variable& parameter = add_parameter(*function, is_slice ? "slice" : "at", arguments[i]->type);
      parameters.push_back(build::read(parameter));
    }
    Variable* const value = is_store ? &add_parameter(*function, "value", value_type(tensor)) : nullptr;

    std::vector<ExpressionPtr> scalars = address::flatten(parameters);
    const Scalar scalar = address::common_type(scalars);
    const Position position = position_of(std::move(scalars));
    const auto access_number = [&](std::uint32_t number) {
      Access access =
          access_object(*objects_.at(&tensor)[number], loaded, object_coordinates(descriptor, position, scalar),
                        value ? build::read(*value) : nullptr, {});
      Block block;
      block.push_back(value ? std::move(access.store) : build::statement(Return{std::move(access.load)}));
      return block;
    };
    // if slice % 4 == 0 { ... } else if ...: the last object takes what is left.
    const std::uint32_t last = std::min(descriptor.objects, descriptor.shape.slices()) - 1;
    Block body = access_number(last);
    for (std::uint32_t number = last; number-- > 0;) {
      ExpressionPtr condition =
          build::binary(BinaryOp::Equal, address::substitute(object_index(descriptor), position, scalar),
                        address::constant(scalar, number));
      Block chain;
      If choice{std::move(condition), access_number(number), {}};
      if (value != nullptr) {
        choice.else_block = std::move(body);
        chain.push_back(build::statement(std::move(choice)));
      } else {  // each branch returns
        chain.push_back(build::statement(std::move(choice)));
        for (StatementPtr& each : body) chain.push_back(std::move(each));
      }
      body = std::move(chain);
    }
    function->body = std::move(body);
    return add_access(std::move(function), key);
  }

  Variable& add_parameter(Function& function, std::string_view name, TypePtr type) {
    auto parameter = build::variable(names_.make(name), std::move(type), false);
    parameter->is_parameter = true;
    function.parameters.push_back(std::move(parameter));
    return *function.parameters.back();
  }

  Function& add_access(std::unique_ptr<Function> function, const std::string& key) {
    accesses_.push_back(std::move(function));
    by_key_[key] = accesses_.back().get();
    return *accesses_.back();
  }

  // ---- weights ------------------------------------------------------------------------------------------------

  // The index of WeightsDescriptor with constants joined:
  //   row / G * (words of a row * G) + unit * (words of a unit * G) + word * G + row % G
  // `arguments` are row, unit and word; of a scale, which follows the units, the row alone. Wide weights
  // (weights<vec16<f32>>) count rows in sixteens and words of sixteen rows as one: G is a sixteenth then.
  static ExpressionPtr word_index(const WeightsDescriptor& descriptor, std::uint32_t width,
                                  std::span<const ExpressionPtr> arguments, bool is_run = false) {
    using namespace address;
    const auto copy = [](const ExpressionPtr& each) { return as(Scalar::U32, clone(*each)); };
    const ExpressionPtr& row = arguments[0];
    const std::uint32_t group = descriptor.row_group / width;
    const std::uint32_t units = units_per_row(descriptor);
    const PackedFormat& format = packed_format(descriptor.format);
    const std::uint32_t words = format.words_per_unit;
    const bool one_group = descriptor.rows <= descriptor.row_group;
    const auto group_number = [&] { return one_group ? constant(Scalar::U32, 0) : divide(copy(row), group); };
    ExpressionPtr index;
    if (format.words_per_row == 0) {
      index = multiply(group_number(), units);
      if (units > 1) index = add(std::move(index), copy(arguments[1]));
      index = multiply(std::move(index), words * group);
    } else {
      index = multiply(group_number(), static_cast<std::uint32_t>(words_per_row(descriptor)) * group);
      const bool is_scale = arguments.size() == 1;
      if (is_scale) index = add(std::move(index), constant(Scalar::U32, units * words * group));
      if (!is_scale && units > 1) index = add(std::move(index), multiply(copy(arguments[1]), words * group));
    }
    const auto place_in_group = [&] { return one_group ? copy(row) : remainder(copy(row), group); };
    if (is_run) {  // the word is the number of a run, behind words that make no whole one
      const std::uint32_t lead = words % words_of_run;
      index = add(std::move(index), multiply(copy(arguments[2]), words_of_run * group));
      index = add(std::move(index), constant(Scalar::U32, lead * group));
      return add(std::move(index), multiply(place_in_group(), descriptor.word_run));
    }
    if (descriptor.word_run > 1 && width == 1 && arguments.size() > 1) {
      return add(std::move(index), word_in_runs(descriptor, copy(arguments[2]), place_in_group()));
    }
    if (arguments.size() > 1) index = add(std::move(index), multiply(copy(arguments[2]), group));
    if (group == 1) return index;
    return add(std::move(index), place_in_group());
  }

  // word - lead, for a word that is no less; taken from a constant in the sum, where there is one that is large enough.
  static ExpressionPtr beyond(const Expression& word, std::uint32_t lead) {
    using namespace address;
    if (const auto known = integer_value(word)) return constant(Scalar::U32, static_cast<std::uint32_t>(*known) - lead);
    const auto* sum = std::get_if<Binary>(&word.node);
    if (sum != nullptr && sum->op == BinaryOp::Add) {
      for (const auto& [part, rest] : {std::pair(&sum->left, &sum->right), std::pair(&sum->right, &sum->left)}) {
        const auto known = integer_value(**part);
        if (known && *known >= lead)
          return add(clone(**rest), constant(Scalar::U32, static_cast<std::uint32_t>(*known) - lead));
        const auto* inner = std::get_if<Binary>(&(*part)->node);
        const bool has_constant = inner != nullptr && inner->op == BinaryOp::Add &&
                                  (integer_value(*inner->left) >= lead || integer_value(*inner->right) >= lead);
        if (has_constant) return add(beyond(**part, lead), clone(**rest));
      }
    }
    return build::expression(word.type, Binary{BinaryOp::Subtract, clone(word), constant(Scalar::U32, lead)});
  }

  static constexpr std::uint32_t words_of_run = 4;  // that weightsWords reads

  // Where a word of a unit lies in it, with runs of words: L words one by one, then runs.
  static ExpressionPtr word_in_runs(const WeightsDescriptor& descriptor, ExpressionPtr word, ExpressionPtr row) {
    using namespace address;
    const std::uint32_t run = descriptor.word_run, group = descriptor.row_group;
    const std::uint32_t lead = packed_format(descriptor.format).words_per_unit % run;
    const auto alone = [&] { return add(multiply(clone(*word), group), clone(*row)); };
    const auto in_run = [&] {
      ExpressionPtr rest = lead == 0 ? clone(*word) : beyond(*word, lead);
      ExpressionPtr place = add(multiply(divide(clone(*rest), run), run * group), multiply(clone(*row), run));
      return add(add(std::move(place), remainder(std::move(rest), run)), constant(Scalar::U32, lead * group));
    };
    // A word that is known only when the kernel runs is one of a run: fields that come first are read by their names.
    const auto known = integer_value(*word);
    return known && *known < lead ? alone() : in_run();
  }

  // Four words from the one at the index; the call stays, so that an emitter may load them as one vector.
  static ExpressionPtr words_at(Resource& weights, const Expression& index, SourceRange range) {
    const std::uint32_t step = weights.weights->word_run > 1 ? 1 : weights.weights->row_group;
    std::vector<ExpressionPtr> words;
    for (std::uint32_t i = 0; i < words_of_run; ++i) {
      words.push_back(word_at(weights, address::add(clone(index), address::constant(Scalar::U32, i * step)), range));
    }
    return build::expression(vector_type(Scalar::U32, 4), BuiltinCall{Builtin::WeightsWords, std::move(words)}, range);
  }

  static ExpressionPtr word_at(Resource& weights, ExpressionPtr index, SourceRange range) {
    auto words = build::expression(weights.type, ResourceExpression{&weights}, range, true);
    return build::index(std::move(words), std::move(index));
  }

  // How many rows one word holds: 1, or the width of wide weights, whose storage is of vectors then.
  static std::uint32_t widen(Resource& weights, const TypePtr& word) {
    const auto width = static_cast<std::uint32_t>(width_of(word));
    if (width == 1) return 1;
    if (weights.weights->row_group % width != 0) {
      throw InvalidInput(fmt::format("The weights '{}' interleave {} rows, but are read {} rows at once.", weights.name,
                                     weights.weights->row_group, width));
    }
    weights.type = array_type(word, std::nullopt);
    return width;
  }

  // A word of type `type` (u32, or a vector of them) where the row, unit and word in the call say, or a row's scale; or
  // a run of four words from there.
  ExpressionPtr weights_word(BuiltinCall& call, const TypePtr& type, SourceRange range) {
    Resource& weights = resource_of(call);
    const bool is_run = call.builtin == Builtin::WeightsWords;
    const std::uint32_t width = is_run ? 1 : widen(weights, type);
    const auto read_at = [&](ExpressionPtr index) {
      return is_run ? words_at(weights, *index, range) : word_at(weights, std::move(index), range);
    };
    const std::span<ExpressionPtr> arguments = std::span(call.arguments).subspan(1);
    const bool row_twice = weights.weights->row_group > width && weights.weights->rows > weights.weights->row_group;
    if (std::ranges::all_of(arguments, [](const ExpressionPtr& each) { return address::is_movable(*each); }) &&
        (!row_twice || address::is_cheap(*arguments[0]))) {
      return read_at(word_index(*weights.weights, width, arguments, is_run));
    }
    const std::string name = weights.name + (arguments.size() == 1 ? "_scale" : is_run ? "_words" : "_word");
    // A word that is known stays so: where it lies in its unit depends on it.
    const auto known = [](const ExpressionPtr& argument) { return integer_value(*argument); };
    std::string key = name;
    for (const ExpressionPtr& argument : arguments) {
      key += ' ' + (known(argument) ? fmt::format("{}", *known(argument)) : to_string(argument->type));
    }
    Function* function = by_key_.contains(key) ? by_key_.at(key) : nullptr;
    if (function == nullptr) {
      auto fresh = std::make_unique<Function>();
      fresh->name = names_.make(name);
      fresh->range = weights.range;
      fresh->result = type;
      constexpr std::array<std::string_view, 3> parameter_names = {"row", "unit", "word"};
      std::vector<ExpressionPtr> parameters;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        parameters.push_back(known(arguments[i])
                                 ? clone(*arguments[i])
                                 : build::read(add_parameter(*fresh, parameter_names[i], arguments[i]->type)));
      }
      ExpressionPtr read = read_at(word_index(*weights.weights, width, parameters, is_run));
      fresh->body.push_back(build::statement(Return{std::move(read)}));
      function = &add_access(std::move(fresh), key);
    }
    std::vector<ExpressionPtr> passed;
    for (ExpressionPtr& argument : arguments) {
      if (!known(argument)) passed.push_back(std::move(argument));
    }
    auto result = build::call(*function, std::move(passed));
    result->range = range;
    return result;
  }

  // (ring, step, target, offset, w, row, block, blocks) as a copy of the words of those blocks of the row's group,
  // which lie one after another; or (..., block, first, words) of these words of the block.
  static ExpressionPtr weights_stage_copy(BuiltinCall& call, SourceRange range) {
    std::vector<ExpressionPtr>& given = call.arguments;
    Resource& weights = *std::get<ResourceExpression>(given[4]->node).resource;
    const std::uint32_t rows = weights.weights->row_group;
    const bool is_of_part = given.size() == 9;
    std::vector<ExpressionPtr> place;
    place.push_back(std::move(given[5]));
    place.push_back(std::move(given[6]));
    place.push_back(build::literal_u32(0));
    ExpressionPtr index = word_index(*weights.weights, 1, place);
    if (is_of_part) index = address::add(std::move(index), address::multiply(std::move(given[7]), rows));
    const std::uint32_t words = is_of_part ? rows : packed_format(weights.weights->format).words_per_unit * rows;
    ExpressionPtr count = address::multiply(std::move(given.back()), words);
    auto source = build::expression(weights.type, ResourceExpression{&weights}, range, true);
    const TypePtr pointer = pointer_type(AddressSpace::Storage, weights.type, shader::Access::Read);
    ExpressionPtr address = build::expression(pointer, AddressOf{std::move(source)}, range);
    std::vector<ExpressionPtr> arguments;
    for (std::size_t i = 0; i < 4; ++i) arguments.push_back(std::move(given[i]));
    arguments.push_back(std::move(address));
    arguments.push_back(std::move(index));
    arguments.push_back(std::move(count));
    return build::expression(void_type(), BuiltinCall{Builtin::StageCopy, std::move(arguments)}, range);
  }

  // Scales are floats among the words.
  ExpressionPtr weights_row_scale(BuiltinCall& call, const TypePtr& type, SourceRange range) {
    const int width = width_of(type);
    const TypePtr word = width == 1 ? scalar_type(Scalar::U32) : vector_type(Scalar::U32, width);
    return build::expression(type, Bitcast{weights_word(call, word, range)}, range);
  }

  // ---- the tree -----------------------------------------------------------------------------------------------

  void rewrite_store(StatementPtr& statement) {
    auto* const node = std::get_if<CallStatement>(&statement->node);
    if (node == nullptr) return;
    auto* const call = std::get_if<BuiltinCall>(&node->call->node);
    if (call == nullptr || call->builtin != Builtin::TensorStore) return;
    Resource& tensor = resource_of(*call);
    const auto arguments = std::span(call->arguments);
    ExpressionPtr value = std::move(arguments.back());
    statement = std::move(
        access(tensor, void_type(), arguments.subspan(1, arguments.size() - 2), std::move(value), statement->range)
            .store);
  }

  void rewrite(ExpressionPtr& expression) {
    auto* const call = std::get_if<BuiltinCall>(&expression->node);
    if (call == nullptr) return;
    const auto literal = [&](std::uint32_t value) { expression = build::literal_u32(value, expression->range); };
    switch (call->builtin) {
      case Builtin::TensorLoad:
      case Builtin::TensorLoadHalves: {
        Resource& tensor = resource_of(*call);
        const TypePtr loaded = expression->type;
        expression =
            std::move(access(tensor, loaded, std::span(call->arguments).subspan(1), nullptr, expression->range).load);
        break;
      }
      case Builtin::TensorSlices: literal(tensor_of(resource_of(*call)).shape.slices()); break;
      case Builtin::TensorChannels: literal(tensor_of(resource_of(*call)).shape.c); break;
      case Builtin::TensorWidth: literal(tensor_of(resource_of(*call)).shape.w); break;
      case Builtin::TensorHeight: literal(tensor_of(resource_of(*call)).shape.h); break;
      case Builtin::TensorDepth: literal(tensor_of(resource_of(*call)).shape.d); break;
      case Builtin::TensorBatch: literal(tensor_of(resource_of(*call)).shape.b); break;
      case Builtin::WeightsRows: literal(resource_of(*call).weights->rows); break;
      case Builtin::WeightsColumns: literal(resource_of(*call).weights->columns); break;
      case Builtin::WeightsBlocks: literal(units_per_row(*resource_of(*call).weights)); break;
      case Builtin::WeightsWords:
      case Builtin::WeightsWord: expression = weights_word(*call, expression->type, expression->range); break;
      case Builtin::WeightsStageCopy: expression = weights_stage_copy(*call, expression->range); break;
      case Builtin::WeightsRowScale: expression = weights_row_scale(*call, expression->type, expression->range); break;
      default: break;
    }
  }

  Module& module_;
  FreshNames names_;
  std::vector<std::unique_ptr<Resource>> replaced_;  // kept while the tree refers to them
  std::unordered_map<const Resource*, std::vector<Resource*>> objects_;
  std::vector<std::unique_ptr<Function>> accesses_;
  std::map<std::string, Function*> by_key_;
};

}  // namespace

void virtualize(Module& module) { Virtualizer(module).run(); }

}  // namespace driftwood::shader
