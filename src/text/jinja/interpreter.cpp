#include "text/jinja/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "text/jinja/globals.h"
#include "text/jinja/runtime.h"

namespace driftwood::jinja {

namespace {

constexpr std::size_t longest_output = std::size_t{64} << 20;
constexpr int deepest_recursion = 600;  // expressions, blocks and macro calls within each other

enum class Flow { Next, Break, Continue };

class Interpreter {
 public:
  explicit Interpreter(const Dict& variables) : scopes_{variables, {}} {}

  std::string run(const Body& body) {
    execute(body);
    return std::move(output_);
  }

 private:
  class Recursion {
   public:
    explicit Recursion(int& depth) : depth_(depth) {
      if (depth_ >= deepest_recursion)
        fail(fmt::format("The chat template nests deeper than {} levels.", deepest_recursion));
      ++depth_;
    }
    ~Recursion() { --depth_; }

   private:
    int& depth_;
  };

  /// A fault anywhere below gets the place of the innermost expression or statement, once.
  template <class Action>
  auto at_place(Place place, const Action& action) {
    try {
      return action();
    } catch (Error& error) {
      if (error.context().empty())
        error.add_context(
            fmt::format("While running line {}, column {} of the chat template.", place.line, place.column));
      throw;
    }
  }

  // --- names

  Value find_name(const std::string& name) {
    for (std::size_t i = scopes_.size(); i-- > 0;) {
      if (i < first_local_ && i > 1) continue;  // a macro sees its own names and the template's, not its caller's
      for (const auto& [known, value] : scopes_[i]) {
        if (known == name) return value;
      }
    }
    return find_global(name, budget_);
  }

  void set_name(const std::string& name, Value value) { assign(scopes_.back(), name, std::move(value)); }

  void set_names(const std::vector<std::string>& names, const Value& value) {
    if (names.size() == 1) return set_name(names.front(), value);
    const List items = items_of(value, budget_);
    if (items.size() != names.size()) {
      fail(fmt::format("{} values cannot be set to {} names.", items.size(), names.size()));
    }
    for (std::size_t i = 0; i < names.size(); ++i) set_name(names[i], items[i]);
  }

  // --- statements

  void put(std::string_view text) {
    if (text.size() > longest_output - output_.size()) {
      fail(fmt::format("The chat template gives more than {} bytes of text.", longest_output));
    }
    output_ += text;
  }

  Flow execute(const Body& body) {
    const Recursion recursion(depth_);
    for (const StatementPtr& statement : body) {
      budget_.step();
      const Flow flow = at_place(statement->place, [&] {
        return std::visit([&](const auto& node) { return execute(node); }, statement->node);
      });
      if (flow != Flow::Next) return flow;
    }
    return Flow::Next;
  }

  Flow execute(const Text& node) {
    put(node.text);
    return Flow::Next;
  }

  Flow execute(const Print& node) {
    const Value value = evaluate(*node.value);
    value.is_string() ? put(value.string()) : put(to_text(value));
    return Flow::Next;
  }

  Flow execute(const If& node) {
    for (const auto& [condition, body] : node.branches) {
      if (evaluate(*condition).truth()) return execute(body);
    }
    return execute(node.otherwise);
  }

  Flow execute(const For& node) {
    List items = items_of(evaluate(*node.iterable), budget_);
    scopes_.emplace_back();
    if (node.condition != nullptr) {
      List kept;
      for (const Value& item : items) {
        budget_.step();
        set_names(node.targets, item);
        if (evaluate(*node.condition).truth()) kept.push_back(item);
      }
      items = std::move(kept);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      budget_.step(4);
      scopes_.back().clear();
      set_names(node.targets, items[i]);
      set_name("loop", loop_variable(items, i));
      if (execute(node.body) == Flow::Break) break;
    }
    scopes_.pop_back();
    return items.empty() ? execute(node.otherwise) : Flow::Next;
  }

  Value loop_variable(const List& items, std::size_t i) {
    const auto number = [](std::size_t value) { return Value(static_cast<std::int64_t>(value)); };
    Dict loop{{"index", number(i + 1)},
              {"index0", number(i)},
              {"revindex", number(items.size() - i)},
              {"revindex0", number(items.size() - i - 1)},
              {"first", i == 0},
              {"last", i + 1 == items.size()},
              {"length", number(items.size())},
              {"cycle", make_callable([i](Arguments& arguments) {
                 if (arguments.positional.empty()) fail("The function 'loop.cycle' needs values.");
                 return arguments.positional[i % arguments.positional.size()];
               })}};
    if (i > 0) loop.emplace_back("previtem", items[i - 1]);
    if (i + 1 < items.size()) loop.emplace_back("nextitem", items[i + 1]);
    return loop;
  }

  Flow execute(const Set& node) {
    const Value value = evaluate(*node.value);
    if (node.attribute.empty()) {
      set_names(node.targets, value);
      return Flow::Next;
    }
    Value target = find_name(node.targets.front());
    if (!target.is_namespace())
      fail(fmt::format("'{}' is no namespace, so its attributes cannot be set.", node.targets.front()));
    target.set_member(node.attribute, value);
    return Flow::Next;
  }

  Flow execute(const SetBlock& node) {
    set_name(node.target, captured(node.body));
    return Flow::Next;
  }

  Flow execute(const Macro& node) {
    set_name(node.name, make_callable([this, &node](Arguments& arguments) { return call_macro(node, arguments); }));
    return Flow::Next;
  }

  Flow execute(const Generation& node) { return execute(node.body); }
  Flow execute(const Break&) { return Flow::Break; }
  Flow execute(const Continue&) { return Flow::Continue; }

  /// What a body prints, as a value.
  Value captured(const Body& body) {
    std::string outer = std::exchange(output_, {});
    execute(body);
    budget_.bytes(output_.size());
    return std::exchange(output_, std::move(outer));
  }

  Value call_macro(const Macro& macro, Arguments& arguments) {
    if (arguments.positional.size() > macro.parameters.size()) {
      fail(fmt::format("The macro '{}' takes {} arguments, but {} are given.", macro.name, macro.parameters.size(),
                       arguments.positional.size()));
    }
    const std::size_t outer_first = std::exchange(first_local_, scopes_.size());
    scopes_.emplace_back();
    for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
      const auto& [name, otherwise] = macro.parameters[i];
      const Value* given = arguments.get(i, name);
      set_name(name, given != nullptr ? *given : otherwise != nullptr ? evaluate(*otherwise) : Value());
    }
    Value text = captured(macro.body);
    scopes_.pop_back();
    first_local_ = outer_first;
    return text;
  }

  // --- expressions

  Value evaluate(const Expression& expression) {
    const Recursion recursion(depth_);
    budget_.step();
    return at_place(expression.place,
                    [&] { return std::visit([&](const auto& node) { return evaluate(node); }, expression.node); });
  }

  Value evaluate_optional(const ExpressionPtr& expression) {
    return expression == nullptr ? Value() : evaluate(*expression);
  }

  Value evaluate(const Literal& node) { return node.value; }
  Value evaluate(const NameUse& node) { return find_name(node.name); }

  Value evaluate(const ListDisplay& node) {
    budget_.bytes(node.items.size() * sizeof(Value));
    List list;
    for (const ExpressionPtr& item : node.items) list.push_back(evaluate(*item));
    return node.is_tuple ? Value::make_tuple(std::move(list)) : Value(std::move(list));
  }

  Value evaluate(const DictDisplay& node) {
    budget_.bytes(node.members.size() * (sizeof(Value) + sizeof(std::string)));
    Dict dict;
    for (const auto& [key, value] : node.members) {
      const Value name = evaluate(*key);
      if (!name.is_string())
        fail(fmt::format("A key of the type {} is not supported; keys are strings.", name.type_name()));
      budget_.step(dict.size() / 8);
      assign(dict, name.string(), evaluate(*value));
    }
    return dict;
  }

  Value evaluate(const Unary& node) {
    const Value operand = evaluate(*node.operand);
    return node.op == "not" ? Value(!operand.truth()) : apply_sign(node.op, operand);
  }

  Value evaluate(const Binary& node) {
    Value left = evaluate(*node.left);
    if (node.op == "and") return left.truth() ? evaluate(*node.right) : left;
    if (node.op == "or") return left.truth() ? left : evaluate(*node.right);
    return apply_binary(node.op, left, evaluate(*node.right), budget_);
  }

  Value evaluate(const Comparison& node) {
    Value left = evaluate(*node.first);
    for (const auto& [op, operand] : node.rest) {
      Value right = evaluate(*operand);
      if (!apply_comparison(op, left, right, budget_)) return false;
      left = std::move(right);
    }
    return true;
  }

  Value evaluate(const Conditional& node) {
    return evaluate(*node.condition).truth() ? evaluate(*node.yes) : evaluate_optional(node.no);
  }

  /// What is looked into must be there: a misspelt name fails here and not in the model's answers.
  Value object_of(const Expression& expression) {
    Value object = evaluate(expression);
    if (object.is_undefined()) fail(fmt::format("{} is undefined.", describe(expression)));
    return object;
  }

  static std::string describe(const Expression& expression) {
    if (const auto* name = std::get_if<NameUse>(&expression.node)) return fmt::format("'{}'", name->name);
    if (const auto* attribute = std::get_if<Attribute>(&expression.node)) {
      return fmt::format("The attribute '{}'", attribute->name);
    }
    return "A value that is looked into";
  }

  Value evaluate(const Attribute& node) {
    const Value object = object_of(*node.object);
    Value method = find_method(object, node.name, budget_);
    return method.is_undefined() ? subscript(object, Value(node.name), budget_) : method;
  }

  Value evaluate(const Subscript& node) {
    const Value object = object_of(*node.object);
    const Value index = evaluate(*node.index);
    Value member = subscript(object, index, budget_);
    if (member.is_undefined() && index.is_string()) return find_method(object, index.string(), budget_);
    return member;
  }

  Value evaluate(const Slice& node) {
    const Value object = object_of(*node.object);
    const Value start = evaluate_optional(node.start);
    const Value stop = evaluate_optional(node.stop);
    return slice(object, start, stop, evaluate_optional(node.step), budget_);
  }

  Arguments evaluate(const CallArguments& given) {
    Arguments arguments;
    for (const ExpressionPtr& argument : given.positional) arguments.positional.push_back(evaluate(*argument));
    for (const auto& [name, argument] : given.named) arguments.named.emplace_back(name, evaluate(*argument));
    return arguments;
  }

  Value evaluate(const Call& node) {
    const Value callee = evaluate(*node.callee);
    if (!callee.is_callable()) {
      fail(fmt::format("{} is of the type {} and cannot be called.", describe(*node.callee), callee.type_name()));
    }
    Arguments arguments = evaluate(node.arguments);
    return callee.callable()->call(arguments);
  }

  Value evaluate(const FilterUse& node) {
    const Value input = evaluate(*node.input);
    Arguments arguments = evaluate(node.arguments);
    return apply_filter(node.name, input, arguments, budget_);
  }

  Value evaluate(const TestUse& node) {
    const Value input = evaluate(*node.input);
    Arguments arguments = evaluate(node.arguments);
    return apply_test(node.name, input, arguments, budget_) != node.is_negated;
  }

  Budget budget_;
  std::vector<Dict> scopes_;     // 0: the caller's variables, 1: the template's own, then loops and macros
  std::size_t first_local_ = 0;  // of the macro that runs
  std::string output_;
  int depth_ = 0;
};

}  // namespace

std::string render(const Body& body, const Dict& variables) { return Interpreter(variables).run(body); }

}  // namespace driftwood::jinja
