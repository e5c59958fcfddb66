/* SPDX-License-Identifier: Apache-2.0
 *
 * native_code.c - the PTX instructions that litmus tests may use.
 *
 * Requires: the reader at the first token of a statement. Everything that
 * touches memory or orders it is here; of arithmetic, what tests need to make
 * values, dependencies and loops. Anything else is refused with its place. */
#include <stdlib.h>
#include <string.h>

#include "memmodel/native.h"

bool native_take(struct native *n, const char *name)
{
    for (uint32_t i = 0; i < n->modifier_count; i++)
        if (!n->modifiers[i].taken && !strcmp(n->modifiers[i].text, name)) {
            n->modifiers[i].taken = true;
            return true;
        }
    return false;
}

static bool next_is_modifier(struct native *n, uint32_t index, const char *name)
{
    return index < n->modifier_count && !strcmp(n->modifiers[index].text, name);
}

const struct native_type *native_take_type(struct native *n, struct loc at)
{
    for (uint32_t i = 0; i < n->modifier_count; i++) {
        const struct native_type *type = native_type_find(n->modifiers[i].text);
        if (type && !n->modifiers[i].taken) {
            n->modifiers[i].taken = true;
            return type;
        }
    }
    reader_fail(&n->r, at, "this instruction needs an integer type such as .u32");
}

static bool take_scope(struct native *n, enum scope *scope)
{
    for (enum scope s = SCOPE_CTA; s <= SCOPE_SYS; s++)
        if (native_take(n, scope_name(s))) {
            *scope = s;
            return true;
        }
    return false;
}

/* The state space; what a direct address may then name. */
enum space_word { SPACE_GENERIC, SPACE_WORD_GLOBAL, SPACE_WORD_CTA, SPACE_WORD_CLUSTER };

static enum space_word take_space(struct native *n)
{
    if (native_take(n, "global"))
        return SPACE_WORD_GLOBAL;
    if (native_take(n, "shared::cluster"))
        return SPACE_WORD_CLUSTER;
    if (native_take(n, "shared::cta") || native_take(n, "shared"))
        return SPACE_WORD_CTA;
    return SPACE_GENERIC;
}

/* PTX ISA, "State spaces": a block reaches its own shared memory, and that of
 * its cluster through .shared::cluster or a generic address. */
static void check_space(struct native *n, const struct test_location *l,
                        enum space_word space, struct loc at)
{
    const struct test *test = n->r.test;
    const struct test_thread *t = n->thread;

    if (l->space == SPACE_GLOBAL) {
        if (space == SPACE_WORD_CTA || space == SPACE_WORD_CLUSTER)
            reader_fail(&n->r, at, "%s is in global memory", l->name);
        return;
    }
    if (space == SPACE_WORD_GLOBAL)
        reader_fail(&n->r, at, "%s is in shared memory", l->name);
    if (l->cta == t->cta)
        return;
    if (space == SPACE_WORD_CTA)
        reader_fail(&n->r, at, "%s is in the shared memory of block %u; only "
                    ".shared::cluster reaches it", l->name, l->cta);
    for (uint32_t o = 0; o < test->thread_count; o++)
        if (test->threads[o].cta == l->cta && test->threads[o].gpu == t->gpu &&
            test->threads[o].cluster == t->cluster)
            return;
    reader_fail(&n->r, at, "%s is in the shared memory of block %u, which is not in "
                "this thread's cluster (name that block's threads first)",
                l->name, l->cta);
}

static struct address read_address(struct native *n, enum space_word space)
{
    struct reader *r = &n->r;
    struct address address = {0};

    reader_expect(r, "[");
    struct loc at = r->token.at;
    if (r->token.kind == TOKEN_WORD && r->token.text[0] == '%') {
        address.is_register = true;
        address.reg = native_register(n);
        if (n->thread->registers[address.reg].width != 64)
            reader_fail(r, at, "an address needs a 64-bit register");
    } else {
        const char *name = reader_word(r, "a variable or a register");
        address.location = find_location(r->test, name);
        if (address.location == UINT32_MAX)
            reader_fail(r, at, "there is no variable %s", name);
        check_space(n, &r->test->locations[address.location], space, at);
    }
    if (reader_is(r, "+") || reader_is(r, "-")) {
        bool negative = reader_is(r, "-");
        reader_advance(r);
        address.offset = reader_integer(r, "an offset");
        if (negative)
            address.offset = -address.offset;
    }
    reader_expect(r, "]");
    return address;
}

/* PTX ISA, "Operands": registers of ld and st may be wider than the type,
 * those of other instructions match it. */
uint32_t native_result(struct native *n, uint32_t bits, bool or_wider)
{
    struct reader *r = &n->r;
    struct loc at = r->token.at;

    if (reader_accept(r, "_"))
        return NO_REGISTER;
    uint32_t reg = native_register(n);
    uint32_t width = n->thread->registers[reg].width;
    if (width != bits && !(or_wider && width > bits))
        reader_fail(r, at, "%s has %u bits, but %u are needed here",
                    n->thread->registers[reg].name, width, bits);
    return reg;
}

struct operand native_operand(struct native *n, uint32_t bits, bool or_wider)
{
    struct reader *r = &n->r;

    if (r->token.kind == TOKEN_WORD && r->token.text[0] == '%')
        return (struct operand){.is_register = true,
                                .reg = native_result(n, bits, or_wider)};
    return (struct operand){.value = reader_integer(r, "a value or a register")};
}

static void comma(struct native *n)
{
    reader_expect(&n->r, ",");
}

static void sized(struct native *n, struct instruction *i, const struct native_type *type)
{
    if (type->bits < 8)
        reader_fail(&n->r, i->at, "predicates have no place in memory");
    i->width = type->bits / 8;
    i->is_signed = type->is_signed;
}

/* --- loads, stores, atomics ---------------------------------------------------------- */

/* PTX ISA, "ld", "st": weak unless told; volatile is relaxed at sys scope;
 * relaxed, acquire and release need a scope. */
static void read_strength(struct native *n, struct instruction *i, const char *ordered,
                          uint32_t order)
{
    bool mmio = native_take(n, "mmio");

    if (native_take(n, "volatile")) {
        i->order = ORDER_RELAXED;
        i->scope = SCOPE_SYS;
        return;
    }
    if (native_take(n, "relaxed"))
        i->order = ORDER_RELAXED;
    else if (native_take(n, ordered))
        i->order = order;
    else {
        native_take(n, "weak");
        if (mmio)
            reader_fail(&n->r, i->at, ".mmio goes with .relaxed.sys");
        return;
    }
    if (!take_scope(n, &i->scope))
        reader_fail(&n->r, i->at, "a strong access needs a scope: .cta, .cluster, "
                    ".gpu or .sys");
}

static void read_vector(struct native *n, struct instruction *i)
{
    if (native_take(n, "v2"))
        i->elements = 2;
    else if (native_take(n, "v4"))
        i->elements = 4;
    if (i->elements > 1 && i->elements * i->width > 32)
        reader_fail(&n->r, i->at, "a vector has at most 32 bytes");
}

static void read_load(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    i->kind = INSTR_LOAD;
    read_strength(n, i, "acquire", ORDER_STRONG | ORDER_ACQUIRE);
    enum space_word space = take_space(n);
    /* PTX ISA, "Proxies": the non-coherent path is not the generic proxy. */
    if (native_take(n, "nc"))
        i->proxy = PROXY_TEXTURE;
    sized(n, i, native_take_type(n, i->at));
    read_vector(n, i);
    if (i->elements > 1)
        reader_expect(r, "{");
    for (uint32_t e = 0; e < i->elements; e++) {
        if (e)
            comma(n);
        i->result[e] = native_result(n, i->width * 8, true);
    }
    if (i->elements > 1)
        reader_expect(r, "}");
    comma(n);
    i->address = read_address(n, space);
}

static void read_store(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    i->kind = INSTR_STORE;
    read_strength(n, i, "release", ORDER_STRONG | ORDER_RELEASE);
    enum space_word space = take_space(n);
    sized(n, i, native_take_type(n, i->at));
    read_vector(n, i);
    i->address = read_address(n, space);
    comma(n);
    if (i->elements > 1)
        reader_expect(r, "{");
    for (uint32_t e = 0; e < i->elements; e++) {
        if (e)
            comma(n);
        i->source[e] = native_operand(n, i->width * 8, true);
    }
    if (i->elements > 1)
        reader_expect(r, "}");
}

static void take_order(struct native *n, struct instruction *i, uint32_t otherwise)
{
    i->order = otherwise;
    if (native_take(n, "relaxed"))
        i->order = ORDER_RELAXED;
    else if (native_take(n, "acquire"))
        i->order = ORDER_STRONG | ORDER_ACQUIRE;
    else if (native_take(n, "release"))
        i->order = ORDER_STRONG | ORDER_RELEASE;
    else if (native_take(n, "acq_rel"))
        i->order = ORDER_ACQ_REL;
}

static void read_atomic(struct native *n, struct instruction *i, bool reduces)
{
    static const struct {
        const char *name;
        enum operation operation, unsigned_operation;
    } operations[] = {
        {"add", OP_ADD, OP_ADD}, {"and", OP_AND, OP_AND}, {"or", OP_OR, OP_OR},
        {"xor", OP_XOR, OP_XOR}, {"exch", OP_EXCH, OP_EXCH}, {"cas", OP_CAS, OP_CAS},
        {"min", OP_MIN, OP_UMIN}, {"max", OP_MAX, OP_UMAX}, {"inc", OP_INC, OP_INC},
        {"dec", OP_DEC, OP_DEC}};

    i->kind = INSTR_ATOM;
    i->is_reduction = reduces;
    take_order(n, i, ORDER_RELAXED); /* PTX ISA, "atom": relaxed.gpu */
    if (reduces && (i->order & ORDER_ACQUIRE))
        reader_fail(&n->r, i->at, "red is relaxed or release");
    i->scope = SCOPE_GPU;
    take_scope(n, &i->scope);
    enum space_word space = take_space(n);
    bool found = false;
    for (size_t o = 0; o < sizeof operations / sizeof *operations && !found; o++)
        if (native_take(n, operations[o].name)) {
            const struct native_type *type = native_take_type(n, i->at);
            sized(n, i, type);
            i->operation = type->is_signed ? operations[o].operation
                                           : operations[o].unsigned_operation;
            found = true;
        }
    if (!found || (reduces && (i->operation == OP_EXCH || i->operation == OP_CAS)))
        reader_fail(&n->r, i->at, "this atomic operation is not known");
    if (i->width < 4 && i->operation != OP_CAS)
        reader_fail(&n->r, i->at, "atomics have 32 or 64 bits");
    if (!reduces) {
        i->result[0] = native_result(n, i->width * 8, false);
        comma(n);
    }
    i->address = read_address(n, space);
    comma(n);
    i->source[0] = native_operand(n, i->width * 8, false);
    if (i->operation == OP_CAS) {
        comma(n);
        i->source[1] = native_operand(n, i->width * 8, false);
    }
}

/* --- fences and barriers --------------------------------------------------------------- */

static void read_fence(struct native *n, struct instruction *i)
{
    i->kind = INSTR_FENCE;
    if (native_take(n, "proxy")) {
        i->kind = INSTR_PROXY_FENCE;
        if (native_take(n, "alias"))
            i->proxy = PROXY_ALIAS;
        else if (native_take(n, "async"))
            i->proxy = PROXY_ASYNC;
        else
            reader_fail(&n->r, i->at, "proxy fences are .alias and .async here");
        take_space(n);
        return;
    }
    /* Makes initialised mbarriers visible to the cluster, nothing else does. */
    bool init = native_take(n, "mbarrier_init");
    i->order = ORDER_ACQ_REL;
    if (native_take(n, "sc"))
        i->order |= ORDER_SC;
    else if (native_take(n, "acquire"))
        i->order = ORDER_STRONG | ORDER_ACQUIRE;
    else if (native_take(n, "release"))
        i->order = ORDER_STRONG | ORDER_RELEASE;
    else
        native_take(n, "acq_rel");
    if (init && i->order != (ORDER_STRONG | ORDER_RELEASE))
        reader_fail(&n->r, i->at, "expected fence.mbarrier_init.release.cluster");
    if (!take_scope(n, &i->scope))
        reader_fail(&n->r, i->at, "a fence needs a scope: .cta, .cluster, .gpu or .sys");
}

/* PTX ISA, "membar": from sm_70 on the same as fence.sc. */
static void read_membar(struct native *n, struct instruction *i)
{
    i->kind = INSTR_FENCE;
    i->order = ORDER_ACQ_REL | ORDER_SC;
    if (native_take(n, "cta"))
        i->scope = SCOPE_CTA;
    else if (native_take(n, "gl"))
        i->scope = SCOPE_GPU;
    else if (native_take(n, "sys"))
        i->scope = SCOPE_SYS;
    else
        reader_fail(&n->r, i->at, "membar is .cta, .gl or .sys");
}

static void read_warp_barrier(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    native_take(n, "sync");
    i->kind = INSTR_WARP_BARRIER;
    struct loc at = r->token.at;
    i->mask = (uint64_t)reader_integer(r, "a member mask") & 0xffffffffu;
    if (!(i->mask >> n->thread->lane & 1))
        reader_fail(r, at, "the mask leaves out lane %u, which executes it",
                    n->thread->lane);
}

static void read_cluster_barrier(struct native *n, struct instruction *i)
{
    native_take(n, "aligned");
    if (native_take(n, "arrive")) {
        i->kind = INSTR_CLUSTER_ARRIVE;
        i->order = native_take(n, "relaxed") ? ORDER_RELAXED : ORDER_STRONG | ORDER_RELEASE;
        native_take(n, "release");
    } else if (native_take(n, "wait")) {
        i->kind = INSTR_CLUSTER_WAIT;
        i->order = ORDER_STRONG | ORDER_ACQUIRE;
        native_take(n, "acquire");
    } else {
        reader_fail(&n->r, i->at, "barrier.cluster is .arrive or .wait");
    }
}

static void read_block_barrier(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    i->kind = INSTR_BARRIER;
    native_take(n, "cta");
    native_take(n, "aligned");
    if (native_take(n, "arrive"))
        i->arrives_only = true;
    else if (!native_take(n, "sync"))
        reader_fail(r, i->at, "block barriers are .sync and .arrive here");
    i->has_id = true;
    i->id = native_operand(n, 32, false);
    if (reader_accept(r, ",")) {
        struct loc at = r->token.at;
        i->has_count = true;
        i->count = native_operand(n, 32, false);
        if (!i->count.is_register && (i->count.value <= 0 || i->count.value % 32))
            reader_fail(r, at, "the number of threads is a multiple of 32");
    } else if (i->arrives_only) {
        reader_fail(r, i->at, "an arrival needs a number of threads");
    }
}

/* --- mbarrier ----------------------------------------------------------------------------- */

static void read_mbarrier(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    i->width = 8;
    i->scope = SCOPE_CTA;
    if (native_take(n, "init")) {
        enum space_word space = take_space(n);
        native_take(n, "b64");
        i->kind = INSTR_STORE;
        i->operation = OP_MB_INIT;
        i->address = read_address(n, space);
        comma(n);
        i->source[0] = native_operand(n, 32, true);
        return;
    }
    bool arrive = native_take(n, "arrive"), expect = native_take(n, "expect_tx");
    bool complete = native_take(n, "complete_tx");
    bool test = native_take(n, "test_wait") || native_take(n, "try_wait");
    if (arrive || expect || complete) {
        i->kind = INSTR_ATOM;
        i->is_reduction = true;
        i->operation = arrive ? OP_MB_ARRIVE : expect ? OP_MB_EXPECT : OP_MB_COMPLETE;
        take_order(n, i, arrive ? ORDER_STRONG | ORDER_RELEASE : ORDER_RELAXED);
        take_scope(n, &i->scope);
        enum space_word space = take_space(n);
        native_take(n, "b64");
        if (arrive && !reader_is(r, "[")) {
            i->result[0] = native_result(n, 64, false);
            comma(n);
        }
        i->address = read_address(n, space);
        i->source[0].value = 1;
        if (!arrive || expect) {
            comma(n);
            i->source[arrive] = native_operand(n, 32, true);
        } else if (reader_accept(r, ",")) {
            i->source[0] = native_operand(n, 32, true);
        }
        return;
    }
    if (!test)
        reader_fail(r, i->at, "this mbarrier instruction is not modelled");
    i->kind = INSTR_MBARRIER_TEST;
    i->by_state = !native_take(n, "parity");
    i->order = ORDER_STRONG | ORDER_ACQUIRE;
    if (native_take(n, "relaxed"))
        i->order = ORDER_RELAXED;
    else
        native_take(n, "acquire");
    take_scope(n, &i->scope);
    enum space_word space = take_space(n);
    native_take(n, "b64");
    i->result[0] = native_result(n, 1, false);
    comma(n);
    i->address = read_address(n, space);
    comma(n);
    i->source[0] = native_operand(n, i->by_state ? 64 : 32, false);
}

/* --- asynchronous copies ---------------------------------------------------------------------- */

static void read_copy_size(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;
    struct loc at = r->token.at;
    int64_t size = reader_integer(r, "a number of bytes");
    bool valid = i->is_bulk ? size == 16 || size == 32
                            : size == 4 || size == 8 || size == 16;

    if (!valid)
        reader_fail(r, at, i->is_bulk ? "bulk copies have 16 or 32 bytes here"
                                      : "a copy has 4, 8 or 16 bytes");
    i->width = (uint32_t)size;
}

static void read_bulk_copy(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    i->is_bulk = true;
    i->proxy = PROXY_ASYNC;
    if (native_take(n, "commit_group")) {
        i->kind = INSTR_COMMIT;
        return;
    }
    if (native_take(n, "wait_group")) {
        i->kind = INSTR_WAIT_GROUP;
        i->waits_for_reads = native_take(n, "read");
        i->pending = (uint32_t)reader_integer(r, "a number of groups");
        return;
    }
    i->kind = INSTR_COPY;
    enum space_word to = next_is_modifier(n, 2, "global") ? SPACE_WORD_GLOBAL
                                                          : SPACE_WORD_CLUSTER;
    enum space_word from = to == SPACE_WORD_GLOBAL ? SPACE_WORD_CTA : SPACE_WORD_GLOBAL;
    take_space(n);
    take_space(n);
    i->completes_by_mbarrier = native_take(n, "mbarrier::complete_tx::bytes");
    if (!i->completes_by_mbarrier && !native_take(n, "bulk_group"))
        reader_fail(r, i->at, "a bulk copy needs .mbarrier::complete_tx::bytes or "
                    ".bulk_group");
    i->scope = SCOPE_CLUSTER;
    i->address = read_address(n, to);
    comma(n);
    i->second = read_address(n, from);
    comma(n);
    read_copy_size(n, i);
    if (i->completes_by_mbarrier) {
        comma(n);
        i->third = read_address(n, SPACE_WORD_CLUSTER);
    }
}

static void read_copy(struct native *n, struct instruction *i)
{
    struct reader *r = &n->r;

    if (!native_take(n, "async"))
        reader_fail(r, i->at, "expected cp.async");
    if (native_take(n, "bulk")) {
        read_bulk_copy(n, i);
        return;
    }
    i->scope = SCOPE_CTA;
    if (native_take(n, "commit_group")) {
        i->kind = INSTR_COMMIT;
    } else if (native_take(n, "wait_group")) {
        i->kind = INSTR_WAIT_GROUP;
        i->pending = (uint32_t)reader_integer(r, "a number of groups");
    } else if (native_take(n, "wait_all")) {
        /* PTX ISA, "cp.async.wait_all": commit, then wait for every group. */
        i->kind = INSTR_COMMIT;
        struct instruction *wait =
            add_instruction(r, n->thread, INSTR_WAIT_GROUP, i->at);
        wait->guard = i->guard;
        wait->guard_negated = i->guard_negated;
    } else if (native_take(n, "mbarrier")) {
        if (!native_take(n, "arrive") || !native_take(n, "noinc"))
            reader_fail(r, i->at, "expected cp.async.mbarrier.arrive.noinc");
        enum space_word space = take_space(n);
        native_take(n, "b64");
        i->kind = INSTR_COPY_ARRIVE;
        i->address = read_address(n, space);
    } else {
        if (!native_take(n, "ca") && !native_take(n, "cg"))
            reader_fail(r, i->at, "expected cp.async.ca or cp.async.cg");
        take_space(n);
        take_space(n);
        i->kind = INSTR_COPY;
        i->address = read_address(n, SPACE_WORD_CTA);
        comma(n);
        i->second = read_address(n, SPACE_WORD_GLOBAL);
        comma(n);
        read_copy_size(n, i);
    }
}

/* --- one instruction -------------------------------------------------------------------------- */

static void read_barrier(struct native *n, struct instruction *i)
{
    if (native_take(n, "warp"))
        read_warp_barrier(n, i);
    else if (native_take(n, "cluster"))
        read_cluster_barrier(n, i);
    else
        read_block_barrier(n, i);
}

/* A variable that mbarrier instructions name is shown as such. */
static void mark_mbarrier(struct native *n, const struct address *address)
{
    if (!address->is_register)
        n->r.test->locations[address->location].is_mbarrier = true;
}

static void read_named(struct native *n, struct instruction *i, const char *name)
{
    if (!strcmp(name, "ld"))
        read_load(n, i);
    else if (!strcmp(name, "st"))
        read_store(n, i);
    else if (!strcmp(name, "atom"))
        read_atomic(n, i, false);
    else if (!strcmp(name, "red"))
        read_atomic(n, i, true);
    else if (!strcmp(name, "fence"))
        read_fence(n, i);
    else if (!strcmp(name, "membar"))
        read_membar(n, i);
    else if (!strcmp(name, "bar") || !strcmp(name, "barrier"))
        read_barrier(n, i);
    else if (!strcmp(name, "mbarrier")) {
        read_mbarrier(n, i);
        mark_mbarrier(n, &i->address);
    } else if (!strcmp(name, "cp"))
        read_copy(n, i);
    else if (!strcmp(name, "ret") || !strcmp(name, "exit"))
        i->kind = INSTR_EXIT;
    else if (!native_arithmetic(n, i, name))
        reader_fail(&n->r, i->at, "the instruction %s is not modelled here", name);
}

void native_instruction(struct native *n)
{
    struct reader *r = &n->r;
    struct loc at = r->token.at;
    const char *start = r->token.text;
    uint32_t guard = NO_REGISTER, before = n->thread->code_count;
    bool negated = false;

    if (reader_accept(r, "@")) {
        negated = reader_accept(r, "!");
        guard = native_register(n);
        if (n->thread->registers[guard].width != 1)
            reader_fail(r, at, "a guard is a predicate");
    }
    struct loc name_at = r->token.at;
    const char *name = reader_word(r, "an instruction");
    n->modifier_count = 0;
    while (reader_accept(r, ".")) {
        if (n->modifier_count == MAX_MODIFIERS)
            reader_fail(r, r->token.at, "too many modifiers");
        struct modifier *m = &n->modifiers[n->modifier_count++];
        m->at = r->token.at;
        m->taken = false;
        m->text = reader_word(r, "a modifier");
    }
    struct instruction *i = add_instruction(r, n->thread, INSTR_EXIT, name_at);
    i->guard = guard;
    i->guard_negated = negated;
    read_named(n, i, name);
    for (uint32_t m = 0; m < n->modifier_count; m++)
        if (!n->modifiers[m].taken)
            reader_fail(r, n->modifiers[m].at, "the modifier .%s is not modelled on this "
                        "instruction", n->modifiers[m].text);
    const char *text = reader_text(r, start);
    for (uint32_t k = before; k < n->thread->code_count; k++)
        n->thread->code[k].text = text;
    reader_expect(r, ";");
}
