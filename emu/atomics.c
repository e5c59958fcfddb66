/* SPDX-License-Identifier: Apache-2.0
 *
 * atomics.c - atom and red.
 *
 * What an atomic computes is the row of its operation in ir/ops.def, over the
 * old value and the operands. Lanes take their turns in ascending order; the
 * elements of a vector are atomic one by one (PTX ISA, "atom"). */
#include "emu/memory_ops.h"

#include <assert.h>

enum { MAX_ELEMENTS = 8, MAX_BYTES = 16 };

/* The typing of the op for the type: its own, else that of plain integers or
 * bits of the same width, which add, exch, cas and the logic ops share. */
static enum ir_row atomic_row(enum ir_op op, enum ir_type type)
{
    static const enum ir_type bits[] = {IR_b16, IR_b32, IR_b64};
    static const enum ir_type unsigneds[] = {IR_u16, IR_u32, IR_u64};
    enum ir_row row = ir_row_find(op, type, type);
    bool integer = ir_types[type].kind == IR_KIND_B || ir_types[type].kind == IR_KIND_U ||
                   ir_types[type].kind == IR_KIND_S;
    bool any_bits = op == IR_OP_exch || op == IR_OP_cas;

    for (unsigned i = 0; i < 3 && row == IR_ROW_COUNT; i++) {
        if (ir_types[bits[i]].bits != ir_types[type].bits || !(integer || any_bits))
            continue;
        if (op != IR_OP_min && op != IR_OP_max)
            row = ir_row_find(op, bits[i], bits[i]);
        if (row == IR_ROW_COUNT && op == IR_OP_add)
            row = ir_row_find(op, unsigneds[i], unsigneds[i]);
    }
    return row;
}

bool atomic_known(const struct ir_inst *inst)
{
    return (inst->type == IR_b128 && (inst->sub == IR_OP_exch || inst->sub == IR_OP_cas)) ||
           atomic_row(inst->sub, inst->type) != IR_ROW_COUNT;
}

/* One element: what it was and what it becomes. */
struct element {
    unsigned char old[MAX_BYTES], new[MAX_BYTES];
};

struct combine {
    const struct code *code;
    enum ir_row row;
    unsigned bytes;
};

/* How values combine in a space. Measured on H200: atom.add.f32 flushes denormals
 * in global memory and keeps them in shared memory; all other floating-point
 * atomics keep them (.noftz). atom.add.f64 hands a NaN through as it is in global
 * memory, the operand's before the memory's; in shared memory it is a loop around
 * the ordinary addition of operand and memory, in this order. */
struct rule {
    enum ir_row row;
    unsigned mode;
    bool hands_nans, operand_first;
};

static struct rule rule_in(const struct combine *combine, enum ir_space space)
{
    const struct code *code = combine->code;
    bool global = space == IR_SPACE_GLOBAL;
    bool f64_sum = code->type == IR_f64 && code->sub == IR_OP_add;
    /* Measured: bulk and tensor reductions keep the denormals of f32. */
    bool flushes = code->type == IR_f32 && global && !is_async_proxy(code->op);

    return (struct rule){combine->row, flushes ? MODE_FTZ : 0,
                         f64_sum && global, f64_sum && !global};
}

static bool is_nan64(uint64_t bits)
{
    return bits << 1 > UINT64_C(0x7ff) << 53;
}

static inline uint64_t rule_eval(const struct rule *rule,
                                 const uint64_t source[IR_ROW_SOURCES])
{
    if (rule->hands_nans && is_nan64(source[1]))
        return source[1];
    if (rule->hands_nans && is_nan64(source[0]))
        return source[0];
    if (rule->operand_first) {
        const uint64_t swapped[IR_ROW_SOURCES] = {source[1], source[0]};
        return ir_row_eval(rule->row, swapped, rule->mode);
    }
    return ir_row_eval(rule->row, source, rule->mode);
}

/* operand: the words of this element, one operand after the other. */
static void combine_element(const struct combine *combine, struct element *element,
                            const unsigned char operand[2][MAX_BYTES],
                            const struct rule *rule)
{
    bool cas = combine->code->sub == IR_OP_cas;

    if (combine->bytes == 16) {
        const unsigned char *new = cas ? operand[1] : operand[0];
        if (cas && memcmp(element->old, operand[0], 16) != 0)
            new = element->old;
        memcpy(element->new, new, 16);
        return;
    }
    uint64_t source[IR_ROW_SOURCES] = {0};
    memcpy(&source[0], element->old, combine->bytes);
    memcpy(&source[1], operand[0], combine->bytes);
    memcpy(&source[2], operand[1], combine->bytes);
    uint64_t result = rule_eval(rule, source);
    memcpy(element->new, &result, combine->bytes);
}

bool atomic_element(const struct code *code, enum ir_space space, unsigned char *host,
                    const unsigned char *operand)
{
    struct combine combine = {code, atomic_row(code->sub, code->type),
                              ir_type_bytes(code->type)};
    struct rule rule = rule_in(&combine, space);
    unsigned char operands[2][MAX_BYTES] = {{0}};
    struct element element = {{0}, {0}};

    memcpy(operands[0], operand, combine.bytes);
    memcpy(element.old, host, combine.bytes);
    combine_element(&combine, &element, (const unsigned char(*)[MAX_BYTES])operands, &rule);
    if (memcmp(element.old, element.new, combine.bytes) == 0)
        return false;
    memcpy(host, element.new, combine.bytes);
    return true;
}

/* All elements of one lane. Returns whether memory changed. */
static bool combine_lane(const struct step *step, const struct combine *combine,
                         unsigned lane, unsigned char *host, const struct rule *rule)
{
    const struct code *code = step->code;
    unsigned bytes = combine->bytes, count = code->vector;
    unsigned char operand[MAX_ELEMENTS][2][MAX_BYTES];
    bool changed = false;

    /* All operands are read first: a destination may be the same register. */
    for (unsigned e = 0; e < count; e++)
        for (unsigned k = 0; k < 2; k++) {
            unsigned i = 2 + k * count + e;
            if (i < code->sources)
                memcpy(operand[e][k],
                       (unsigned char *)operand_at(step->base, source_operand(code, i)) +
                           (size_t)lane * code->value_bytes,
                       bytes);
            else
                memset(operand[e][k], 0, bytes);
        }
    for (unsigned e = 0; e < count; e++) {
        struct element element;
        memcpy(element.old, host + e * bytes, bytes);
        combine_element(combine, &element,
                        (const unsigned char(*)[MAX_BYTES])operand[e], rule);
        if (memcmp(element.old, element.new, bytes) != 0) {
            changed = true;
            memcpy(host + e * bytes, element.new, bytes);
        }
        if (e >= code->destinations || code->operands[e] == OPERAND_ABSENT)
            continue;
        unsigned char *to = (unsigned char *)operand_at(step->base, code->operands[e]) +
                            (size_t)lane * code->value_bytes;
        memset(to, 0, code->value_bytes);
        memcpy(to, element.old, bytes);
    }
    return changed;
}

/* --- fast ways ----------------------------------------------------------------------- */

/* Operand rows of single elements of the register's own width. */
static const void *operand_row(const struct step *step, unsigned i)
{
    static const uint64_t nothing[LANES];
    const struct code *code = step->code;

    return i < code->sources ? operand_at(step->base, source_operand(code, i)) : nothing;
}

#define COMBINE_LANES(word)                                                  \
    static bool combine_##word(const struct step *step, const struct rule *rule, \
                               unsigned char *host, const uint64_t offset[LANES]) \
    {                                                                        \
        const struct code *code = step->code;                                \
        const word *b = operand_row(step, 2), *c = operand_row(step, 3);     \
        word *to = code->destinations && code->operands[0] != OPERAND_ABSENT \
                       ? operand_at(step->base, code->operands[0]) : NULL;   \
        word changed = 0;                                                    \
        FOR_LANES (lane, step->mask) {                                       \
            word old, new;                                                   \
            memcpy(&old, host + offset[lane], sizeof old);                   \
            const uint64_t source[IR_ROW_SOURCES] = {old, b[lane], c[lane]}; \
            new = (word)rule_eval(rule, source);                             \
            memcpy(host + offset[lane], &new, sizeof new);                   \
            changed |= old ^ new;                                            \
            if (to)                                                          \
                to[lane] = old;                                              \
        }                                                                    \
        return changed != 0;                                                 \
    }
COMBINE_LANES(uint32_t)
COMBINE_LANES(uint64_t)

/* The event comes first, so this is nothing for an observed compare-and-swap. */
static bool atomic_fast(const struct step *step, const struct combine *combine,
                        bool *changed)
{
    const struct code *code = step->code;
    const uint32_t size = combine->bytes * code->vector;
    uint64_t offset[LANES];
    struct window window;

    enum access_lie lie = place_lanes(step, FINDING_ATOMIC, size, &window, offset);
    if (!lie)
        return false;
    if (step->warp->block->state->observed)
        access_report_window(&window, lie, offset, step->warp, step->fragment->frame, code,
                             ACCESS_ATOMIC, size, step->mask, NULL);
    const struct rule rule = rule_in(combine, window.space);
    bool single = code->vector == 1 && code->value_bytes == combine->bytes;
    if (single && combine->bytes == 4)
        *changed = combine_uint32_t(step, &rule, window.host, offset);
    else if (single && combine->bytes == 8)
        *changed = combine_uint64_t(step, &rule, window.host, offset);
    else
        FOR_LANES (lane, step->mask)
            *changed |= combine_lane(step, combine, lane, window.host + offset[lane], &rule);
    return true;
}

/* --- lane by lane ---------------------------------------------------------------------- */

/* Will this compare-and-swap, if it comes next, write? */
static bool cas_succeeds(const struct step *step, unsigned lane, const unsigned char *host,
                         unsigned bytes)
{
    for (unsigned e = 0; e < step->code->vector; e++) {
        const unsigned char *expected =
            (unsigned char *)operand_at(step->base, source_operand(step->code, 2 + e)) +
            (size_t)lane * step->code->value_bytes;
        if (memcmp(host + e * bytes, expected, bytes) == 0)
            return true;
    }
    return false;
}

static bool atomic_each(const struct step *step, const struct combine *combine)
{
    const struct code *code = step->code;
    struct access access = {.kind = FINDING_ATOMIC, .size = combine->bytes * code->vector};
    bool cas = code->sub == IR_OP_cas, changed = false;

    access_addresses(step->warp, step->fragment, code, step->base, step->mask,
                     access.address);
    access_resolve(&access, step->warp, step->fragment, code, code->space, step->mask);
    if (!cas)
        access_report(&access, step->warp, code, ACCESS_ATOMIC, access.mask);
    FOR_LANES (lane, step->mask) {
        unsigned char *host = access.host[lane];
        if (!host) {
            for (unsigned e = 0; e < code->destinations; e++)
                if (code->operands[e] != OPERAND_ABSENT)
                    memset((unsigned char *)operand_at(step->base, code->operands[e]) +
                               (size_t)lane * code->value_bytes,
                           0, code->value_bytes);
            continue;
        }
        /* Whether a compare-and-swap writes depends on the lanes before. */
        if (cas)
            access_report(&access, step->warp, code,
                          cas_succeeds(step, lane, host, combine->bytes)
                              ? ACCESS_ATOMIC : ACCESS_FAILED_CAS,
                          UINT32_C(1) << lane);
        bool global = access.in[IR_SPACE_GLOBAL] >> lane & 1;
        const struct rule rule = rule_in(combine, global ? IR_SPACE_GLOBAL : IR_SPACE_SHARED);
        changed |= combine_lane(step, combine, lane, host, &rule);
    }
    return changed;
}

void atomic_execute(const struct step *step)
{
    const struct code *code = step->code;
    const struct combine combine = {
        code, code->type == IR_b128 ? IR_ROW_COUNT : atomic_row(code->sub, code->type),
        ir_type_bytes(code->type)};
    bool changed = false;

    assert(atomic_known(code->ir));
    bool each = code->sub == IR_OP_cas && step->warp->block->state->observed;
    if (each || !atomic_fast(step, &combine, &changed))
        changed = atomic_each(step, &combine);
    if (changed)
        step_changed(step);
    else
        step->fragment->polls++;
}
