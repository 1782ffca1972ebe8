#include "shader/types.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/checked.h"

namespace driftwood::shader {

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

constexpr std::size_t scalar_count = 7;
constexpr std::array<std::string_view, scalar_count> scalar_names = {
    "bool", "abstract-int", "abstract-float", "i32", "u32", "f32", "f16"};

TypePtr make(Type type) { return std::make_shared<const Type>(std::move(type)); }

/// Scalars and vectors are made once: the checker asks for them at every expression.
const std::array<std::array<TypePtr, 17>, scalar_count>& numeric_types() {
  static const auto table = [] {
    std::array<std::array<TypePtr, 17>, scalar_count> types;
    for (std::size_t s = 0; s < scalar_count; ++s) {
      const auto scalar = static_cast<Scalar>(s);
      types[s][1] = make({ScalarType{scalar}});
      for (const auto width : std::to_array<std::uint8_t>({2, 3, 4, 8, 16}))
        types[s][width] = make({VectorType{scalar, width}});
    }
    return types;
  }();
  return table;
}

std::uint32_t scalar_size(Scalar scalar) { return scalar == Scalar::F16 ? 2 : 4; }

/// Sizes past 4 GiB are reported as the largest number; the checker refuses such types.
std::uint32_t saturate(std::uint64_t size) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(size, std::numeric_limits<std::uint32_t>::max()));
}

std::uint64_t stride_of(const ArrayType& array) {
  return round_up(size_of(array.element), std::max(1U, alignment_of(array.element)));
}

}  // namespace

TypePtr void_type() {
  static const TypePtr type = make({VoidType{}});
  return type;
}

TypePtr scalar_type(Scalar scalar) { return numeric_types()[static_cast<std::size_t>(scalar)][1]; }

TypePtr vector_type(Scalar scalar, int width) {
  return numeric_types()[static_cast<std::size_t>(scalar)].at(static_cast<std::size_t>(width));
}

TypePtr atomic_type(Scalar scalar) { return make({AtomicType{scalar}}); }

TypePtr array_type(TypePtr element, std::optional<std::uint32_t> count) {
  return make({ArrayType{std::move(element), count}});
}

TypePtr matrix_type(MatrixRole role) {
  const Scalar scalar = role == MatrixRole::Result ? Scalar::F32 : Scalar::F16;
  return make({MatrixType{role, scalar, matrix_extent, matrix_extent}});
}

TypePtr pointer_type(AddressSpace space, TypePtr pointee, Access access) {
  return make({PointerType{space, std::move(pointee), access}});
}

bool same_type(const TypePtr& a, const TypePtr& b) {
  if (a == b) return true;
  if (!a || !b || a->kind.index() != b->kind.index()) return false;
  return std::visit(
      [&](const auto& left) {
        using T = std::decay_t<decltype(left)>;
        const T& right = *b->as<T>();
        if constexpr (std::is_same_v<T, VoidType>) {
          return true;
        } else if constexpr (std::is_same_v<T, ScalarType> || std::is_same_v<T, AtomicType>) {
          return left.scalar == right.scalar;
        } else if constexpr (std::is_same_v<T, VectorType>) {
          return left.scalar == right.scalar && left.width == right.width;
        } else if constexpr (std::is_same_v<T, ArrayType>) {
          return left.count == right.count && same_type(left.element, right.element);
        } else if constexpr (std::is_same_v<T, StructType>) {
          return left.name == right.name;
        } else if constexpr (std::is_same_v<T, PointerType>) {
          return left.space == right.space && left.access == right.access && same_type(left.pointee, right.pointee);
        } else if constexpr (std::is_same_v<T, WeightsType>) {
          return left.value == right.value && left.width == right.width;
        } else if constexpr (std::is_same_v<T, MatrixType>) {
          return left.role == right.role && left.scalar == right.scalar && left.columns == right.columns &&
                 left.rows == right.rows;
        } else {
          return left.value == right.value;
        }
      },
      a->kind);
}

std::string to_string(const TypePtr& type) {
  if (!type) return "no type";
  return std::visit(
      Overloaded{
          [](const VoidType&) { return std::string("void"); },
          [](const ScalarType& t) { return std::string(to_string(t.scalar)); },
          [](const VectorType& t) {
            return "vec" + std::to_string(t.width) + "<" + std::string(to_string(t.scalar)) + ">";
          },
          [](const AtomicType& t) { return "atomic<" + std::string(to_string(t.scalar)) + ">"; },
          [](const ArrayType& t) {
            return "array<" + to_string(t.element) + (t.count ? ", " + std::to_string(*t.count) : "") + ">";
          },
          [](const StructType& t) { return t.name; },
          [](const PointerType& t) {
            const bool shows_access = t.space == AddressSpace::Storage;
            return "ptr<" + std::string(to_string(t.space)) + ", " + to_string(t.pointee) +
                   (shows_access ? ", " + std::string(to_string(t.access)) : "") + ">";
          },
          [](const TensorType& t) { return "tensor<" + std::string(to_string(t.value)) + ">"; },
          [](const WeightsType& t) {
            return "weights<" + to_string(t.width == 1 ? scalar_type(t.value) : vector_type(t.value, t.width)) + ">";
          },
          [](const MatrixType& t) {
            return std::string(to_string(t.role)) + "<" + std::string(to_string(t.scalar)) + ", " +
                   std::to_string(t.columns) + ", " + std::to_string(t.rows) + ">";
          },
      },
      type->kind);
}

std::string_view to_string(Scalar scalar) { return scalar_names[static_cast<std::size_t>(scalar)]; }

std::string_view to_string(AddressSpace space) {
  constexpr std::array<std::string_view, 6> names = {"function", "private", "workgroup",
                                                     "storage",  "uniform", "handle"};
  return names[static_cast<std::size_t>(space)];
}

std::string_view to_string(Access access) {
  constexpr std::array<std::string_view, 3> names = {"read", "write", "read_write"};
  return names[static_cast<std::size_t>(access)];
}

std::string_view to_string(MatrixRole role) {
  constexpr std::array<std::string_view, 3> names = {"subgroup_matrix_left", "subgroup_matrix_right",
                                                     "subgroup_matrix_result"};
  return names[static_cast<std::size_t>(role)];
}

std::optional<Scalar> scalar_of(const TypePtr& type) {
  if (const auto* scalar = type->as<ScalarType>()) return scalar->scalar;
  if (const auto* vector = type->as<VectorType>()) return vector->scalar;
  if (const auto* atomic = type->as<AtomicType>()) return atomic->scalar;
  return std::nullopt;
}

int width_of(const TypePtr& type) {
  if (type->as<ScalarType>()) return 1;
  if (const auto* vector = type->as<VectorType>()) return vector->width;
  return 0;
}

std::uint32_t size_of(const TypePtr& type) {
  return std::visit(Overloaded{
                        [](const ScalarType& t) { return scalar_size(t.scalar); },
                        [](const VectorType& t) { return scalar_size(t.scalar) * t.width; },
                        [](const AtomicType& t) { return scalar_size(t.scalar); },
                        [](const ArrayType& t) { return saturate(stride_of(t) * std::uint64_t{t.count.value_or(1)}); },
                        [](const StructType& t) { return t.size; },
                        [](const MatrixType&) { return 4 * matrix_components; },
                        [](const auto&) { return std::uint32_t{0}; },
                    },
                    type->kind);
}

std::uint32_t alignment_of(const TypePtr& type) {
  return std::visit(
      Overloaded{
          [](const ScalarType& t) { return scalar_size(t.scalar); },
          [](const VectorType& t) { return scalar_size(t.scalar) * (t.width == 3 ? 4U : std::uint32_t{t.width}); },
          [](const AtomicType& t) { return scalar_size(t.scalar); },
          [](const ArrayType& t) { return alignment_of(t.element); },
          [](const StructType& t) { return t.alignment; },
          [](const auto&) { return std::uint32_t{1}; },
      },
      type->kind);
}

bool is_float(Scalar scalar) {
  return scalar == Scalar::AbstractFloat || scalar == Scalar::F32 || scalar == Scalar::F16;
}

bool is_integer(Scalar scalar) {
  return scalar == Scalar::AbstractInt || scalar == Scalar::I32 || scalar == Scalar::U32;
}

bool is_abstract(Scalar scalar) { return scalar == Scalar::AbstractInt || scalar == Scalar::AbstractFloat; }

}  // namespace driftwood::shader
