// Types of the kernel language: WGSL's, without mat2x2 and its like and samplers, with tensors, packed weights and the
// matrices of a subgroup added.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace driftwood::shader {

/// AbstractInt and AbstractFloat are WGSL's abstract numerics: 64-bit values known when the kernel is compiled.
/// None of them is left in a checked module.
enum class Scalar : std::uint8_t { Bool, AbstractInt, AbstractFloat, I32, U32, F32, F16 };

enum class AddressSpace : std::uint8_t { Function, Private, Workgroup, Storage, Uniform, Handle };

enum class Access : std::uint8_t { Read, Write, ReadWrite };

struct Type;
/// Types are immutable and shared; compare with same_type, never by pointer.
using TypePtr = std::shared_ptr<const Type>;

struct VoidType {};
struct ScalarType {
  Scalar scalar;
};
struct VectorType {
  Scalar scalar;
  std::uint8_t width;
};  // width 2, 3, 4, or (wide vectors, for the registers of CPUs) 8, 16
struct AtomicType {
  Scalar scalar;
};  // I32 or U32
struct ArrayType {
  TypePtr element;
  std::optional<std::uint32_t> count;
};  // no count: runtime-sized
struct StructType {
  struct Field {
    std::string name;
    TypePtr type;
    std::uint32_t offset;
  };  // offsets by WGSL's layout rules
  std::string name;
  std::vector<Field> fields;
  std::uint32_t size = 0, alignment = 0;
};
struct PointerType {
  AddressSpace space;
  TypePtr pointee;
  Access access;
};
struct TensorType {
  Scalar value;
};  // `tensor<T>`: the type tensorLoad gives; how it is stored is in its descriptor
struct WeightsType {
  Scalar value;
  std::uint8_t width = 1;  // 16: `weights<vec16<f32>>`, sixteen rows at once
};                         // `weights<T>`: packed weights, decoded to T

enum class MatrixRole : std::uint8_t { Left, Right, Result };
/// `subgroup_matrix_left<T, columns, rows>` and its like: one matrix, held by the invocations of a subgroup together.
struct MatrixType {
  MatrixRole role;
  Scalar scalar;
  std::uint8_t columns, rows;
};

struct Type {
  std::variant<VoidType, ScalarType, VectorType, AtomicType, ArrayType, StructType, PointerType, TensorType,
               WeightsType, MatrixType>
      kind;

  template <class T>
  const T* as() const {
    return std::get_if<T>(&kind);
  }
};

TypePtr void_type();
TypePtr scalar_type(Scalar scalar);
TypePtr vector_type(Scalar scalar, int width);
TypePtr atomic_type(Scalar scalar);
TypePtr array_type(TypePtr element, std::optional<std::uint32_t> count);
TypePtr pointer_type(AddressSpace space, TypePtr pointee, Access access);
TypePtr matrix_type(MatrixRole role);

/// The one shape that subgroup matrices have: products of f16, summed in f32. It is what two m16n8k16 instructions of
/// NVIDIA's matrix units do.
constexpr std::uint32_t matrix_extent = 16;
constexpr std::uint32_t matrix_subgroup_size = 32;  // of the devices that have them
/// What one invocation holds of a matrix.
constexpr std::uint32_t matrix_components = matrix_extent * matrix_extent / matrix_subgroup_size;
/// Matrices lie in memory with offset and stride in multiples of so many components.
constexpr std::uint32_t matrix_alignment = 8;

/// Structural equality; structures are equal by name.
bool same_type(const TypePtr& a, const TypePtr& b);

/// As WGSL writes it: "vec4<f32>", "array<u32, 8>".
std::string to_string(const TypePtr& type);
std::string_view to_string(Scalar scalar);
std::string_view to_string(AddressSpace space);
std::string_view to_string(Access access);
/// "subgroup_matrix_left" and its like.
std::string_view to_string(MatrixRole role);

/// Scalar of a scalar, vector or atomic type; nothing for others.
std::optional<Scalar> scalar_of(const TypePtr& type);
/// 1 for scalars, the width for vectors, 0 for others.
int width_of(const TypePtr& type);
/// Size and alignment in bytes by WGSL's layout rules (vec3 has size 12 and alignment 16). Runtime-sized arrays: size
/// of one element stride. Matrices of a subgroup: what an invocation holds, at the most.
std::uint32_t size_of(const TypePtr& type);
std::uint32_t alignment_of(const TypePtr& type);
bool is_float(Scalar scalar);
bool is_integer(Scalar scalar);
bool is_abstract(Scalar scalar);

}  // namespace driftwood::shader
