/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_type.c - PTX types beside IR types, and which registers fit which
 * instruction types. */
#include "frontend/ptx/lower.h"

enum ir_type type_of(uint32_t word)
{
    switch (word) {
#define SAME(name) case W_##name: return IR_##name;
    SAME(pred) SAME(b8) SAME(u8) SAME(s8) SAME(b16) SAME(u16) SAME(s16)
    SAME(f16) SAME(bf16) SAME(e4m3x2) SAME(e5m2x2) SAME(b32) SAME(u32)
    SAME(s32) SAME(f32) SAME(tf32) SAME(f16x2) SAME(bf16x2) SAME(u16x2)
    SAME(s16x2) SAME(b64) SAME(u64) SAME(s64) SAME(f64) SAME(f32x2) SAME(b128)
#undef SAME
    default: return IR_none;
    }
}

uint32_t type_bits_word(uint32_t word)
{
    switch (word_bits(word)) {
    case 8: return W_b8;
    case 16: return W_b16;
    case 32: return W_b32;
    case 64: return W_b64;
    case 128: return W_b128;
    default: return word;
    }
}

uint32_t type_double_word(uint32_t word)
{
    switch (word) {
    case W_u8: return W_u16;
    case W_s8: return W_s16;
    case W_u16: return W_u32;
    case W_s16: return W_s32;
    case W_u32: return W_u64;
    case W_s32: return W_s64;
    case W_b16: return W_b32;
    case W_b32: return W_b64;
    default: return W_NONE;
    }
}

enum ir_type type_register(uint32_t word)
{
    switch (word_bits(word)) {
    case 1: return word == W_pred ? IR_pred : IR_none;
    case 8:
    case 16: return IR_b16;
    case 32: return IR_b32;
    case 64: return IR_b64;
    case 128: return IR_b128;
    default: return IR_none;
    }
}

static bool is_integer(enum word_class class)
{
    return class == CLASS_UNSIGNED || class == CLASS_SIGNED;
}

/* PTX ISA, "Type Checking Rules": the sizes agree, and so do the kinds:
 * untyped bits go with anything, signed with unsigned. Operands of ld, st and
 * cvt may be wider (tables "Relaxed Type-checking Rules"). */
bool type_agrees(uint32_t register_type, uint32_t type, bool wider)
{
    enum word_class r = word_class(register_type), t = word_class(type);
    uint32_t have = word_bits(register_type), want = word_bits(type);

    if (r == CLASS_PREDICATE || t == CLASS_PREDICATE)
        return r == t;
    if (r == CLASS_OPAQUE || t == CLASS_OPAQUE)
        return false;
    if (wider ? have < want : have != want)
        return false;
    return r == CLASS_BITS || t == CLASS_BITS || is_integer(r) == is_integer(t);
}
