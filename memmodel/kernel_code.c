/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel_code.c - the threads of a litmus test as PTX.
 *
 * The instructions are those of the file, with registers and labels renamed for
 * each thread. Shared variables get their initial values before a barrier that all
 * threads pass. */
#include "memmodel/kernel_code.h"

#include <ctype.h>
#include <string.h>

enum { FIRST_BARRIER = 15, WARP = 32, MOST_REPETITIONS = 4096 };

/* --- places --------------------------------------------------------------------------- */

static bool same_block(const struct test_thread *a, const struct test_thread *b)
{
    return a->cluster == b->cluster && a->cta == b->cta;
}

/* Numbers clusters, blocks in them and warps in those by first appearance. */
void kernel_place(struct kernel_writer *w)
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
    w->grid = clusters * largest;
    w->block = warps * WARP;
    w->cluster = largest;
}

/* The first thread in the block that holds a shared variable. */
static uint32_t owner_of(const struct kernel_writer *w, const struct test_location *l)
{
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        if (w->test->threads[t].cta == l->cta)
            return t;
    return 0;
}

/* --- shared variables --------------------------------------------------------------- */

static bool has_shared(const struct test *test)
{
    for (uint32_t i = 0; i < test->location_count; i++)
        if (test->locations[i].space == SPACE_SHARED)
            return true;
    return false;
}

static bool has_bulk_copies(const struct test *test)
{
    for (uint32_t t = 0; t < test->thread_count; t++)
        for (uint32_t i = 0; i < test->threads[t].code_count; i++)
            if (test->threads[t].code[i].kind == INSTR_COPY &&
                test->threads[t].code[i].is_bulk)
                return true;
    return false;
}

void kernel_shared(struct kernel_writer *w)
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
        for (uint32_t b = 0; b < o->size && !l->is_mbarrier;) {
            uint32_t word = 0, size = o->size - b < 4 ? 1 : 4;
            for (uint32_t i = 0; i < size; i++)
                word |= (uint32_t)o->initial[b + i] << 8 * i;
            text_printf(w->out, "    st.shared.u%u [%s+%u], %u;\n", size * 8, l->name, b, word);
            b += size;
        }
    }
    /* What is there at the start is there for every proxy. */
    if (has_bulk_copies(w->test))
        text_puts(w->out, "    fence.proxy.async.shared::cta;\n");
    text_printf(w->out, "READY:\n    bar.sync %d;\n", FIRST_BARRIER);
    if (w->cluster > 1)
        text_puts(w->out, "    barrier.cluster.arrive;\n    barrier.cluster.wait;\n");
}

/* --- code ---------------------------------------------------------------------------------- */

static const char *register_type(uint32_t width)
{
    return width == 1 ? "pred" : width == 16 ? "b16" : width == 32 ? "b32" : "b64";
}

static bool is_global(const struct kernel_writer *w, const char *name, size_t size)
{
    for (uint32_t i = 0; i < w->test->location_count; i++) {
        const struct test_location *l = &w->test->locations[i];
        if (strlen(l->name) == size && !memcmp(l->name, name, size))
            return l->space == SPACE_GLOBAL;
    }
    return false;
}

static bool is_remote(const struct kernel_writer *w, uint32_t thread, const char *name,
                      size_t size)
{
    for (uint32_t i = 0; i < w->test->location_count; i++) {
        const struct test_location *l = &w->test->locations[i];
        if (strlen(l->name) == size && !memcmp(l->name, name, size))
            return l->space == SPACE_SHARED && l->cta != w->test->threads[thread].cta;
    }
    return false;
}

/* Registers get the thread's prefix; shared variables of other blocks, and in many
 * instances the global ones, become the register that holds their address. */
static void write_renamed(struct kernel_writer *w, uint32_t thread, const char *text)
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
        else if (w->many && is_global(w, text, size))
            text_printf(w->out, "%%at_%.*s", (int)size, text);
        else
            text_add(w->out, text, size);
        text += size;
    }
}

void kernel_registers(struct kernel_writer *w, uint32_t thread)
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

static void write_result(struct kernel_writer *w, uint32_t variable, uint32_t thread)
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

void kernel_thread(struct kernel_writer *w, uint32_t thread)
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
            text_printf(w->out, "    mov.%s %s, %lld;\n", register_type(t->registers[r].width),
                        name, (long long)t->registers[r].initial);
    }
    for (uint32_t i = 0; i < w->test->location_count; i++) {
        const struct test_location *l = &w->test->locations[i];
        if (!is_remote(w, thread, l->name, strlen(l->name)))
            continue;
        text_printf(w->out, "    mov.u32 %%t%u_at_%s, %s;\n"
                    "    mapa.shared::cluster.u32 %%t%u_at_%s, %%t%u_at_%s, %u;\n",
                    thread, l->name, l->name, thread, l->name, thread, l->name,
                    w->block_of[owner_of(w, l)] % w->cluster);
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
        if (w->test->is_native && i->text == last_text)
            continue; /* one instruction of the file that is two here */
        last_text = i->text;
        text_puts(w->out, "    ");
        if (w->many && i->kind == INSTR_BRANCH && i->target <= n)
            text_printf(w->out, "add.u32 %%turns, %%turns, 1;\n"
                        "    setp.gt.u32 %%here, %%turns, %d;\n    @%%here bra LEAVE_%u;\n    ",
                        MOST_REPETITIONS, thread);
        if (i->kind == INSTR_BRANCH || i->kind == INSTR_EXIT) {
            if (i->guard != NO_REGISTER)
                text_printf(w->out, "@%s%%t%u_%s ", i->guard_negated ? "!" : "", thread,
                            t->registers[i->guard].name + 1);
            text_printf(w->out, "bra AT_%u_%u;\n", thread,
                        i->kind == INSTR_EXIT ? t->code_count : i->target);
            continue;
        }
        if (!w->test->is_native) {
            kernel_dat3m_instruction(w, thread, i);
            continue;
        }
        write_renamed(w, thread, i->text);
        text_puts(w->out, ";\n");
    }
    for (uint32_t v = 0; v < w->a->variable_count; v++)
        if (w->a->variables[v].term->kind == TERM_REGISTER &&
            w->a->variables[v].term->thread == thread)
            write_result(w, v, thread);
    if (w->many)
        text_printf(w->out, "    red.relaxed.gpu.global.add.u32 [%%meet+4], 1;\nLEAVE_%u:\n",
                    thread);
    if (w->many && w->cluster > 1 && has_shared(w->test)) /* it must not end in use */
        text_puts(w->out, "    barrier.cluster.arrive;\n    barrier.cluster.wait;\n");
    text_puts(w->out, "    ret;\n");
}

const char *kernel_refused(const struct analysis *a)
{
    const struct test *test = a->test;

    for (uint32_t i = 0; i < test->location_count; i++)
        if (test->locations[i].range != i || test->locations[i].object != i)
            return "an alias needs memory that is mapped twice";
    for (uint32_t t = 1; t < test->thread_count; t++)
        if (test->threads[t].gpu != test->threads[0].gpu)
            return "its threads are on more than one GPU";
    if (!test->is_native && kernel_dat3m_refused(test))
        return kernel_dat3m_refused(test);
    for (uint32_t v = 0; v < a->variable_count; v++)
        if (a->variables[v].term->kind == TERM_LOCATION &&
            test->locations[a->variables[v].term->location].space == SPACE_SHARED)
            return "its condition names shared memory, which ends with the block";
    return NULL;
}
