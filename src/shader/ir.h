// The checked module: a typed tree between the checker and the ends (emitters, interpreter).
//
// Before virtualisation it may hold Tensor and Weights resources and the Tensor*/Weights* builtins; the
// virtualiser replaces these by storage objects (buffers and images of vec4 texels, buffers of words) and
// ObjectLoad/ObjectStore with plain coordinate arithmetic. Emitters and the interpreter see only the latter.
//
// The tree is plain data: std::variant nodes, owned by unique_ptr; declarations (Variable, Resource, Function,
// StructType) are owned by the Module and referenced by pointer, so their addresses never change.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shader/builtins.h"
#include "shader/source.h"
#include "shader/types.h"
#include "tensor/descriptor.h"

namespace driftwood::shader {

struct Expression;
struct Statement;
struct Function;
using ExpressionPtr = std::unique_ptr<Expression>;
using StatementPtr = std::unique_ptr<Statement>;
using Block = std::vector<StatementPtr>;

// ---- declarations -------------------------------------------------------------------------------------------

enum class BuiltinInput : std::uint8_t {
  None,
  LocalInvocationId,
  LocalInvocationIndex,
  GlobalInvocationId,
  WorkgroupId,
  NumWorkgroups,
  SubgroupInvocationId,
  SubgroupSize,
  SubgroupId,
  NumSubgroups,
};

/// A `var`, `let`, `const`-free parameter or module-scope variable. `let` and parameters are immutable.
struct Variable {
  std::string name;  // unique in the module after checking: emitters print it as it is (they may add a prefix)
  TypePtr type;      // the store type
  AddressSpace space = AddressSpace::Function;
  bool is_mutable = false;
  bool is_parameter = false;
  BuiltinInput builtin = BuiltinInput::None;  // for parameters of the entry point
  ExpressionPtr initializer;                  // of module-scope private variables only; null: zero
  /// Workgroup variables: a read may come before any write, so that the zeroes WGSL promises must be written.
  bool needs_zeroes = true;
  SourceRange range;
};

/// What a kernel reads or writes outside itself. `binding` is its place in the argument list of a dispatch.
struct Resource {
  enum class Kind : std::uint8_t {
    Tensor,   // before virtualisation: `@tensor var<read> x: tensor<act>`
    Weights,  // before virtualisation: `@weights var<read> w: weights<f32>`
    Storage,  // `var<storage, read_write> a: array<u32>` and the like; `type` is the store type
    Uniform,  // `var<uniform> u: Params`
    Object,   // after virtualisation: one physical object of a tensor, holding vec4 texels of `texel` type
  };
  std::string name;
  Kind kind = Kind::Storage;
  Access access = Access::Read;
  TypePtr type;  // store type (Storage, Uniform), TensorType or WeightsType; Object: vec4 of the value type
  std::uint32_t binding = 0;
  SourceRange range;

  std::optional<TensorDescriptor> tensor;    // Tensor and Object: shape, storage kind, layout, data type
  std::optional<WeightsDescriptor> weights;  // Weights
  // Object only:
  StorageKind storage = StorageKind::Buffer;        // which kind of object; Buffer and ImageBuffer take 1 coordinate,
                                                    // Texture2D 2, Texture3D and Texture2DArray 3
  DataType texel = DataType::F32;                   // element type of the stored vec4 (F32, F16, I8, U8, I32, U32)
  std::array<std::uint32_t, 3> extent = {1, 1, 1};  // size in texels along each coordinate
};

struct Function {
  std::string name;
  std::vector<std::unique_ptr<Variable>> parameters;
  TypePtr result;
  Block body;
  bool is_entry_point = false;
  std::array<std::uint32_t, 3> workgroup_size = {1, 1, 1};  // of an entry point
  SourceRange range;
};

struct Module {
  SourceFiles sources;
  std::vector<std::shared_ptr<const Type>> structs;  // StructTypes in order of use
  std::vector<std::unique_ptr<Resource>> resources;  // in order of binding
  std::vector<std::unique_ptr<Variable>> variables;  // private and workgroup
  std::vector<std::unique_ptr<Function>> functions;  // callees before callers
  Function* entry_point = nullptr;                   // exactly one, last of `functions`
  bool uses_f16 = false, uses_subgroups = false, uses_packed_dot = false, uses_matrices = false, uses_pipeline = false;
};

// ---- expressions --------------------------------------------------------------------------------------------

/// A known value of scalar, vector, array or structure type, as a flat list of scalar components.
/// Bool: 0/1 in `u`; I32 sign-extended in `i`; F16 values are held as floats already rounded to F16.
struct ConstantScalar {
  Scalar scalar = Scalar::I32;
  union {
    std::int64_t i;
    double f;
  };
  ConstantScalar() : i(0) {}
  static ConstantScalar of_int(Scalar s, std::int64_t v) {
    ConstantScalar c;
    c.scalar = s;
    c.i = v;
    return c;
  }
  static ConstantScalar of_float(Scalar s, double v) {
    ConstantScalar c;
    c.scalar = s;
    c.f = v;
    return c;
  }
};

struct Literal {
  std::vector<ConstantScalar> components;
};
struct VariableExpression {
  Variable* variable;
};
struct ResourceExpression {
  Resource* resource;
};  // of Storage and Uniform kinds (a reference); Tensor/Weights only as a builtin's or function's argument

enum class UnaryOp : std::uint8_t { Negate, Not, Complement };
enum class BinaryOp : std::uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  LogicalAnd,
  LogicalOr,  // short-circuit
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
};
struct Unary {
  UnaryOp op;
  ExpressionPtr operand;
};
/// Operands have equal types, except: vector with scalar of the same component type (either side) for arithmetic
/// operators, and shifts (u32 or vecN<u32> on the right).
struct Binary {
  BinaryOp op;
  ExpressionPtr left, right;
};
struct BuiltinCall {
  Builtin builtin;
  std::vector<ExpressionPtr> arguments;
};
struct FunctionCall {
  Function* function;
  std::vector<ExpressionPtr> arguments;
};
/// Value constructor of a vector (splat, or concatenation of scalars and vectors of the same component type), array or
/// structure. No arguments: zero value.
struct Construct {
  std::vector<ExpressionPtr> arguments;
};
/// Value conversion of a scalar or vector to the expression's type of the same width (WGSL's f32(x), vec4<i32>(v)).
struct Convert {
  ExpressionPtr operand;
};
struct Bitcast {
  ExpressionPtr operand;
};
struct Index {
  ExpressionPtr base;
  ExpressionPtr index;
};  // array or vector
struct Member {
  ExpressionPtr base;
  std::uint32_t field;
};
struct Swizzle {
  ExpressionPtr base;
  std::array<std::uint8_t, 4> components;
  std::uint8_t count;
};
struct AddressOf {
  ExpressionPtr reference;
};
struct Dereference {
  ExpressionPtr pointer;
};
/// vec4 load from an Object; 1 to 3 i32 coordinates by storage kind. Converts texel type to the value type. Of type
/// vec2<u32>: the words that hold the four halves of a texel in a buffer, as they are.
struct ObjectLoad {
  Resource* object;
  std::vector<ExpressionPtr> coordinates;
};

struct Expression {
  TypePtr type;               // value or store type; for a reference the type of what is referred to
  bool is_reference = false;  // variable, storage resource, *pointer, or a part of one; used as a value it is loaded
  SourceRange range;
  std::variant<Literal, VariableExpression, ResourceExpression, Unary, Binary, BuiltinCall, FunctionCall, Construct,
               Convert, Bitcast, Index, Member, Swizzle, AddressOf, Dereference, ObjectLoad>
      node;
};

// ---- statements ---------------------------------------------------------------------------------------------

struct Declare {
  std::unique_ptr<Variable> variable;
  ExpressionPtr initializer;
};  // var or let; null initializer (var only): zero
struct Assign {
  ExpressionPtr target;
  ExpressionPtr value;
};  // null target: `_ = value`. Compound assignment arrives expanded where the target has no side effects
struct CompoundAssign {
  BinaryOp op;
  ExpressionPtr target;
  ExpressionPtr value;
};  // also ++ and --
struct If {
  ExpressionPtr condition;
  Block then_block, else_block;
};
/// for, while (no init, no update): `unroll` asks for full unrolling (@unroll).
struct For {
  StatementPtr init;
  ExpressionPtr condition;
  StatementPtr update;
  Block body;
  bool unroll = false;
};
struct Loop {
  Block body, continuing;
  ExpressionPtr break_if;
};  // break_if may be null
struct Switch {
  struct Case {
    std::vector<ConstantScalar> selectors;
    bool is_default = false;
    Block body;
  };
  ExpressionPtr selector;
  std::vector<Case> cases;
};
struct Break {};
struct Continue {};
struct Return {
  ExpressionPtr value;
};
struct CallStatement {
  ExpressionPtr call;
};  // BuiltinCall or FunctionCall
struct BlockStatement {
  Block body;
};
/// vec4 store to an Object; converts the value to the texel type (round to nearest even; integers wrap).
struct ObjectStore {
  Resource* object;
  std::vector<ExpressionPtr> coordinates;
  ExpressionPtr value;
};

struct Statement {
  SourceRange range;
  std::variant<Declare, Assign, CompoundAssign, If, For, Loop, Switch, Break, Continue, Return, CallStatement,
               BlockStatement, ObjectStore>
      node;
};

}  // namespace driftwood::shader
