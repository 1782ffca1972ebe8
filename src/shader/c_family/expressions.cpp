#include <algorithm>
#include <utility>

#include "base/error.h"
#include "shader/c_family/printer.h"
#include "shader/ir_build.h"
#include "shader/ir_walk.h"

namespace driftwood::shader::c_family {

namespace {

// Of vectors of up to four components; the others count in hexadecimal: v.sA.
std::string component_name(const TypePtr& vector, std::size_t component) {
  if (width_of(vector) <= 4) return std::string(1, "xyzw"[component & 3]);
  return std::string("s") + "0123456789abcdef"[component & 15];
}

std::string swizzle_name(const TypePtr& vector, const Swizzle& node) {
  std::string letters = width_of(vector) > 4 ? "s" : "";
  for (int i = 0; i < node.count; ++i) {
    letters += component_name(vector, node.components[static_cast<std::size_t>(i)]).back();
  }
  return letters;
}

// "*p" may be followed by a member with "->".
Code member_of(const Code& base, const std::string& member) {
  if (base.precedence == Precedence::Unary && base.text[0] == '*') {
    return {base.text.substr(1) + "->" + member, Precedence::Postfix};
  }
  return {base.at_least(Precedence::Postfix) + "." + member, Precedence::Postfix};
}

}  // namespace

std::string Printer::argument(const Expression& expression) {
  return value(expression).at_least(Precedence::Assignment);
}

std::string Printer::address_text(const Expression& expression) {
  const bool outer = std::exchange(in_address_, true);
  std::string text = value(expression).text;
  in_address_ = outer;
  return text;
}

std::string Printer::array_length_name(const Resource& resource) const { return name(resource.name) + "_length"; }

Code Printer::element(const std::string& array, const Expression& index, AddressSpace) {
  return {array + "[" + address_text(index) + "]", Precedence::Postfix};
}

Code Printer::value(const Expression& expression) {
  if (!expression.is_reference) return value_of_node(expression);
  if (is_memory_half(expression.type)) {
    // Lowering gives every read of a half a conversion to f32 (optimize.h), so the float is what is wanted here.
    return {half_load(expression), Precedence::Postfix};
  }
  // A component of a mask is 0 or -1 where a bool is 0 or 1.
  if (const auto* swizzled = std::get_if<Swizzle>(&expression.node)) return swizzle(expression, *swizzled);
  if (const auto* indexed = std::get_if<Index>(&expression.node)) return index_value(expression, *indexed);
  return place(expression);
}

Code Printer::bitcast_value(const Expression& expression, const Bitcast& node) {
  return bitcast(value(*node.operand), node.operand->type, expression.type);
}

Code Printer::value_of_node(const Expression& expression) {
  const auto visit = [&](const auto& node) -> Code {
    using Node = std::decay_t<decltype(node)>;
    if constexpr (std::is_same_v<Node, Literal>) {
      return literal(expression.type, node);
    } else if constexpr (std::is_same_v<Node, Unary>) {
      return unary(expression, node);
    } else if constexpr (std::is_same_v<Node, Binary>) {
      return binary(expression, node);
    } else if constexpr (std::is_same_v<Node, BuiltinCall>) {
      return builtin(expression, node);
    } else if constexpr (std::is_same_v<Node, FunctionCall>) {
      return function_call(node);
    } else if constexpr (std::is_same_v<Node, Construct>) {
      return construct(expression, node);
    } else if constexpr (std::is_same_v<Node, Convert>) {
      return convert(expression, node);
    } else if constexpr (std::is_same_v<Node, Bitcast>) {
      return bitcast_value(expression, node);
    } else if constexpr (std::is_same_v<Node, Index>) {
      return index_value(expression, node);
    } else if constexpr (std::is_same_v<Node, Member>) {
      const auto* structure = node.base->type->template as<StructType>();
      const Code base = node.base->is_reference ? place(*node.base) : value(*node.base);
      return member_of(base, name(structure->fields[node.field].name));
    } else if constexpr (std::is_same_v<Node, Swizzle>) {
      return swizzle(expression, node);
    } else if constexpr (std::is_same_v<Node, AddressOf>) {
      return address(node);
    } else if constexpr (std::is_same_v<Node, ObjectLoad>) {
      return object_load(expression, node);
    } else {
      return place(expression);
    }
  };
  return std::visit(visit, expression.node);
}

Code Printer::place(const Expression& reference) {
  if (const auto* read = std::get_if<VariableExpression>(&reference.node)) {
    const Variable& variable = *read->variable;
    const std::string printed = name(variable.name);
    const bool in_module = variable.space == AddressSpace::Workgroup || variable.space == AddressSpace::Private;
    if (!in_module || current_ == nullptr || current_->is_entry_point) return {printed};
    const bool decays = variable.type->as<ArrayType>() != nullptr && !is_wrapped(variable.type);
    return decays ? Code{printed} : Code{"*" + printed, Precedence::Unary};
  }
  if (const auto* read = std::get_if<ResourceExpression>(&reference.node)) {
    const Resource& resource = *read->resource;
    const bool decays = resource.type->as<ArrayType>() != nullptr && !is_wrapped(resource.type);
    return decays ? Code{name(resource.name)} : Code{"*" + name(resource.name), Precedence::Unary};
  }
  if (const auto* index = std::get_if<Index>(&reference.node)) {
    if (width_of(index->base->type) > 1) {
      if (const auto at = integer_value(*index->index)) {
        const Code base = index->base->is_reference ? place(*index->base) : value(*index->base);
        return member_of(base, component_name(index->base->type, static_cast<std::size_t>(*at)));
      }
    }
    const auto known = integer_value(*index->index);
    const std::string at = known ? std::to_string(*known) : address_text(*index->index);
    const AddressSpace space = space_of(*index->base);
    const bool in_registers = space == AddressSpace::Function || space == AddressSpace::Private;
    if (width_of(index->base->type) > 1 && !(in_registers && indexes_vectors())) {
      return {element_pointer(*index->base) + "[" + at + "]", Precedence::Postfix};
    }
    const Code base = index->base->is_reference ? place(*index->base) : value(*index->base);
    if (is_wrapped(index->base->type)) return {member_of(base, "at").text + "[" + at + "]", Precedence::Postfix};
    if (!known) return element(base.at_least(Precedence::Postfix), *index->index, space);
    return {base.at_least(Precedence::Postfix) + "[" + at + "]", Precedence::Postfix};
  }
  if (const auto* member = std::get_if<Member>(&reference.node)) {
    const auto* structure = member->base->type->as<StructType>();
    return member_of(place(*member->base), name(structure->fields[member->field].name));
  }
  if (const auto* swizzled = std::get_if<Swizzle>(&reference.node)) {
    return member_of(place(*swizzled->base), swizzle_name(swizzled->base->type, *swizzled));
  }
  if (const auto* dereference = std::get_if<Dereference>(&reference.node)) {
    if (const auto* taken = std::get_if<AddressOf>(&dereference->pointer->node)) return place(*taken->reference);
    return {"*" + value(*dereference->pointer).at_least(Precedence::Unary), Precedence::Unary};
  }
  if (!reference.is_reference) return value_of_node(reference);
  throw InternalError("A reference of type " + to_string(reference.type) + " is none that " + std::string(language()) +
                      " can print.");
}

AddressSpace Printer::space_of(const Expression& reference) const {
  if (const Variable* variable = root_variable(reference)) {
    const auto* pointer = variable->type->as<PointerType>();
    return pointer != nullptr ? pointer->space : variable->space;
  }
  if (const Resource* resource = root_resource(reference)) {
    return resource->kind == Resource::Kind::Uniform ? AddressSpace::Uniform : AddressSpace::Storage;
  }
  const Expression* at = &reference;
  while (at != nullptr) {
    if (const auto* pointer = at->type->as<PointerType>()) return pointer->space;
    const Expression* next = nullptr;
    if (const auto* index = std::get_if<Index>(&at->node)) next = index->base.get();
    if (const auto* member = std::get_if<Member>(&at->node)) next = member->base.get();
    if (const auto* swizzled = std::get_if<Swizzle>(&at->node)) next = swizzled->base.get();
    if (const auto* dereference = std::get_if<Dereference>(&at->node)) next = dereference->pointer.get();
    at = next;
  }
  return AddressSpace::Function;
}

// "((__global float*)&x[i])", the components of a vector in memory as an array.
std::string Printer::element_pointer(const Expression& vector_reference) {
  const TypePtr element =
      is_mask(vector_reference.type) ? scalar_type(Scalar::I32) : scalar_type(*scalar_of(vector_reference.type));
  const Resource* resource = root_resource(vector_reference);
  const Access access = resource != nullptr && resource->access == Access::Read ? Access::Read : Access::ReadWrite;
  const TypePtr pointer = pointer_type(space_of(vector_reference), element, access);
  return "((" + declaration(pointer, "") + ")&" + place(vector_reference).at_least(Precedence::Unary) + ")";
}

Code Printer::component(const Expression& expression, const Expression& base, int component) {
  if (is_memory_half(base.type) && base.is_reference) return {half_load(expression), Precedence::Postfix};
  const Code vector = base.is_reference ? place(base) : value(base);
  const Code code = member_of(vector, component_name(base.type, static_cast<std::size_t>(component)));
  return is_mask(base.type) ? Code{code.text + " != 0", Precedence::Equality} : code;
}

Code Printer::swizzle(const Expression& expression, const Swizzle& node) {
  if (node.count == 1) return component(expression, *node.base, node.components[0]);
  const bool half = is_memory_half(node.base->type) && node.base->is_reference;
  const Code base = node.base->is_reference && !half ? place(*node.base) : value(*node.base);
  return member_of(base, swizzle_name(node.base->type, node));
}

Code Printer::index_value(const Expression& expression, const Index& node) {
  const TypePtr& base_type = node.base->type;
  if (width_of(base_type) > 1) {
    if (const auto at = integer_value(*node.index)) return component(expression, *node.base, static_cast<int>(*at));
    const AddressSpace space = node.base->is_reference ? space_of(*node.base) : AddressSpace::Function;
    if (space == AddressSpace::Function || space == AddressSpace::Private) {
      // A chain of selections keeps the vector in registers.
      const std::string vector = type_name(base_type);
      const std::string element = is_mask(base_type) ? "int" : std::string(type_name(expression.type));
      const int width = width_of(base_type);
      const auto part = [&](int i) { return "v." + component_name(base_type, static_cast<std::size_t>(i)); };
      std::string body = part(width - 1);
      for (int i = width - 2; i >= 0; --i) body = "i == " + std::to_string(i) + " ? " + part(i) + " : " + body;
      const std::string helper =
          prelude_.require("component_" + vector, "static " + element + " component_" + vector + "(" + vector +
                                                      " v, uint i) {\n  return " + body + ";\n}");
      const Code code{helper + "(" + argument(*node.base) + ", " + argument(*node.index) + ")", Precedence::Postfix};
      return is_mask(base_type) ? Code{code.text + " != 0", Precedence::Equality} : code;
    }
    const Code code = place(expression);
    return is_mask(base_type) ? Code{code.text + " != 0", Precedence::Equality} : code;
  }
  if (std::holds_alternative<Literal>(node.base->node)) {
    return {table_of(*node.base).text + "[" + address_text(*node.index) + "]", Precedence::Postfix};
  }
  return place(expression);
}

Code Printer::table_of(const Expression& array_literal) {
  std::string dimensions;
  TypePtr element = array_literal.type;
  while (const auto* array = element->as<ArrayType>()) {
    if (is_wrapped(element)) break;
    dimensions += "[" + std::to_string(*array->count) + "]";
    element = array->element;
  }
  if (dimensions.empty()) return literal(array_literal.type, *as_literal(array_literal));
  std::size_t next = 0;
  return {prelude_.table(space_qualifier(AddressSpace::Uniform), type_name(element), dimensions,
                         literal_braces(array_literal.type, *as_literal(array_literal), next))};
}

Code Printer::address(const AddressOf& node) {
  const Expression& reference = *node.reference;
  if (const auto* dereference = std::get_if<Dereference>(&reference.node)) return value(*dereference->pointer);
  const Code code = place(reference);
  const bool is_plain_array = reference.type->as<ArrayType>() != nullptr && !is_wrapped(reference.type);
  const auto* read = std::get_if<VariableExpression>(&reference.node);
  const bool decayed = is_plain_array && (root_resource(reference) != nullptr || read != nullptr) &&
                       (read == nullptr || read->variable->space != AddressSpace::Function) &&
                       (read != nullptr || std::holds_alternative<ResourceExpression>(reference.node)) &&
                       (read == nullptr || !current_->is_entry_point);
  if (decayed) {
    // What is handed over is a pointer to the first element.
    const TypePtr pointer = pointer_type(space_of(reference), reference.type, Access::ReadWrite);
    return {"(" + declaration(pointer, "") + ")" + code.text, Precedence::Unary};
  }
  if (code.precedence == Precedence::Unary && code.text[0] == '*') return {code.text.substr(1), Precedence::Postfix};
  return {"&" + code.at_least(Precedence::Unary), Precedence::Unary};
}

Code Printer::call(const std::string& function, const std::vector<ExpressionPtr>& arguments) {
  std::string text = function + "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) text += (i > 0 ? ", " : "") + argument(*arguments[i]);
  return {text + ")", Precedence::Postfix};
}

Code Printer::function_call(const FunctionCall& node) {
  const bool outer = std::exchange(in_address_, false);
  std::string text;
  const auto add = [&](const std::string& each) { text += (text.empty() ? "" : ", ") + each; };
  for (const ExpressionPtr& each : node.arguments) add(argument(*each));
  in_address_ = outer;
  const Captures& captures = captures_[node.function];
  for (const Resource* each : captures.resources) add(name(each->name));
  for (const Variable* each : captures.variables) {
    const bool decays = each->type->as<ArrayType>() != nullptr && !is_wrapped(each->type);
    add((decays || !current_->is_entry_point ? "" : "&") + name(each->name));
  }
  for (const Resource* each : captures.lengths) add(array_length_name(*each));
  return {name(node.function->name) + "(" + text + ")", Precedence::Postfix};
}

std::string Printer::as_mask(const Expression& boolean) {
  const auto literal_value = integer_value(boolean);
  if (literal_value) return *literal_value != 0 ? "-1" : "0";
  return "-" + Code{value(boolean)}.at_least(Precedence::Unary);
}

Code Printer::construct(const Expression& expression, const Construct& node) {
  const TypePtr& type = expression.type;
  const int width = width_of(type);
  if (type->as<MatrixType>() != nullptr) return {zero_matrix(type), Precedence::Unary};
  if (width == 0) return aggregate_value(type_name(type), initializer(expression));
  if (node.arguments.empty()) {
    const Literal zero{std::vector<ConstantScalar>(
        static_cast<std::size_t>(width), is_float(*scalar_of(type)) ? ConstantScalar::of_float(*scalar_of(type), 0)
                                                                    : ConstantScalar::of_int(*scalar_of(type), 0))};
    return literal(type, zero);
  }
  if (width == 1) return value(*node.arguments[0]);
  if (node.arguments.size() == 1 && width_of(node.arguments[0]->type) == width) return value(*node.arguments[0]);
  const bool mask = is_mask(type);
  std::string text;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const Expression& each = *node.arguments[i];
    text += (i > 0 ? ", " : "") + (mask && width_of(each.type) == 1 ? as_mask(each) : argument(each));
  }
  return vector_value(type_name(type), text);
}

std::string Printer::initializer(const Expression& expression) {
  if (width_of(expression.type) > 0 || expression.type->as<MatrixType>() != nullptr) return in_braces(expression);
  if (const Literal* known = as_literal(expression)) {
    std::size_t next = 0;
    return literal_braces(expression.type, *known, next);
  }
  const auto* construct = std::get_if<Construct>(&expression.node);
  if (construct == nullptr) return argument(expression);
  if (construct->arguments.empty()) return std::string(zero_braces());
  std::string text = is_wrapped(expression.type) ? "{{" : "{";
  for (std::size_t i = 0; i < construct->arguments.size(); ++i) {
    text += (i > 0 ? ", " : "") + initializer(*construct->arguments[i]);
  }
  return text + (is_wrapped(expression.type) ? "}}" : "}");
}

}  // namespace driftwood::shader::c_family
