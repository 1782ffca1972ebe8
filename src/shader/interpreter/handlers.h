// The instructions, by what they do. Operands are registers r (result), a, b, c unless said otherwise. Plain
// arithmetic works on every lane from the first active one to the last, for the result of an inactive lane is never
// used; everything that leaves a trace (variables, memory, errors) heeds the mask.
#pragma once

#include "shader/interpreter/instruction.h"

namespace driftwood::shader::interpreter {

// ---- arithmetic.cpp: null where the operator does not exist for the type; F16 as F32, to be rounded by round_half

Handler unary_handler(UnaryOp op, Scalar scalar);
Handler binary_handler(BinaryOp op, Scalar scalar);
/// Taint of an operation: c, where it is not 0; else info + 1 where a op b wraps (Add, Subtract, Multiply, ShiftLeft);
/// else 0. c may be no_register.
Handler overflow_handler(BinaryOp op, Scalar scalar);
/// r = a where it is not 0, else b: taints of two operands.
void merge_taint(Machine&, const Instruction&);

// ---- conversions.cpp

void copy(Machine&, const Instruction&);         // r = a, all lanes
void copy_active(Machine&, const Instruction&);  // r = a, active lanes only
void round_half(Machine&, const Instruction&);   // r = a rounded to f16
/// Null: the bits stay (i32 to u32). To F16: without the rounding.
Handler conversion_handler(Scalar from, Scalar to);
void round_even(Machine&, const Instruction&);     // r = a rounded to an integral float
void saturate_byte(Machine&, const Instruction&);  // r = i32 a held to [-128, 127]; info 1: u32 a to [0, 255]
void pack_halves(Machine&, const Instruction&);    // r = a | b << 16 as f16 bits
void unpack_half(Machine&, const Instruction&);    // r = half `info` (0 or 1) of a

// ---- math.cpp, bits.cpp: component-wise built-ins; null where there is none

Handler math_handler(Builtin builtin, Scalar scalar);
Handler integer_handler(Builtin builtin, Scalar scalar);
/// Packing: r = pack(components at operands[info]); r.. = unpack(a).
Handler pack_handler(Builtin builtin);

// ---- access.cpp

void check_index(Machine&, const Instruction&);   // r = b + a * stride after the checks; c: taint; info: IndexInfo
void load(Machine&, const Instruction&);          // r.. = memory at a; info: AccessInfo
void store(Machine&, const Instruction&);         // memory at a = operands[b]..; info: AccessInfo
void array_length(Machine&, const Instruction&);  // info: IndexInfo
void gather(Machine&, const Instruction&);        // r = register b + a of each lane
void scatter(Machine&, const Instruction&);       // register r + a of each active lane = b
/// r = the old value of memory at a, then changed by b. AtomicLoad, AtomicStore lack one of them.
Handler atomic_handler(Builtin builtin, Scalar scalar);

// ---- control.cpp: r, a, b are registers that hold masks

void jump_if_none(Machine&, const Instruction&);  // to target
void if_begin(Machine&, const Instruction&);      // r = mask & ~a; mask &= a; none: to target
void if_else(Machine&, const Instruction&);       // r = mask; mask = a; none: to target
void mask_join(Machine&, const Instruction&);     // mask |= a
void mask_set(Machine&, const Instruction&);      // mask = a
void mask_save(Machine&, const Instruction&);     // r = mask
void mask_leave(Machine&, const Instruction&);    // r |= mask; mask = 0 (r may be no_register)
void mask_collect(Machine&, const Instruction&);  // r |= mask
void mask_clear(Machine&, const Instruction&);    // r = 0
void loop_test(Machine&, const Instruction&);     // r |= mask & ~a; mask &= a; none: to target (a may be no_register)
void loop_back(Machine&, const Instruction&);     // counts, jumps to target; info: source range
void case_begin(Machine&, const Instruction&);    // mask = b & a; b &= ~a; none: to target
void workgroup_barrier(Machine&, const Instruction&);  // info: source range
void storage_barrier(Machine&, const Instruction&);

// ---- subgroups.cpp

Handler subgroup_handler(Builtin builtin, Scalar scalar);

// ---- matrices.cpp: matrices of whole subgroups, matrix_components registers each

void load_matrix(Machine&, const Instruction&);        // r.. ; a: offset, b: stride, c: address; info: MatrixInfo
void store_matrix(Machine&, const Instruction&);       // operands[target].. ; a, b, c, info as above
void multiply_matrices(Machine&, const Instruction&);  // r.. = left, right, sum at operands[target]; info: source range

}  // namespace driftwood::shader::interpreter
