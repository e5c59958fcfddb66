/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.c - writing a litmus test as PTX that runs once.
 *
 * Variables are those of the module. Threads are dispatched by their place; lanes
 * that the test does not name end at once. */
#include "memmodel/kernel.h"

#include <string.h>

#include "memmodel/kernel_code.h"

/* --- variables ------------------------------------------------------------------------- */

static void write_globals(struct kernel_writer *w)
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

static void write_entry(struct kernel_writer *w)
{
    text_puts(w->out, ".visible .entry litmus(.param .u64 results)\n");
    if (w->cluster > 1)
        text_printf(w->out, ".reqnctapercluster %u, 1, 1\n", w->cluster);
    text_puts(w->out, "{\n    .reg .pred %here;\n    .reg .b32 %block, %lane, %place;\n"
              "    .reg .b64 %results, %value;\n");
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        kernel_registers(w, t);
    text_puts(w->out, "    ld.param.u64 %results, [results];\n"
              "    cvta.to.global.u64 %results, %results;\n"
              "    mov.u32 %block, %ctaid.x;\n    mov.u32 %lane, %tid.x;\n");
    kernel_shared(w);
    text_printf(w->out, "    mad.lo.u32 %%place, %%block, %u, %%lane;\n", w->block);
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        text_printf(w->out, "    setp.eq.u32 %%here, %%place, %u;\n    @%%here bra THREAD_%u;\n",
                    w->block_of[t] * w->block + w->lane_of[t], t);
    text_puts(w->out, "    ret;\n");
    for (uint32_t t = 0; t < w->test->thread_count; t++)
        kernel_thread(w, t);
    text_puts(w->out, "}\n");
}

static void write_final(struct kernel_writer *w)
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
    w->result_count = next;
}

const char *litmus_kernel_write(struct arena *arena, const struct analysis *a,
                                struct litmus_kernel *kernel)
{
    struct kernel_writer w = {.arena = arena, .a = a, .test = a->test, .out = &kernel->ptx};
    const char *problem = kernel_refused(a);

    memset(kernel, 0, sizeof *kernel);
    if (problem)
        return problem;
    kernel_place(&w);
    text_puts(w.out, ".version 8.6\n.target sm_90\n.address_size 64\n");
    write_globals(&w);
    write_entry(&w);
    write_final(&w);
    kernel->grid = w.grid;
    kernel->block = w.block;
    kernel->cluster = w.cluster;
    kernel->result_count = w.result_count;
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
