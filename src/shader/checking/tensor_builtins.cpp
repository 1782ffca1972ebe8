// Tensors and packed weights: coordinates become scalars, decoding becomes a call of the format's own function.
#include "shader/checking/checker_state.h"
#include "shader/checking/conversions.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"
#include "tensor/packed_weights.h"

namespace driftwood::shader::checking {

namespace {

constexpr std::size_t max_coordinates = 5;

bool is_vector(const Expression& expression) { return expression.type->as<VectorType>() != nullptr; }

/// Whether each component can be computed on its own at no more cost than the whole.
bool splits_freely(const Expression& expression) {
  if (!is_vector(expression)) return !has_side_effects(expression);
  if (as_literal(expression) || std::holds_alternative<VariableExpression>(expression.node)) return true;
  if (const auto* swizzled = std::get_if<Swizzle>(&expression.node)) return splits_freely(*swizzled->base);
  if (const auto* unary = std::get_if<Unary>(&expression.node)) return splits_freely(*unary->operand);
  if (const auto* converted = std::get_if<Convert>(&expression.node)) return splits_freely(*converted->operand);
  if (const auto* binary = std::get_if<Binary>(&expression.node)) {
    const bool scalars_are_plain = (is_vector(*binary->left) || as_literal(*binary->left) ||
                                    std::holds_alternative<VariableExpression>(binary->left->node)) &&
                                   (is_vector(*binary->right) || as_literal(*binary->right) ||
                                    std::holds_alternative<VariableExpression>(binary->right->node));
    return scalars_are_plain && splits_freely(*binary->left) && splits_freely(*binary->right);
  }
  if (const auto* construct = std::get_if<Construct>(&expression.node)) {
    if (construct->arguments.size() == 1) return false;
    for (const ExpressionPtr& argument : construct->arguments) {
      if (!splits_freely(*argument)) return false;
    }
    return true;
  }
  return false;
}

/// Component `k` of an expression that splits freely (or has no side effects).
ExpressionPtr component_of(const Expression& expression, int k) {
  if (!is_vector(expression)) return clone(expression);
  const TypePtr type = scalar_type(*scalar_of(expression.type));
  const auto at = static_cast<std::size_t>(k);
  if (const Literal* known = as_literal(expression)) {
    return build::literal(type, {known->components[at]}, expression.range);
  }
  if (const auto* swizzled = std::get_if<Swizzle>(&expression.node)) {
    return component_of(*swizzled->base, swizzled->components[at]);
  }
  if (const auto* unary = std::get_if<Unary>(&expression.node)) {
    return build::expression(type, Unary{unary->op, component_of(*unary->operand, k)}, expression.range);
  }
  if (const auto* converted = std::get_if<Convert>(&expression.node)) {
    return build::expression(type, Convert{component_of(*converted->operand, k)}, expression.range);
  }
  if (const auto* binary = std::get_if<Binary>(&expression.node)) {
    return build::expression(type, Binary{binary->op, component_of(*binary->left, k), component_of(*binary->right, k)},
                             expression.range);
  }
  if (const auto* construct = std::get_if<Construct>(&expression.node); construct && construct->arguments.size() > 1) {
    for (const ExpressionPtr& argument : construct->arguments) {
      const int width = width_of(argument->type);
      if (k < width) return component_of(*argument, k);
      k -= width;
    }
  }
  return build::component(clone(expression), k);
}

/// What the language's questions about extents answer; known, since a kernel is checked for one specialisation.
std::uint32_t extent(Builtin builtin, const TensorDescriptor& tensor) {
  switch (builtin) {
    case Builtin::TensorSlices: return tensor.shape.slices();
    case Builtin::TensorChannels: return tensor.shape.c;
    case Builtin::TensorWidth: return tensor.shape.w;
    case Builtin::TensorHeight: return tensor.shape.h;
    case Builtin::TensorDepth: return tensor.shape.d;
    default: return tensor.shape.b;
  }
}

std::uint32_t extent(Builtin builtin, const WeightsDescriptor& weights) {
  switch (builtin) {
    case Builtin::WeightsRows: return weights.rows;
    case Builtin::WeightsColumns: return weights.columns;
    default: return units_per_row(weights);
  }
}

}  // namespace

Resource* Checker::find_handle(const syntax::Expression& source) {
  const auto* name = std::get_if<syntax::Name>(&source.node);
  if (!name || !name->arguments.empty()) return nullptr;
  const Entity entity = look_up(name->text, source.range);
  auto* const* resource = std::get_if<Resource*>(&entity);
  if (!resource) return nullptr;
  const bool is_handle = (*resource)->kind == Resource::Kind::Tensor || (*resource)->kind == Resource::Kind::Weights;
  return is_handle ? *resource : nullptr;
}

Resource& Checker::handle_argument(const syntax::Call& call, Resource::Kind kind, SourceRange range) {
  const auto& name = std::get<syntax::Name>(call.callee->node).text;
  const std::string wanted = kind == Resource::Kind::Tensor ? "a tensor" : "weights";
  if (call.arguments.empty()) fail(range, quoted(name) + " takes " + wanted + " as its first argument.");
  const syntax::Expression& first = *call.arguments[0];
  Resource* resource = find_handle(first);
  if (!resource || resource->kind != kind) {
    const std::string found = resource ? to_string(resource->type) : to_string(expression(first)->type);
    fail(first.range, quoted(name) + " takes " + wanted + " as its first argument, not " + found + ".");
  }
  return *resource;
}

ExpressionPtr Checker::integer_argument(ExpressionPtr argument, std::string_view what) {
  argument = make_concrete(std::move(argument));
  const auto scalar = width_of(argument->type) > 0 ? scalar_of(argument->type) : std::nullopt;
  if (!scalar || !is_integer(*scalar) || argument->type->as<AtomicType>()) {
    fail(argument->range, std::string(what) + " is i32 or u32, not " + to_string(argument->type) + ".");
  }
  return argument;
}

ExpressionPtr Checker::hoist(ExpressionPtr value) {
  auto variable = build::variable("coordinate", value->type, false);
  variable->range = value->range;
  const SourceRange range = value->range;
  ExpressionPtr use = build::expression(value->type, VariableExpression{variable.get()}, range);
  context_.sink->push_back(build::declare(std::move(variable), std::move(value), range));
  return use;
}

void Checker::flatten_coordinate(ExpressionPtr coordinate, std::vector<ExpressionPtr>& out) {
  if (!is_vector(*coordinate)) {
    out.push_back(std::move(coordinate));
    return;
  }
  if (!splits_freely(*coordinate)) {
    if (context_.sink) {
      coordinate = hoist(std::move(coordinate));
    } else if (has_side_effects(*coordinate)) {
      fail(coordinate->range,
           "A vector that a function computes cannot be a coordinate here; store it with 'let' first.");
    }
  }
  for (int k = 0; k < width_of(coordinate->type); ++k) out.push_back(component_of(*coordinate, k));
}

ExpressionPtr Checker::call_tensor(Builtin builtin, const syntax::Call& call, SourceRange range) {
  Resource& tensor = handle_argument(call, Resource::Kind::Tensor, range);
  const bool stores = builtin == Builtin::TensorStore;
  const bool loads = builtin == Builtin::TensorLoad || builtin == Builtin::TensorLoadHalves;
  const Scalar value_scalar = tensor.type->as<TensorType>()->value;
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(build::expression(tensor.type, ResourceExpression{&tensor}, call.arguments[0]->range));
  if (!stores && !loads) {
    expect_arguments(call, 1, range);
    return build::literal_u32(extent(builtin, *tensor.tensor), range);
  }
  const Access forbidden = stores ? Access::Read : Access::Write;
  if (tensor.access == forbidden) {
    fail(range,
         "The tensor " + quoted(tensor.name) + " is only " + (stores ? "read" : "written") +
             "; declare it '@tensor var<" + (stores ? "write" : "read") + ">' or 'var<read_write>'.",
         {{tensor.range, "It is declared here."}});
  }
  const bool has_halves = tensor.tensor->data_type == DataType::F16 && tensor.tensor->storage == StorageKind::Buffer;
  if (builtin == Builtin::TensorLoadHalves && !has_halves) {
    fail(range,
         "'tensorLoadHalves' takes a tensor stored as f16 in buffers; " + quoted(tensor.name) + " is stored as " +
             std::string(to_string(tensor.tensor->data_type)) + " in objects of kind " +
             std::string(to_string(tensor.tensor->storage)) + ".",
         {{tensor.range, "It is declared here."}});
  }
  const std::size_t last = call.arguments.size() - (stores ? 1 : 0);
  if (stores && call.arguments.size() < 2) fail(range, "'tensorStore' takes a tensor, coordinates and a value.");
  for (std::size_t i = 1; i < last; ++i) {
    flatten_coordinate(integer_argument(value(*call.arguments[i]), "A coordinate of a tensor"), arguments);
  }
  const std::size_t count = arguments.size() - 1;
  if (count < 1 || count > max_coordinates) {
    fail(range,
         "A tensor takes 1 to 5 coordinates, (b, y, x, d, slice) at most; " + std::to_string(count) + " are given.");
  }
  const TypePtr texel =
      builtin == Builtin::TensorLoadHalves ? vector_type(Scalar::U32, 2) : vector_type(value_scalar, 4);
  if (stores) arguments.push_back(convert(value(*call.arguments[last]), texel, "the stored value"));
  return build::expression(stores ? void_type() : texel, BuiltinCall{builtin, std::move(arguments)}, range);
}

ExpressionPtr Checker::call_weights(Builtin builtin, const syntax::Call& call, SourceRange range) {
  Resource& weights = handle_argument(call, Resource::Kind::Weights, range);
  const int width = weights.type->as<WeightsType>()->width;
  const bool is_run = builtin == Builtin::WeightsWords;
  const bool is_word = is_run || builtin == Builtin::WeightsWord;
  const bool is_scale = builtin == Builtin::WeightsRowScale;
  const bool is_part = builtin == Builtin::WeightsLoadPart;
  const bool decodes = is_part || builtin == Builtin::WeightsLoad || builtin == Builtin::WeightsLoadChunk;
  expect_arguments(call, is_word || is_part ? 4 : decodes ? 3 : is_scale ? 2 : 1, range);
  if (is_scale && !info(weights.weights->format).has_row_scale()) {
    fail(range, "'weightsRowScale' takes weights with one scale a row; " + quoted(weights.name) + " is " +
                    std::string(to_string(weights.weights->format)) + ".");
  }
  if (!decodes && !is_word && !is_scale) return build::literal_u32(extent(builtin, *weights.weights), range);
  if (is_run && width > 1) fail(range, quoted(to_string(builtin)) + " does not take " + to_string(weights.type) + ".");
  if (decodes && is_part != (width > 1)) {
    fail(range, quoted(to_string(builtin)) + " does not take " + to_string(weights.type) + "; " +
                    (is_part ? "it takes weights<vec16<f32>>." : "use 'weightsLoadPart'."));
  }
  std::vector<ExpressionPtr> arguments;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    ExpressionPtr argument = integer_argument(value(*call.arguments[i]), "An index into weights");
    if (is_vector(*argument)) fail(argument->range, "An index into weights is a scalar.");
    arguments.push_back(std::move(argument));
  }
  if (decodes) return decode_weights(builtin, weights, std::move(arguments), range);
  arguments.insert(arguments.begin(),
                   build::expression(weights.type, ResourceExpression{&weights}, call.arguments[0]->range));
  const Scalar scalar = is_scale ? Scalar::F32 : Scalar::U32;
  return build::expression(numeric_type(scalar, is_run ? 4 : width), BuiltinCall{builtin, std::move(arguments)}, range);
}

/// A call of `load`, `load_chunk` or `load_part` in the module of the weights' format.
ExpressionPtr Checker::decode_weights(Builtin builtin, Resource& weights, std::vector<ExpressionPtr> arguments,
                                      SourceRange range) {
  const bool is_part = builtin == Builtin::WeightsLoadPart;
  const bool is_chunk = builtin == Builtin::WeightsLoadChunk;
  const std::string module_path = std::string(is_part ? "package::wide_formats::" : "package::formats::") +
                                  std::string(to_string(weights.weights->format));
  const std::string name = is_part ? "load_part" : is_chunk ? "load_chunk" : "load";
  const LinkedFile& module = program_.require(module_path, range);
  const Symbol symbol = program_.find(module, name);
  const auto* declared = symbol.declaration ? std::get_if<syntax::Function>(&symbol.declaration->node) : nullptr;
  if (!declared) fail(range, "The module " + quoted(module_path) + " declares no function " + quoted(name) + ".");
  const Entity entity = resolve(symbol, range);
  SourceFunction& source = *std::get<SourceFunction*>(entity);
  const TypePtr vec4f = vector_type(Scalar::F32, 4);
  const TypePtr expected = is_part    ? array_type(vector_type(Scalar::F32, 16), 4)
                           : is_chunk ? array_type(vec4f, 8)
                                      : vec4f;
  const Scalar value = weights.type->as<WeightsType>()->value;
  const auto& types = source.parameter_types;
  bool fits = types.size() == arguments.size() + 1 && types[0]->as<WeightsType>() && same_type(source.result, expected);
  for (std::size_t i = 1; fits && i < types.size(); ++i) fits = width_of(types[i]) == 1;
  if (!fits) {
    fail(declared->signature,
         quoted(name) + " of a format takes weights and " + std::to_string(arguments.size()) + " indices and returns " +
             to_string(expected) + ".",
         {{range, "It is needed here."}});
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const SourceRange at = arguments[i]->range;
    arguments[i] = construct_scalar(types[i + 1], std::move(arguments[i]), at);
  }
  Function& function = instantiate(source, {&weights}, range);
  ExpressionPtr decoded = build::expression(expected, FunctionCall{&function, std::move(arguments)}, range);
  if (value == Scalar::F32) return decoded;
  if (is_chunk) fail(range, "'weightsLoadChunk' takes weights<f32>; these are " + to_string(weights.type) + ".");
  return build::expression(vector_type(value, 4), Convert{std::move(decoded)}, range);
}

}  // namespace driftwood::shader::checking
