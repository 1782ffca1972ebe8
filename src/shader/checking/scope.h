// What names stand for while a kernel is checked.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "shader/ir.h"
#include "shader/linker.h"

namespace driftwood::shader::checking {

/// A function of the source. One without tensor or weights parameters has one instance; the others have one for
/// each combination of resources that they are called with.
struct SourceFunction {
  const syntax::Declaration* declaration = nullptr;
  const syntax::Function* syntax = nullptr;
  const LinkedFile* home = nullptr;
  std::vector<TypePtr> parameter_types;
  TypePtr result;
  bool takes_handles = false;
  bool is_entry_point = false;

  struct Instance {
    std::vector<Resource*> handles;
    std::unique_ptr<Function> function;
    bool is_checked = false;
  };
  std::vector<std::unique_ptr<Instance>> instances;
};

/// A `const` or a bound `override`.
struct KnownValue {
  TypePtr type;
  std::shared_ptr<const std::vector<ConstantScalar>> components;
};

using Entity = std::variant<std::monostate, KnownValue, Variable*, Resource*, TypePtr, SourceFunction*>;

/// A declaration inside a function.
struct Local {
  std::string_view name;
  Entity entity;
  SourceRange range;
  std::size_t serial;  // in order of declaration in the function
};

/// The loop or switch around a statement.
struct Enclosing {
  enum class Kind : std::uint8_t { Loop, Switch, Continuing };
  Kind kind = Kind::Loop;
  std::size_t first_local = 0;                // locals from here on belong to the loop's body
  std::size_t serial_at_continue = SIZE_MAX;  // locals from this serial on come after the first `continue`
  std::size_t body_end = SIZE_MAX;            // of Continuing: locals from here on are its own
};

/// What belongs to the function at hand; saved while another one is checked on demand.
struct Context {
  const LinkedFile* file = nullptr;
  Function* function = nullptr;  // null at module scope
  std::vector<Local> locals;
  std::vector<std::size_t> scopes;  // where each begins in `locals`
  std::size_t next_serial = 0;
  std::vector<Enclosing> enclosing;
  Block* sink = nullptr;  // where statements go that an expression needs before it; null where none may
  bool is_dead = false;   // in a branch that is never taken: values that cannot be are no errors
};

/// Opens a scope of local names while it lives.
class LocalScope {
 public:
  explicit LocalScope(Context& context) : context_(context) { context.scopes.push_back(context.locals.size()); }
  ~LocalScope() {
    context_.locals.resize(context_.scopes.back());
    context_.scopes.pop_back();
  }
  LocalScope(const LocalScope&) = delete;
  LocalScope& operator=(const LocalScope&) = delete;

 private:
  Context& context_;
};

/// Sets a value while it lives.
template <class T>
class Restore {
 public:
  Restore(T& place, T value) : place_(place), before_(std::move(place)) { place = std::move(value); }
  ~Restore() { place_ = std::move(before_); }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& place_;
  T before_;
};

}  // namespace driftwood::shader::checking
