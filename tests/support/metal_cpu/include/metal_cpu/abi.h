// What a compiled kernel and the program that runs it know of each other. Both compile this file: plain data only.
#pragma once

namespace metal_cpu {

enum class Texel : unsigned { F32, F16, I8, U8, I32, U32 };

/// A texture of four components a texel, tightly packed, x fastest. Layers of an array are its depth.
struct Texture {
  void* texels;
  Texel format;
  unsigned extent[3];
};

/// Who an invocation is.
struct Invocation {
  unsigned position[3];      // in the threadgroup
  unsigned index;            // in the threadgroup, x fastest
  unsigned group[3];         // of the threadgroup in the grid
  unsigned group_extent[3];  // threads of a threadgroup
  unsigned groups[3];        // threadgroups of the grid
  unsigned lane;             // in the simdgroup
  unsigned lanes;            // of this simdgroup
  unsigned simdgroup;
  unsigned simdgroups;
};

constexpr unsigned simd_width = 32;
constexpr unsigned slot_bytes = 64;  // of what a lane shows the others

/// Services for kernels. `line` is that of the call in the kernel's source.
struct Runtime {
  /// Returns when all invocations of the threadgroup are there.
  void (*barrier)(int line);
  /// Shows `size` bytes to the simdgroup and returns when all its lanes are at the same `operation`: the slots of all
  /// lanes, which stay as they are until this lane's next exchange but one.
  const unsigned char* (*exchange)(const void* value, unsigned size, const char* operation, int line);
  /// Ends the dispatch with an error; does not return.
  void (*fail)(const char* message, int line);
  const Invocation* invocation;  // the one that runs now
};

struct Arguments {
  void* const* buffers;
  const Texture* const* textures;
};

/// What a compiled kernel says of itself.
struct Program {
  void (*entry)(const Arguments& arguments, const Invocation& invocation);
  unsigned char* shared;  // threadgroup memory, one for all threadgroups
  unsigned long shared_bytes;
};

}  // namespace metal_cpu
