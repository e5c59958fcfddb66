/* SPDX-License-Identifier: Apache-2.0
 *
 * path.c - running one thread with open memory.
 *
 * Requires: a test from a reader. Fills: every path of the thread, in a fixed
 * order. A walk is a path in the making; at a fork it is copied. */
#include "memmodel/path.h"

#include <setjmp.h>
#include <string.h>

enum { COPY_GROUPS = 16, COPY_KINDS = 2, LAST_STAGE = 6 };

/* Asynchronous copies committed together: what reading and what everything of
 * them waits for. */
struct copy_group {
    event_set reads, all;
};

struct walk {
    struct path path;
    uint32_t pc, sequence, chain;
    event_set control; /* reads that decided a branch so far */
    uint32_t taken[MAX_INSTRUCTIONS];
    struct copy_group open[COPY_KINDS], groups[COPY_KINDS][COPY_GROUPS];
    uint32_t group_count[COPY_KINDS];
    uint32_t resolved[3]; /* addresses of the current instruction */
    uint32_t resolved_offset[3];
    event_set address_reads;
    uint32_t addresses_done;
};

struct walker {
    struct arena *arena;
    const struct test *test;
    const struct test_thread *thread;
    const struct model *model;
    uint32_t thread_index;
    const struct path_options *options;
    struct thread_paths *paths;
    struct expression_pool *pool;
    struct loc at;
    const char *message;
    jmp_buf failed;
};

static void run(struct walker *w, struct walk *walk);

static _Noreturn void fail(struct walker *w, struct loc at, const char *message)
{
    w->at = at;
    w->message = message;
    longjmp(w->failed, 1);
}

static void finish(struct walker *w, const struct walk *walk, enum path_end end)
{
    bool stopped = end == PATH_CUT || end == PATH_BLOCKED;

    if (end == PATH_CUT)
        w->paths->loop_cut = true;
    if (stopped && !w->options->keep_stopped)
        return;
    if (w->paths->count >= MAX_PATHS)
        fail(w, w->thread->code[0].at, "this thread has too many paths; a "
             "smaller --bound or fewer branches would help");
    struct path *path = ARENA_NEW(w->arena, struct path);
    *path = walk->path;
    path->end = end;
    path->stopped_at = walk->pc < w->thread->code_count
                           ? &w->thread->code[walk->pc] : NULL;
    *ARENA_PUSH(w->arena, w->paths) = path;
}

static struct walk *fork_walk(struct walker *w, const struct walk *walk)
{
    struct walk *copy = ARENA_NEW(w->arena, struct walk);

    *copy = *walk;
    return copy;
}

static void constrain(struct walker *w, struct walk *walk, uint32_t expression,
                      bool expected)
{
    if (walk->path.constraint_count == MAX_CONSTRAINTS)
        fail(w, w->thread->code[walk->pc].at, "too many decisions on one path");
    walk->path.constraints[walk->path.constraint_count++] =
        (struct constraint){expression, expected};
}

/* 1 or 0 when the condition is decided on this path already, else -1. */
static int decided(struct walker *w, const struct walk *walk, uint32_t expression)
{
    int64_t value;

    if (expression_is_constant(w->pool, expression, &value))
        return value != 0;
    for (uint32_t i = 0; i < walk->path.constraint_count; i++)
        if (walk->path.constraints[i].expression == expression)
            return walk->path.constraints[i].expected;
    return -1;
}

static struct event *add_event(struct walker *w, struct walk *walk,
                               enum event_kind kind)
{
    const struct instruction *i = &w->thread->code[walk->pc];

    if (walk->path.event_count == MAX_EVENTS)
        fail(w, i->at, "a thread of a litmus test can have at most 64 events");
    struct event *event = &walk->path.events[walk->path.event_count++];
    *event = (struct event){
        .kind = kind, .thread = w->thread_index, .instruction = i,
        .sequence = walk->sequence, .order = i->order, .scope = i->scope,
        .proxy = i->proxy, .partner = NO_EVENT, .value = NO_EXPRESSION,
        .depends = walk->control | walk->address_reads,
        .barrier_id = NO_EXPRESSION, .barrier_count = NO_EXPRESSION};
    return event;
}

static uint32_t operand_value(struct walker *w, const struct walk *walk,
                              const struct operand *operand, uint32_t bits)
{
    if (operand->is_register)
        return walk->path.registers[operand->reg];
    return expression_constant(w->pool, operand->value, bits);
}

static void set_register(struct walker *w, struct walk *walk, uint32_t reg,
                         uint32_t expression, uint32_t bits)
{
    if (reg == NO_REGISTER)
        return;
    uint32_t width = w->thread->registers[reg].width;
    if (width != bits)
        expression = expression_make(w->pool, OP_MOV, width < bits ? width : bits,
                                     width, expression, NO_EXPRESSION,
                                     NO_EXPRESSION);
    walk->path.registers[reg] = expression;
}

/* --- addresses ---------------------------------------------------------------- */

static bool fits(const struct test *test, uint32_t location, int64_t offset,
                 uint32_t size)
{
    const struct test_location *l = &test->locations[location];
    int64_t end = test->objects[l->object].size - l->offset;

    return offset >= 0 && offset + (int64_t)size <= end;
}

/* Fixes address number n of the current instruction on this walk; forks for
 * every further location that an open address may name. Returns false when
 * the walk itself has ended. */
static bool resolve(struct walker *w, struct walk *walk, uint32_t n,
                    const struct address *address, uint32_t size)
{
    const struct test *test = w->test;
    const struct instruction *i = &w->thread->code[walk->pc];
    int64_t value;

    if (walk->addresses_done > n)
        return true;
    walk->addresses_done = n + 1;
    if (!address->is_register) {
        if (!fits(test, address->location, address->offset, size))
            fail(w, i->at, "the access is outside of the variable");
        walk->resolved[n] = address->location;
        walk->resolved_offset[n] = (uint32_t)address->offset;
        return true;
    }
    uint32_t expression = walk->path.registers[address->reg];
    if (address->offset)
        expression = expression_make(
            w->pool, OP_ADD, 64, 64, expression,
            expression_constant(w->pool, address->offset, 64), NO_EXPRESSION);
    if (expression_is_constant(w->pool, expression, &value)) {
        for (uint32_t l = 0; l < test->location_count; l++) {
            int64_t offset = value - location_address(test, l);
            if (!fits(test, l, offset, size))
                continue;
            walk->resolved[n] = l;
            walk->resolved_offset[n] = (uint32_t)offset;
            return true;
        }
        finish(w, walk, PATH_WILD);
        return false;
    }
    walk->address_reads |= w->pool->items[expression].reads;
    for (uint32_t l = 0; l < test->location_count; l++) {
        if (!fits(test, l, 0, size))
            continue;
        uint32_t same = expression_make(
            w->pool, OP_EQ, 64, 1, expression,
            expression_constant(w->pool, location_address(test, l), 64),
            NO_EXPRESSION);
        struct walk *copy = fork_walk(w, walk);
        constrain(w, copy, same, true);
        copy->resolved[n] = l;
        copy->resolved_offset[n] = 0;
        run(w, copy);
        constrain(w, walk, same, false);
    }
    finish(w, walk, PATH_WILD);
    return false;
}

static void place(struct walker *w, const struct walk *walk, struct event *event,
                  uint32_t n, uint32_t element, uint32_t size)
{
    const struct test_location *l = &w->test->locations[walk->resolved[n]];

    event->location = walk->resolved[n];
    event->offset = l->offset + walk->resolved_offset[n] + element * size;
    event->size = size;
    event->element = element;
}

/* --- memory instructions -------------------------------------------------------- */

static void do_load(struct walker *w, struct walk *walk, const struct instruction *i)
{
    for (uint32_t element = 0; element < i->elements; element++) {
        struct event *read = add_event(w, walk, EVENT_READ);
        place(w, walk, read, 0, element, i->width);
        uint32_t value = expression_read(w->pool, walk->path.event_count - 1,
                                         i->width * 8);
        if (i->is_signed && i->result[element] != NO_REGISTER &&
            w->thread->registers[i->result[element]].width > i->width * 8) {
            uint32_t shift = expression_constant(
                w->pool, (int64_t)1 << (i->width * 8 - 1), 64);
            value = expression_make(w->pool, OP_XOR, 64, 64, value, shift,
                                    NO_EXPRESSION);
            value = expression_make(w->pool, OP_SUB, 64, 64, value, shift,
                                    NO_EXPRESSION);
            set_register(w, walk, i->result[element], value, 64);
            continue;
        }
        set_register(w, walk, i->result[element], value, i->width * 8);
    }
}

static void do_store(struct walker *w, struct walk *walk, const struct instruction *i)
{
    for (uint32_t element = 0; element < i->elements; element++) {
        uint32_t bits = i->width * 8;
        struct event *write = add_event(w, walk, EVENT_WRITE);
        place(w, walk, write, 0, element, i->width);
        write->value = operand_value(w, walk, &i->source[element], bits);
        if (i->operation == OP_MB_INIT)
            write->value = expression_make(w->pool, OP_MB_INIT, 64, 64,
                                           write->value, write->value,
                                           NO_EXPRESSION);
        write->depends |= w->pool->items[write->value].reads;
    }
}

/* The value that an atomic leaves in memory when it found old there. */
static uint32_t updated(struct walker *w, const struct walk *walk,
                        const struct instruction *i, uint32_t element, uint32_t old)
{
    uint32_t bits = i->width * 8;
    uint32_t first = operand_value(w, walk, &i->source[element], bits);

    switch (i->operation) {
    case OP_EXCH:
        return first;
    case OP_MB_ARRIVE:
        if (i->source[1].is_register || i->source[1].value)
            old = expression_make(w->pool, OP_MB_EXPECT, 64, 64, old,
                                  operand_value(w, walk, &i->source[1], 64),
                                  NO_EXPRESSION);
        break;
    default:
        break;
    }
    return expression_make(w->pool, i->operation, bits, bits, old, first,
                           NO_EXPRESSION);
}

/* PTX ISA, "atom": the read carries the acquire, the write the release. */
static uint32_t split_order(uint32_t order, uint32_t keep)
{
    return order & (ORDER_STRONG | keep);
}

/* Adds the two halves of one read-modify-write. The value is NO_EXPRESSION
 * for an update that does not write. */
static struct event *add_halves(struct walker *w, struct walk *walk,
                                const struct instruction *i, uint32_t element,
                                uint32_t size)
{
    struct event *read = add_event(w, walk, EVENT_READ);

    place(w, walk, read, 0, element, size);
    read->order = split_order(i->order, ORDER_ACQUIRE);
    read->is_reduction = i->is_reduction;
    return read;
}

static void add_write_half(struct walker *w, struct walk *walk,
                           const struct instruction *i, uint32_t element,
                           uint32_t size, uint32_t value, event_set more_reads)
{
    uint32_t read = walk->path.event_count - 1;
    struct event *write = add_event(w, walk, EVENT_WRITE);

    place(w, walk, write, 0, element, size);
    write->order = split_order(i->order, ORDER_RELEASE);
    write->is_reduction = i->is_reduction;
    write->value = value;
    write->depends |= w->pool->items[value].reads | more_reads;
    write->partner = read;
    walk->path.events[read].partner = read + 1;
}

static void do_compare_and_swap(struct walker *w, struct walk *walk,
                                const struct instruction *i)
{
    uint32_t bits = i->width * 8;

    add_halves(w, walk, i, 0, i->width);
    uint32_t old = expression_read(w->pool, walk->path.event_count - 1, bits);
    uint32_t same = expression_make(w->pool, OP_EQ, bits, 1, old,
                                    operand_value(w, walk, &i->source[0], bits),
                                    NO_EXPRESSION);
    event_set reads = w->pool->items[same].reads;
    struct walk *failing = fork_walk(w, walk);
    uint32_t value = operand_value(w, walk, &i->source[1], bits);

    constrain(w, walk, same, true);
    add_write_half(w, walk, i, 0, i->width, value, reads);
    set_register(w, walk, i->result[0], old, bits);

    /* PTX ISA, "atom": without a match nothing is stored. */
    constrain(w, failing, same, false);
    if (!model_has(w->model, INGREDIENT(FAILED_CAS)))
        add_write_half(w, failing, i, 0, i->width, old, reads);
    set_register(w, failing, i->result[0], old, bits);
    failing->pc++;
    run(w, failing);
}

static void do_atomic(struct walker *w, struct walk *walk, const struct instruction *i)
{
    if (i->operation == OP_CAS) {
        do_compare_and_swap(w, walk, i);
        return;
    }
    for (uint32_t element = 0; element < i->elements; element++) {
        add_halves(w, walk, i, element, i->width);
        uint32_t old = expression_read(w->pool, walk->path.event_count - 1,
                                       i->width * 8);
        uint32_t value = updated(w, walk, i, element, old);
        add_write_half(w, walk, i, element, i->width, value, 0);
        set_register(w, walk, i->result[element], old, i->width * 8);
    }
}

/* PTX ISA, "mbarrier.test_wait": acquires only when it returns true. */
static void do_mbarrier_test(struct walker *w, struct walk *walk,
                             const struct instruction *i)
{
    struct event *read = add_event(w, walk, EVENT_READ);
    place(w, walk, read, 0, 0, 8);
    uint32_t event = walk->path.event_count - 1;
    uint32_t value = expression_read(w->pool, event, 64);
    uint32_t done = expression_make(
        w->pool, i->by_state ? OP_MB_DONE_STATE : OP_MB_DONE_PARITY, 64, 1,
        value, operand_value(w, walk, &i->source[0], 64), NO_EXPRESSION);
    set_register(w, walk, i->result[0], done, 1);
    struct walk *waiting = fork_walk(w, walk);
    constrain(w, walk, done, true);
    constrain(w, waiting, done, false);
    waiting->path.events[event].order = ORDER_RELAXED;
    waiting->pc++;
    run(w, waiting);
}

/* --- asynchronous copies ---------------------------------------------------------- */

static struct event *add_step(struct walker *w, struct walk *walk,
                              enum event_kind kind, uint32_t stage)
{
    struct event *event = add_event(w, walk, kind);

    event->chain = walk->chain;
    event->stage = stage;
    return event;
}

/* The arrive-on or complete-tx at the end of a chain, on address number n. */
static void add_completion(struct walker *w, struct walk *walk, uint32_t n,
                           enum operation operation, int64_t argument,
                           event_set completes)
{
    struct event *read = add_step(w, walk, EVENT_READ, LAST_STAGE - 1);
    uint32_t index = walk->path.event_count - 1;
    place(w, walk, read, n, 0, 8);
    read->order = ORDER_RELAXED;
    read->proxy = PROXY_GENERIC;
    read->completes = completes;
    read->is_reduction = true;

    struct event *write = add_step(w, walk, EVENT_WRITE, LAST_STAGE);
    place(w, walk, write, n, 0, 8);
    write->order = ORDER_STRONG | ORDER_RELEASE;
    write->proxy = PROXY_GENERIC;
    write->is_reduction = true;
    write->value = expression_make(
        w->pool, operation, 64, 64, expression_read(w->pool, index, 64),
        expression_constant(w->pool, argument, 64), NO_EXPRESSION);
    write->depends |= set_of(index);
    write->partner = index;
    walk->path.events[index].partner = index + 1;
}

/* PTX ISA, "Async proxy": completion is followed by an implicit proxy fence.
 * Taken to hold for completion of the reads (wait_group.read) as well. */
static event_set add_implicit_fence(struct walker *w, struct walk *walk, uint32_t stage)
{
    add_step(w, walk, EVENT_PROXY_FENCE, stage)->proxy = PROXY_ASYNC;
    return set_of(walk->path.event_count - 1);
}

/* PTX ISA, "cp.async": weak accesses of the generic proxy; "cp.async.bulk":
 * the async proxy, with an implicit proxy fence at completion. */
static void do_copy(struct walker *w, struct walk *walk, const struct instruction *i)
{
    struct copy_group *open = &walk->open[i->is_bulk];
    uint32_t piece = i->width > 8 ? 8 : i->width, count = i->width / piece;
    uint32_t first = walk->path.event_count;

    walk->chain++;
    for (uint32_t n = 0; n < count; n++) {
        place(w, walk, add_step(w, walk, EVENT_READ, 1), 1, n, piece);
        open->reads |= set_of(walk->path.event_count - 1);
    }
    if (i->is_bulk)
        open->reads |= add_implicit_fence(w, walk, 2);
    for (uint32_t n = 0; n < count; n++) {
        struct event *write = add_step(w, walk, EVENT_WRITE, 3);
        place(w, walk, write, 0, n, piece);
        write->value = expression_read(w->pool, first + n, piece * 8);
        write->depends |= set_of(first + n);
        open->all |= set_of(walk->path.event_count - 1);
    }
    if (i->is_bulk)
        open->all |= add_implicit_fence(w, walk, 4);
    if (i->completes_by_mbarrier) {
        open->reads = open->all = 0;
        add_completion(w, walk, 2, OP_MB_COMPLETE, i->width, 0);
    }
}

static void do_commit(struct walker *w, struct walk *walk, const struct instruction *i)
{
    uint32_t *count = &walk->group_count[i->is_bulk];

    if (*count == COPY_GROUPS)
        fail(w, i->at, "too many groups of asynchronous copies");
    walk->groups[i->is_bulk][(*count)++] = walk->open[i->is_bulk];
    walk->open[i->is_bulk] = (struct copy_group){0, 0};
}

static void do_wait_group(struct walker *w, struct walk *walk,
                          const struct instruction *i)
{
    struct event *wait = add_event(w, walk, EVENT_BARRIER);
    uint32_t count = walk->group_count[i->is_bulk];

    wait->barrier = BARRIER_WAIT_COPIES;
    for (uint32_t g = 0; g + i->pending < count; g++) {
        const struct copy_group *group = &walk->groups[i->is_bulk][g];
        wait->completes |= i->waits_for_reads ? group->reads : group->all;
    }
}

/* cp.async.mbarrier.arrive.noinc: arrives once the thread's copies are done. */
static void do_copy_arrive(struct walker *w, struct walk *walk)
{
    event_set all = walk->open[0].all;

    for (uint32_t g = 0; g < walk->group_count[0]; g++)
        all |= walk->groups[0][g].all;
    walk->chain++;
    add_completion(w, walk, 0, OP_MB_ARRIVE, 1, all);
}

/* --- the rest ------------------------------------------------------------------------ */

static void do_alu(struct walker *w, struct walk *walk, const struct instruction *i)
{
    uint32_t bits = i->width;
    uint32_t operand[3] = {NO_EXPRESSION, NO_EXPRESSION, NO_EXPRESSION};

    for (uint32_t n = 0; n < i->elements; n++)
        operand[n] = operand_value(w, walk, &i->source[n],
                                   i->operation == OP_SELECT && n == 0 ? 1 : bits);
    if (i->operation == OP_MOV) {
        set_register(w, walk, i->result[0], operand[0], bits);
        return;
    }
    uint32_t result_bits = operation_compares(i->operation) ? 1 : bits;
    uint32_t value = expression_make(w->pool, i->operation, bits, result_bits,
                                     operand[0], operand[1], operand[2]);
    set_register(w, walk, i->result[0], value, result_bits);
}

static void do_barrier(struct walker *w, struct walk *walk, const struct instruction *i)
{
    struct event *event = add_event(w, walk, EVENT_BARRIER);

    switch (i->kind) {
    case INSTR_BARRIER:
        event->barrier = BARRIER_CTA;
        if (i->has_id)
            event->barrier_id = operand_value(w, walk, &i->id, 64);
        if (i->has_count)
            event->barrier_count = operand_value(w, walk, &i->count, 64);
        break;
    case INSTR_WARP_BARRIER: event->barrier = BARRIER_WARP; break;
    case INSTR_CLUSTER_ARRIVE: event->barrier = BARRIER_CLUSTER_ARRIVE; break;
    default: event->barrier = BARRIER_CLUSTER_WAIT; break;
    }
    if (w->options->keep_stopped && i->kind != INSTR_CLUSTER_ARRIVE &&
        !(i->kind == INSTR_BARRIER && i->arrives_only))
        finish(w, walk, PATH_BLOCKED);
}

/* Takes a branch, unless it closes a loop once too often. */
static bool jump(struct walker *w, struct walk *walk, uint32_t target)
{
    struct path *path = &walk->path;

    if (target <= walk->pc) {
        if (walk->taken[walk->pc] == w->options->bound) {
            finish(w, walk, PATH_CUT);
            return false;
        }
        walk->taken[walk->pc]++;
        memcpy(path->loop_registers, path->registers, sizeof path->registers);
        path->loop_first_event = path->event_count;
    }
    walk->pc = target;
    return true;
}

/* Splits the walk on a condition: the walk goes on with it true, a copy has
 * already run with it false. Returns which way the walk goes. */
static bool split(struct walker *w, struct walk *walk, uint32_t condition)
{
    int known = decided(w, walk, condition);

    walk->control |= w->pool->items[condition].reads;
    if (known >= 0)
        return known;
    struct walk *copy = fork_walk(w, walk);
    constrain(w, copy, condition, false);
    constrain(w, walk, condition, true);
    /* The copy comes back here and finds the condition decided. */
    run(w, copy);
    return true;
}

static bool step(struct walker *w, struct walk *walk)
{
    const struct instruction *i = &w->thread->code[walk->pc];

    if (i->guard != NO_REGISTER) {
        bool truth = split(w, walk, walk->path.registers[i->guard]);
        if (truth == i->guard_negated) {
            walk->pc++;
            return true;
        }
    }
    uint32_t size = i->width * i->elements;
    switch (i->kind) {
    case INSTR_LOAD: case INSTR_STORE: case INSTR_ATOM:
        if (!resolve(w, walk, 0, &i->address, size))
            return false;
        break;
    case INSTR_MBARRIER_TEST: case INSTR_COPY_ARRIVE:
        if (!resolve(w, walk, 0, &i->address, 8))
            return false;
        break;
    case INSTR_COPY:
        if (!resolve(w, walk, 0, &i->address, i->width) ||
            !resolve(w, walk, 1, &i->second, i->width) ||
            (i->completes_by_mbarrier && !resolve(w, walk, 2, &i->third, 8)))
            return false;
        break;
    default:
        break;
    }
    walk->sequence++;
    walk->addresses_done = 0;
    switch (i->kind) {
    case INSTR_ALU: do_alu(w, walk, i); break;
    case INSTR_BRANCH: {
        bool taken = jump(w, walk, i->target);
        walk->address_reads = 0;
        return taken;
    }
    case INSTR_EXIT: walk->pc = w->thread->code_count; return true;
    case INSTR_LOAD: do_load(w, walk, i); break;
    case INSTR_STORE: do_store(w, walk, i); break;
    case INSTR_ATOM: do_atomic(w, walk, i); break;
    case INSTR_FENCE: add_event(w, walk, EVENT_FENCE); break;
    case INSTR_PROXY_FENCE: add_event(w, walk, EVENT_PROXY_FENCE); break;
    case INSTR_BARRIER: case INSTR_WARP_BARRIER:
    case INSTR_CLUSTER_ARRIVE: case INSTR_CLUSTER_WAIT:
        do_barrier(w, walk, i);
        break;
    case INSTR_COPY: do_copy(w, walk, i); break;
    case INSTR_COMMIT: do_commit(w, walk, i); break;
    case INSTR_WAIT_GROUP: do_wait_group(w, walk, i); break;
    case INSTR_COPY_ARRIVE: do_copy_arrive(w, walk); break;
    case INSTR_MBARRIER_TEST: do_mbarrier_test(w, walk, i); break;
    }
    walk->address_reads = 0;
    walk->pc++;
    return true;
}

static void run(struct walker *w, struct walk *walk)
{
    while (walk->pc < w->thread->code_count)
        if (!step(w, walk))
            return;
    finish(w, walk, PATH_COMPLETE);
}

const char *paths_enumerate(struct arena *arena, const struct test *test,
                            const struct model *model, uint32_t thread,
                            const struct path_options *options,
                            struct thread_paths *paths, struct loc *at)
{
    struct walker w = {
        .arena = arena, .test = test, .thread = &test->threads[thread],
        .model = model, .thread_index = thread, .options = options,
        .paths = paths, .pool = &paths->pool};
    const struct test_thread *t = w.thread;

    paths->pool.arena = arena;
    paths->pool.drops_false_dependencies = options->drops_false_dependencies;
    struct walk *walk = ARENA_NEW(arena, struct walk);
    for (uint32_t r = 0; r < t->register_count; r++) {
        const struct test_register *reg = &t->registers[r];
        int64_t value = reg->initial_is_address
                            ? location_address(test, reg->initial_location)
                            : reg->initial;
        walk->path.registers[r] =
            expression_constant(&paths->pool, value, reg->width);
    }
    if (setjmp(w.failed)) {
        *at = w.at;
        return w.message;
    }
    run(&w, walk);
    if (paths->pool.too_large) {
        *at = t->code[0].at;
        return "the values of this thread are too complex to follow";
    }
    return NULL;
}
