/* SPDX-License-Identifier: Apache-2.0
 *
 * native.h - private to the reader of litmus tests with PTX bodies. */
#ifndef SIMTLAB_MEMMODEL_NATIVE_H
#define SIMTLAB_MEMMODEL_NATIVE_H

#include "memmodel/reader.h"

enum { MAX_MODIFIERS = 12 };

/* ".relaxed" and the like; taken once an instruction has understood it. */
struct modifier {
    const char *text;
    struct loc at;
    bool taken;
};

struct native_jump {
    uint32_t instruction;
    const char *label;
    struct loc at;
};

struct native_label {
    const char *name;
    uint32_t target;
};

struct native {
    struct reader r;
    struct test_thread *thread; /* the one being read */
    struct modifier modifiers[MAX_MODIFIERS];
    uint32_t modifier_count;
    struct {
        struct native_jump *items;
        uint32_t count, capacity;
    } jumps;
    struct {
        struct native_label *items;
        uint32_t count, capacity;
    } labels;
};

struct native_type {
    const char *name;
    uint32_t bits;
    bool is_signed;
};

/* NULL when the name is no type. */
const struct native_type *native_type_find(const char *name);
/* A register by name, declared by its prefix when new. */
uint32_t native_register(struct native *n);
/* True, once, when the instruction has the modifier. */
bool native_take(struct native *n, const char *name);
/* The first type among the modifiers that is left. */
const struct native_type *native_take_type(struct native *n, struct loc at);
/* A register of so many bits (or, where PTX allows it, more); "_" is none. */
uint32_t native_result(struct native *n, uint32_t bits, bool or_wider);
struct operand native_operand(struct native *n, uint32_t bits, bool or_wider);
/* native_alu.c: false when the name is no arithmetic or branch. */
bool native_arithmetic(struct native *n, struct instruction *i, const char *name);
/* One instruction, up to and including its semicolon. */
void native_instruction(struct native *n);

#endif
