/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.c - writing a litmus test as PTX.
 *
 * The instructions are those of the file, with registers and labels renamed for
 * each thread. Threads are dispatched by their place; lanes that the test does
 * not name end at once. Shared variables get their initial values before a
 * barrier that all threads pass. */
#include "memmodel/kernel.h"

#include <ctype.h>
#include <string.h>

enum { FIRST_BARRIER = 15, WARP = 32 };

struct writer {
    struct arena *arena;
    const struct analysis *a;
    const struct test *test;
    struct litmus_kernel *kernel;
    struct text *out;
    uint32_t block_of[MAX_THREADS], lane_of[MAX_THREADS]; /* in grid and block */
};

/* --- places --------------------------------------------------------------------------- */

static bool same_block(const struct test_thread *a, const struct test_thread *b)
{
    return a->cluster == b->cluster && a->cta == b->cta;
}

/* Numbers clusters, blocks in them and warps in those by first appearance. */
static void place_threads(struct writer *w)
{
    const struct test_thread *t = w->test->threads;
    uint32_t count = w->test->thread_count, largest = 1, warps = 1, clusters = 0;
    uint32_t cluster[MAX_THREADS], rank[MAX_THREADS], warp[MAX_THREADS];

    for (uint32_t i = 0; i < count; i++) {
        bool known = false;
        cluster[i] = clusters;
        rank[i] = warp[i] = 0;
        for (uint32_t o = 0; o < i; o++)
            if (t[o].cluster == t[i].cluster) {
                known = true;
                cluster[i] = cluster[o];
                if (rank[o] >= rank[i] && !same_block(&t[o], &t[i]))
                    rank[i] = rank[o] + 1;
            }
        clusters += !known;
        for (uint32_t o = 0; o < i; o++)
            if (same_block(&t[o], &t[i])) {
                rank[i] = rank[o];
                if (warp[o] >= warp[i])
                    warp[i] = warp[o] + 1;
            }
        for (uint32_t o = 0; o < i; o++)
            if (same_block(&t[o], &t[i]) && t[o].warp == t[i].warp)
                warp[i] = warp[o];
        largest = rank[i] + 1 > largest ? rank[i] + 1 : largest;
        warps = warp[i] + 1 > warps ? warp[i] + 1 : warps;
    }
    for (uint32_t i = 0; i < count; i++) {
        w->block_of[i] = cluster[i] * largest + rank[i];
        w->lane_of[i] = warp[i] * WARP + t[i].lane;
    }
    w->kernel->grid = clusters * largest;
    w->kernel->block = warps * WARP;
    w->kernel->cluster = largest;
}

/* The first thread in the block that holds a shared variable. */
static uint32_t owner_of(const struct writer *w, const struct test_location *l)
{
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        if (w->test->threads[t].cta == l->cta)
            return t;
    return 0;
}

/* --- variables ------------------------------------------------------------------------- */

static void write_globals(struct writer *w)
{
    for (uint32_t i = 0; i < w->test->location_count; i++) {
        const struct test_location *l = &w->test->locations[i];
        const struct test_object *o = &w->test->objects[l->object];
        uint64_t address = 0;
        if (l->space != SPACE_GLOBAL)
            continue;
        memcpy(&address, o->initial, o->size < 8 ? o->size : 8);
        for (uint32_t p = 0; o->size == 8 && p < i; p++)
            if ((int64_t)address == location_address(w->test, p)) {
                text_printf(w->out, ".global .align 16 .u64 %s = %s;\n", l->name,
                            w->test->locations[p].name);
                goto next;
            }
        text_printf(w->out, ".global .align 16 .b8 %s[%u] = {", l->name, o->size);
        for (uint32_t b = 0; b < o->size; b++)
            text_printf(w->out, "%s%u", b ? ", " : "", o->initial[b]);
        text_puts(w->out, "};\n");
    next:;
    }
}

static bool has_shared(const struct test *test)
{
    for (uint32_t i = 0; i < test->location_count; i++)
        if (test->locations[i].space == SPACE_SHARED)
            return true;
    return false;
}

static void write_shared(struct writer *w)
{
    if (!has_shared(w->test))
        return;
    for (uint32_t i = 0; i < w->test->location_count; i++)
        if (w->test->locations[i].space == SPACE_SHARED)
            text_printf(w->out, "    .shared .align 16 .b8 %s[%u];\n",
                        w->test->locations[i].name,
                        w->test->objects[w->test->locations[i].object].size);
    text_puts(w->out, "    setp.ne.u32 %here, %lane, 0;\n    @%here bra READY;\n");
    for (uint32_t i = 0; i < w->test->location_count; i++) {
        const struct test_location *l = &w->test->locations[i];
        const struct test_object *o = &w->test->objects[l->object];
        uint32_t arrivals = o->initial[0] | (uint32_t)o->initial[1] << 8;
        if (l->space != SPACE_SHARED)
            continue;
        if (l->is_mbarrier && arrivals)
            text_printf(w->out, "    mbarrier.init.shared.b64 [%s], %u;\n", l->name,
                        arrivals);
        for (uint32_t b = 0; b < o->size && !l->is_mbarrier; b++)
            text_printf(w->out, "    st.shared.u8 [%s+%u], %u;\n", l->name, b,
                        o->initial[b]);
    }
    text_printf(w->out, "READY:\n    bar.sync %d;\n", FIRST_BARRIER);
    if (w->kernel->cluster > 1)
        text_puts(w->out, "    barrier.cluster.arrive;\n    barrier.cluster.wait;\n");
}

/* --- code ---------------------------------------------------------------------------------- */

static const char *register_type(uint32_t width)
{
    return width == 1 ? "pred" : width == 16 ? "b16" : width == 32 ? "b32" : "b64";
}

static bool is_remote(const struct writer *w, uint32_t thread, const char *name,
                      size_t size)
{
    for (uint32_t i = 0; i < w->test->location_count; i++) {
        const struct test_location *l = &w->test->locations[i];
        if (strlen(l->name) == size && !memcmp(l->name, name, size))
            return l->space == SPACE_SHARED && l->cta != w->test->threads[thread].cta;
    }
    return false;
}

/* Registers get the thread's prefix; shared variables of other blocks become
 * the register that holds their mapped address. */
static void write_renamed(struct writer *w, uint32_t thread, const char *text)
{
    while (*text) {
        size_t size = 0;
        bool is_word = isalpha((unsigned char)*text) || *text == '_' || *text == '%' ||
                       *text == '$';
        if (!is_word) {
            text_putc(w->out, *text++);
            continue;
        }
        do
            size++;
        while (isalnum((unsigned char)text[size]) || text[size] == '_' || text[size] == '$');
        if (*text == '%' && size > 1)
            text_printf(w->out, "%%t%u_%.*s", thread, (int)size - 1, text + 1);
        else if (is_remote(w, thread, text, size))
            text_printf(w->out, "%%t%u_at_%.*s", thread, (int)size, text);
        else
            text_add(w->out, text, size);
        text += size;
    }
}

static void write_registers(struct writer *w, uint32_t thread)
{
    const struct test_thread *t = &w->test->threads[thread];

    for (uint32_t r = 0; r < t->register_count; r++)
        text_printf(w->out, "    .reg .%s %%t%u_%s;\n",
                    register_type(t->registers[r].width), thread,
                    t->registers[r].name + 1);
    for (uint32_t i = 0; i < w->test->location_count; i++)
        if (is_remote(w, thread, w->test->locations[i].name,
                      strlen(w->test->locations[i].name)))
            text_printf(w->out, "    .reg .b32 %%t%u_at_%s;\n", thread,
                        w->test->locations[i].name);
}

static void write_result(struct writer *w, uint32_t variable, uint32_t thread)
{
    const struct term *term = w->a->variables[variable].term;
    const struct test_register *r = &w->test->threads[thread].registers[term->reg];
    const char *name = arena_printf(w->arena, "%%t%u_%s", thread, r->name + 1);

    if (r->width == 1)
        text_printf(w->out, "    selp.u64 %%value, 1, 0, %s;\n", name);
    else if (r->width == 64)
        text_printf(w->out, "    mov.b64 %%value, %s;\n", name);
    else
        text_printf(w->out, "    cvt.u64.u%u %%value, %s;\n", r->width, name);
    text_printf(w->out, "    st.global.u64 [%%results+%u], %%value;\n", variable * 8);
}

static void write_thread(struct writer *w, uint32_t thread)
{
    const struct test_thread *t = &w->test->threads[thread];
    const char *last_text = NULL;

    text_printf(w->out, "THREAD_%u:\n", thread);
    for (uint32_t r = 0; r < t->register_count; r++) {
        const char *name = arena_printf(w->arena, "%%t%u_%s", thread,
                                        t->registers[r].name + 1);
        if (t->registers[r].width == 1)
            text_printf(w->out, "    setp.ne.u32 %s, 0, 0;\n", name);
        else
            text_printf(w->out, "    mov.%s %s, 0;\n", register_type(t->registers[r].width),
                        name);
    }
    for (uint32_t i = 0; i < w->test->location_count; i++) {
        const struct test_location *l = &w->test->locations[i];
        if (!is_remote(w, thread, l->name, strlen(l->name)))
            continue;
        text_printf(w->out, "    mov.u32 %%t%u_at_%s, %s;\n"
                    "    mapa.shared::cluster.u32 %%t%u_at_%s, %%t%u_at_%s, %u;\n",
                    thread, l->name, l->name, thread, l->name, thread, l->name,
                    w->block_of[owner_of(w, l)] % w->kernel->cluster);
    }
    for (uint32_t n = 0; n <= t->code_count; n++) {
        bool is_target = n == t->code_count;
        for (uint32_t o = 0; o < t->code_count; o++)
            is_target |= t->code[o].kind == INSTR_BRANCH && t->code[o].target == n;
        if (is_target)
            text_printf(w->out, "AT_%u_%u:\n", thread, n);
        if (n == t->code_count)
            break;
        const struct instruction *i = &t->code[n];
        if (i->text == last_text)
            continue; /* one instruction of the file that is two here */
        last_text = i->text;
        text_puts(w->out, "    ");
        if (i->kind == INSTR_BRANCH || i->kind == INSTR_EXIT) {
            if (i->guard != NO_REGISTER)
                text_printf(w->out, "@%s%%t%u_%s ", i->guard_negated ? "!" : "", thread,
                            t->registers[i->guard].name + 1);
            text_printf(w->out, "bra AT_%u_%u;\n", thread,
                        i->kind == INSTR_EXIT ? t->code_count : i->target);
            continue;
        }
        write_renamed(w, thread, i->text);
        text_puts(w->out, ";\n");
    }
    for (uint32_t v = 0; v < w->a->variable_count; v++)
        if (w->a->variables[v].term->kind == TERM_REGISTER &&
            w->a->variables[v].term->thread == thread)
            write_result(w, v, thread);
    text_puts(w->out, "    ret;\n");
}

static void write_entry(struct writer *w)
{
    text_puts(w->out, ".visible .entry litmus(.param .u64 results)\n");
    if (w->kernel->cluster > 1)
        text_printf(w->out, ".reqnctapercluster %u, 1, 1\n", w->kernel->cluster);
    text_puts(w->out, "{\n    .reg .pred %here;\n    .reg .b32 %block, %lane, %place;\n"
              "    .reg .b64 %results, %value;\n");
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        write_registers(w, t);
    text_puts(w->out, "    ld.param.u64 %results, [results];\n"
              "    cvta.to.global.u64 %results, %results;\n"
              "    mov.u32 %block, %ctaid.x;\n    mov.u32 %lane, %tid.x;\n");
    write_shared(w);
    text_printf(w->out, "    mad.lo.u32 %%place, %%block, %u, %%lane;\n", w->kernel->block);
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        text_printf(w->out, "    setp.eq.u32 %%here, %%place, %u;\n    @%%here bra THREAD_%u;\n",
                    w->block_of[t] * w->kernel->block + w->lane_of[t], t);
    text_puts(w->out, "    ret;\n");
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        write_thread(w, t);
    text_puts(w->out, "}\n");
}

static void write_final(struct writer *w)
{
    uint32_t next = w->a->variable_count;

    text_puts(w->out, ".visible .entry litmus_final(.param .u64 results)\n{\n"
              "    .reg .b64 %results, %value;\n"
              "    ld.param.u64 %results, [results];\n"
              "    cvta.to.global.u64 %results, %results;\n");
    for (uint32_t v = 0; v < w->a->variable_count; v++) {
        const struct term *term = w->a->variables[v].term;
        if (term->kind != TERM_LOCATION)
            continue;
        text_printf(w->out, "    ld.global.u%u %%value, [%s+%u];\n"
                    "    st.global.u64 [%%results+%u], %%value;\n",
                    w->a->variables[v].bits, w->test->locations[term->location].name,
                    term->offset, v * 8);
    }
    for (uint32_t i = 0; i < w->test->location_count; i++, next++)
        if (w->test->locations[i].space == SPACE_GLOBAL)
            text_printf(w->out, "    mov.u64 %%value, %s;\n"
                        "    st.global.u64 [%%results+%u], %%value;\n",
                        w->test->locations[i].name, next * 8);
    text_puts(w->out, "    ret;\n}\n");
    w->kernel->result_count = next;
}

static const char *why_not(const struct analysis *a)
{
    const struct test *test = a->test;

    if (!test->is_native)
        return "tests in the Dat3M grammar have no PTX bodies";
    for (uint32_t i = 0; i < test->location_count; i++)
        if (test->locations[i].range != i || test->locations[i].object != i)
            return "an alias needs memory that is mapped twice";
    for (uint32_t t = 1; t < test->thread_count; t++)
        if (test->threads[t].gpu != test->threads[0].gpu)
            return "its threads are on more than one GPU";
    for (uint32_t v = 0; v < a->variable_count; v++)
        if (a->variables[v].term->kind == TERM_LOCATION &&
            test->locations[a->variables[v].term->location].space == SPACE_SHARED)
            return "its condition names shared memory, which ends with the block";
    return NULL;
}

const char *litmus_kernel_write(struct arena *arena, const struct analysis *a,
                                struct litmus_kernel *kernel)
{
    struct writer w = {.arena = arena, .a = a, .test = a->test, .kernel = kernel,
                       .out = &kernel->ptx};
    const char *problem = why_not(a);

    memset(kernel, 0, sizeof *kernel);
    if (problem)
        return problem;
    place_threads(&w);
    text_puts(w.out, ".version 8.6\n.target sm_90\n.address_size 64\n");
    write_globals(&w);
    write_entry(&w);
    write_final(&w);
    return NULL;
}

void litmus_kernel_state(const struct analysis *a, const uint64_t *results,
                         int64_t values[MAX_VARIABLES])
{
    const struct test *test = a->test;

    memset(values, 0, MAX_VARIABLES * sizeof *values);
    for (uint32_t v = 0; v < a->variable_count; v++) {
        values[v] = sign_extend((int64_t)results[v], a->variables[v].bits);
        if (a->variables[v].bits != 64)
            continue;
        for (uint32_t i = 0; i < test->location_count; i++)
            if (results[v] && results[v] == results[a->variable_count + i])
                values[v] = location_address(test, i);
    }
}
