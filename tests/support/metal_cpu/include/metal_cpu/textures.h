// Textures that kernels read and write by coordinates of texels. An access outside of one is a fault.
#pragma once

#include "metal_cpu/bits.h"

namespace metal {

enum class access { sample, read, write, read_write };

namespace detail {

/// A texture as a parameter of a kernel.
struct TextureBase {
  const metal_cpu::Texture* object;

  METAL_CPU_INLINE ulong texel(uint x, uint y, uint z, int line) const {
    const auto& extent = object->extent;
    if (x >= extent[0] || y >= extent[1] || z >= extent[2]) {
      metal_cpu_runtime->fail("A texel outside of its texture is accessed.", line);
    }
    return (ulong(z) * extent[1] + y) * extent[0] + x;
  }

  // Components are read as Metal's formats give them: floats, integers with a sign, integers without.
  template <class T, class S>
  METAL_CPU_INLINE vec<T, 4> load(ulong at) const {
    return vec<T, 4>(static_cast<const vec<S, 4>*>(object->texels)[at]);
  }
  template <class T, class S>
  METAL_CPU_INLINE void store(vec<T, 4> value, ulong at) const {
    static_cast<vec<S, 4>*>(object->texels)[at] = vec<S, 4>(value);
  }
  [[noreturn]] static void refuse(int line) {
    metal_cpu_runtime->fail("The type of a texture's components does not fit the format of what is bound.", line);
    __builtin_unreachable();
  }
  template <class T>
  inline vec<T, 4> get(ulong at, int line) const {
    using metal_cpu::Texel;
    if constexpr (is_floating_point_v<T>) {
      if (object->format == Texel::F32) return load<T, float>(at);
      if (object->format == Texel::F16) return load<T, half>(at);
    } else if constexpr (T(-1) < T(0)) {
      if (object->format == Texel::I32) return load<T, int>(at);
      if (object->format == Texel::I8) return load<T, char>(at);
    } else {
      if (object->format == Texel::U32) return load<T, uint>(at);
      if (object->format == Texel::U8) return load<T, uchar>(at);
    }
    refuse(line);
  }
  template <class T>
  inline void put(vec<T, 4> value, ulong at, int line) const {
    using metal_cpu::Texel;
    if constexpr (is_floating_point_v<T>) {
      if (object->format == Texel::F32) return store<T, float>(value, at);
      if (object->format == Texel::F16) return store<T, half>(value, at);
    } else if constexpr (T(-1) < T(0)) {
      if (object->format == Texel::I32) return store<T, int>(value, at);
      if (object->format == Texel::I8) return store<T, char>(value, at);
    } else {
      if (object->format == Texel::U32) return store<T, uint>(value, at);
      if (object->format == Texel::U8) return store<T, uchar>(value, at);
    }
    refuse(line);
  }
};

template <access A>
constexpr bool reads = A != access::write;
template <access A>
constexpr bool writes = A == access::write || A == access::read_write;

}  // namespace detail

// `Coordinates` name the texel; `x`, `y`, `z` compute its place from `at` (and the layer, or the level, behind it).
#define METAL_CPU_TEXTURE(name, Coordinates, Layer, x, y, z)                                       \
  template <class T, access A = access::sample>                                                    \
  struct name : detail::TextureBase {                                                              \
    METAL_CPU_INLINE vec<T, 4> read(Coordinates at, [[maybe_unused]] Layer layer = 0,              \
                                    int line = __builtin_LINE()) const {                           \
      static_assert(detail::reads<A>, "The texture is declared for writing alone.");               \
      return get<T>(texel(x, y, z, line), line);                                                   \
    }                                                                                              \
    METAL_CPU_INLINE void write(vec<T, 4> value, Coordinates at, [[maybe_unused]] Layer layer = 0, \
                                int line = __builtin_LINE()) const {                               \
      static_assert(detail::writes<A>, "The texture is declared for reading alone.");              \
      put<T>(value, texel(x, y, z, line), line);                                                   \
    }                                                                                              \
    METAL_CPU_INLINE uint get_width(uint = 0) const { return object->extent[0]; }                  \
    METAL_CPU_INLINE uint get_height(uint = 0) const { return object->extent[1]; }                 \
    METAL_CPU_INLINE uint get_depth(uint = 0) const { return object->extent[2]; }                  \
    METAL_CPU_INLINE uint get_array_size() const { return object->extent[2]; }                     \
  };
METAL_CPU_TEXTURE(texture1d, uint, uint, at, 0, 0)
METAL_CPU_TEXTURE(texture_buffer, uint, uint, at, 0, 0)
METAL_CPU_TEXTURE(texture2d, uint2, uint, at.x, at.y, 0)
METAL_CPU_TEXTURE(texture2d_array, uint2, uint, at.x, at.y, layer)
METAL_CPU_TEXTURE(texture3d, uint3, uint, at.x, at.y, at.z)

}  // namespace metal
