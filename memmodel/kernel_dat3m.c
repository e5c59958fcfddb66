/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_dat3m.c - instructions of the Dat3M grammar as PTX.
 *
 * They have no PTX text of their own: it is made from what the reader understood.
 * Values are 64-bit. */
#include "memmodel/kernel_code.h"

#include <inttypes.h>

static const char *order_name(uint32_t order)
{
    if (order & ORDER_SC)
        return ".sc";
    switch (order & (ORDER_ACQUIRE | ORDER_RELEASE)) {
    case ORDER_ACQUIRE: return ".acquire";
    case ORDER_RELEASE: return ".release";
    case ORDER_ACQUIRE | ORDER_RELEASE: return ".acq_rel";
    default: return order ? ".relaxed" : "";
    }
}

static const char *atomic_name(enum operation operation)
{
    switch (operation) {
    case OP_ADD: case OP_SUB: return "add.u64";
    case OP_AND: return "and.b64";
    case OP_OR: return "or.b64";
    case OP_XOR: return "xor.b64";
    case OP_EXCH: return "exch.b64";
    case OP_CAS: return "cas.b64";
    default: return NULL;
    }
}

static const char *alu_name(enum operation operation)
{
    switch (operation) {
    case OP_MOV: return "mov.b64";
    case OP_ADD: return "add.s64";
    case OP_SUB: return "sub.s64";
    case OP_MUL: return "mul.lo.s64";
    case OP_DIV: return "div.s64";
    case OP_EQ: return "setp.eq.s64";
    case OP_NE: return "setp.ne.s64";
    case OP_LT: return "setp.lt.s64";
    case OP_LE: return "setp.le.s64";
    case OP_GT: return "setp.gt.s64";
    case OP_GE: return "setp.ge.s64";
    default: return NULL;
    }
}

static const char other_barriers[] = "its barriers name their phase, which those of PTX count";

static const char *refused(const struct instruction *i)
{
    switch (i->kind) {
    case INSTR_LOAD: case INSTR_STORE:
        return i->proxy == PROXY_GENERIC ? NULL
                                         : "it uses texture, surface or constant memory";
    case INSTR_ATOM:
        if (i->proxy != PROXY_GENERIC)
            return "it uses texture, surface or constant memory";
        if (i->is_reduction && (i->operation == OP_EXCH || i->operation == OP_CAS ||
                                i->order & ORDER_ACQUIRE))
            return "PTX has no such red";
        return atomic_name(i->operation) ? NULL : "PTX has no such atomic";
    case INSTR_ALU:
        return alu_name(i->operation) ? NULL : "PTX has no such instruction";
    case INSTR_BRANCH: case INSTR_EXIT: case INSTR_FENCE:
        return NULL;
    case INSTR_BARRIER:
        return i->arrives_only || i->has_count || (i->has_id && i->id.is_register)
                   ? other_barriers : NULL;
    default:
        return "it has proxy fences of the Dat3M grammar";
    }
}

/* The next barrier of a thread from an instruction on; code_count: none. */
static uint32_t next_barrier(const struct test_thread *t, uint32_t from)
{
    while (from < t->code_count && t->code[from].kind != INSTR_BARRIER)
        from++;
    return from;
}

/* A barrier names its phase there. That is PTX's counting as long as the threads of a
 * block come to the same phases in the same order, and none is skipped or repeated. */
static bool counts_phases(const struct test_thread *t)
{
    for (uint32_t b = next_barrier(t, 0); b < t->code_count; b = next_barrier(t, b + 1))
        for (uint32_t i = 0; i < t->code_count; i++) {
            const struct instruction *jump = &t->code[i];
            if (jump->kind == INSTR_BRANCH &&
                (i < b ? jump->target > b : jump->target <= b))
                return false;
        }
    return true;
}

static bool same_phases(const struct test_thread *a, const struct test_thread *b)
{
    uint32_t i = next_barrier(a, 0), k = next_barrier(b, 0);

    while (i < a->code_count && k < b->code_count) {
        const struct instruction *x = &a->code[i], *y = &b->code[k];
        if (x->instance != y->instance || x->id.value != y->id.value)
            return false;
        i = next_barrier(a, i + 1);
        k = next_barrier(b, k + 1);
    }
    return i == a->code_count && k == b->code_count;
}

static bool barriers_agree(const struct test *test)
{
    for (uint32_t t = 0; t < test->thread_count; t++) {
        if (!counts_phases(&test->threads[t]))
            return false;
        for (uint32_t o = 0; o < t; o++)
            if (test->threads[o].cta == test->threads[t].cta &&
                !same_phases(&test->threads[o], &test->threads[t]))
                return false;
    }
    return true;
}

const char *kernel_dat3m_refused(const struct test *test)
{
    for (uint32_t t = 0; t < test->thread_count; t++) {
        const struct test_thread *thread = &test->threads[t];
        for (uint32_t r = 0; r < thread->register_count; r++)
            if (thread->registers[r].initial_is_address)
                return "a register holds an address from the start";
        for (uint32_t i = 0; i < thread->code_count; i++) {
            const char *problem = refused(&thread->code[i]);
            if (problem)
                return problem;
        }
    }
    return barriers_agree(test) ? NULL : other_barriers;
}

static const char *register_name(struct kernel_writer *w, uint32_t thread, uint32_t reg)
{
    return arena_printf(w->arena, "%%t%u_%s", thread,
                        w->test->threads[thread].registers[reg].name + 1);
}

static const char *operand_text(struct kernel_writer *w, uint32_t thread, struct operand o)
{
    return o.is_register ? register_name(w, thread, o.reg)
                         : arena_printf(w->arena, "%" PRId64, o.value);
}

static const char *place_of(struct kernel_writer *w, const struct instruction *i)
{
    return arena_printf(w->arena, "%s%s", w->many ? "%at_" : "",
                        w->test->locations[i->address.location].name);
}

static void write_atomic(struct kernel_writer *w, uint32_t thread, const struct instruction *i)
{
    const char *source = operand_text(w, thread, i->source[0]);

    if (i->operation == OP_SUB) {
        text_printf(w->out, "mov.b64 %%value, %s;\n    neg.s64 %%value, %%value;\n    ", source);
        source = "%value";
    }
    text_printf(w->out, "%s%s.%s.global.%s ", i->is_reduction ? "red" : "atom",
                order_name(i->order), scope_name(i->scope), atomic_name(i->operation));
    if (!i->is_reduction)
        text_printf(w->out, "%s, ", register_name(w, thread, i->result[0]));
    text_printf(w->out, "[%s], %s", place_of(w, i), source);
    if (i->operation == OP_CAS)
        text_printf(w->out, ", %s", operand_text(w, thread, i->source[1]));
    text_puts(w->out, ";\n");
}

static void write_alu(struct kernel_writer *w, uint32_t thread, const struct instruction *i)
{
    text_printf(w->out, "%s %s, %s", alu_name(i->operation),
                register_name(w, thread, i->result[0]), operand_text(w, thread, i->source[0]));
    if (i->operation != OP_MOV)
        text_printf(w->out, ", %s", operand_text(w, thread, i->source[1]));
    text_puts(w->out, ";\n");
}

void kernel_dat3m_instruction(struct kernel_writer *w, uint32_t thread,
                              const struct instruction *i)
{
    const char *order = order_name(i->order);
    const char *scope = i->order ? arena_printf(w->arena, ".%s", scope_name(i->scope)) : "";

    switch (i->kind) {
    case INSTR_LOAD:
        text_printf(w->out, "ld%s%s.global.u64 %s, [%s];\n", order, scope,
                    register_name(w, thread, i->result[0]), place_of(w, i));
        break;
    case INSTR_STORE: /* a register, since a store takes no large literals */
        text_printf(w->out, "mov.b64 %%value, %s;\n    st%s%s.global.u64 [%s], %%value;\n",
                    operand_text(w, thread, i->source[0]), order, scope, place_of(w, i));
        break;
    case INSTR_ATOM:
        write_atomic(w, thread, i);
        break;
    case INSTR_BARRIER:
        text_printf(w->out, "bar.sync %" PRId64 ";\n", i->has_id ? i->id.value : 0);
        break;
    case INSTR_FENCE:
        text_printf(w->out, "fence%s%s;\n", order, scope);
        break;
    default:
        write_alu(w, thread, i);
        break;
    }
}
