// The form a kernel runs in: a flat list of instructions over registers. A register holds one 32-bit word for every
// invocation of the workgroup, side by side; a vector, array or structure is a run of registers, one for each scalar
// component. Booleans and lane masks are 0 or all ones; f16 values are held as floats already rounded to f16.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shader/builtins.h"
#include "shader/ir.h"

namespace driftwood::shader::interpreter {

class Machine;
class Lowering;
struct Instruction;

using Handler = void (*)(Machine&, const Instruction&);
using Register = std::uint32_t;

/// Which invocations are active.
inline constexpr Register mask_register = 0;
inline constexpr Register no_register = 0xFFFFFFFF;
/// Constants are numbered from here while a kernel is lowered; they come after all others in the end.
inline constexpr Register first_constant = 0x80000000;

struct Instruction {
  Handler run = nullptr;
  Register r = no_register;  // result
  Register a = no_register, b = no_register, c = no_register;
  std::uint32_t target = 0;  // of a jump
  std::uint32_t info = 0;    // place in one of the tables of a program, or a small number
};

/// What an index or coordinate must satisfy, and how it moves an address.
struct IndexInfo {
  enum class Kind : std::uint8_t { Array, Vector, RuntimeArray, Coordinate };
  Kind kind = Kind::Array;
  bool is_signed = false;
  std::uint32_t limit = 0;   // not of RuntimeArray
  std::uint32_t stride = 0;  // what one step adds to the address
  std::uint32_t slot = 0;    // RuntimeArray: the resource, and where in it the array begins
  std::uint32_t base = 0;
  std::string of;  // "array<f32, 8>", "'x'"
  char axis = 'x';
  SourceRange range;
};

/// How components lie in memory.
enum class Element : std::uint8_t { Word, Half, Byte, UnsignedByte };
constexpr std::uint32_t element_size(Element element) {
  return element == Element::Word ? 4 : element == Element::Half ? 2 : 1;
}

/// One access to memory: `count` components from `base` plus the address register.
struct AccessInfo {
  std::uint32_t slot = 0;  // of the resource; the slot after the last resource is workgroup memory
  std::uint32_t base = 0;  // bytes
  Element element = Element::Word;
  std::uint32_t count = 1;
  std::string of;  // "'x'"
  SourceRange range;
};

/// A matrix of a subgroup in an array of workgroup memory. Component (row, column) lies `offset + row * stride +
/// column` components into it, or `offset + column * stride + row`.
struct MatrixInfo {
  AccessInfo access;  // base: of the array; count: components of the matrix's type that it has
  MatrixRole role = MatrixRole::Result;
  bool column_major = false;
  bool packs_halves = false;  // two to a word
  std::string builtin;
};

}  // namespace driftwood::shader::interpreter
