/* SPDX-License-Identifier: Apache-2.0
 *
 * trial.c - tries the runtime on a device, step by step. */
#include "gpu/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/device.h"

/* spin: some 50 ms of dependent steps, then a word is stored; add: one more than
 * the word; null: a fault. */
static const char PTX[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry spin(.param .u64 p, .param .u32 n) {\n"
    " .reg .b64 %a; .reg .b32 %i, %n, %s; .reg .pred %q;\n"
    " ld.param.u64 %a, [p]; ld.param.u32 %n, [n]; mov.u32 %i, 0; mov.u32 %s, 1;\n"
    "again: setp.ge.u32 %q, %i, %n; @%q bra done;\n"
    " mad.lo.u32 %s, %s, 1664525, 1013904223; add.u32 %i, %i, 1; bra again;\n"
    "done: st.volatile.global.u32 [%a], %s; st.volatile.global.u32 [%a], 41; ret; }\n"
    ".visible .entry add(.param .u64 p) {\n"
    " .reg .b64 %a; .reg .b32 %s; ld.param.u64 %a, [p]; ld.global.u32 %s, [%a];\n"
    " add.u32 %s, %s, 1; st.global.u32 [%a], %s; ret; }\n"
    ".visible .entry null() { .reg .b64 %a; mov.u64 %a, 0; st.global.u32 [%a], 1; ret; }\n";

static const char BROKEN[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                             ".visible .entry k() { frobnicate.u32 %r1; ret; }\n";

enum { TURNS = 5000000 };

struct trial {
    const struct driver *driver;
    struct gpu_context context;
    struct gpu_module module;
    struct gpu_kernel spin, add, null;
    struct text *out;
    unsigned failures;
    struct gpu_error error;
};

static const struct gpu_launch ONE = {.grid = {1, 1, 1}, .block = {1, 1, 1}};

static void step(struct trial *t, const char *what, bool good, const char *why)
{
    text_printf(t->out, "%-62s %s\n", what, good ? "ok" : *why ? why : "WRONG");
    t->failures += !good;
    t->error.text[0] = 0;
}

static void check(struct trial *t, const char *what, bool good)
{
    step(t, what, good, t->error.text);
}

static bool load(struct trial *t)
{
    struct gpu_context *c = &t->context;

    return gpu_module_load(c, "trial.ptx", PTX, sizeof PTX - 1, NULL, NULL, &t->module,
                           &t->error) &&
           gpu_kernel_find(c, &t->module, "spin", &t->spin, &t->error) &&
           gpu_kernel_find(c, &t->module, "add", &t->add, &t->error) &&
           gpu_kernel_find(c, &t->module, "null", &t->null, &t->error);
}

static void try_broken(struct trial *t)
{
    struct text log = {0};
    struct gpu_module module;
    bool loaded = gpu_module_load(&t->context, "broken.ptx", BROKEN, sizeof BROKEN - 1, NULL,
                                  &log, &module, &t->error);

    step(t, "wrong PTX is refused, and the compiler's log names the line",
         !loaded && strstr(text_string(&log), "line 4"), text_string(&log));
    text_free(&log);
}

static void try_limits(struct trial *t)
{
    size_t stack = 0, heap = 0;
    bool done = gpu_limit_set(&t->context, GPU_LIMIT_STACK, 4096, &t->error) &&
                gpu_limit_set(&t->context, GPU_LIMIT_HEAP, 16u << 20, &t->error) &&
                gpu_limit_get(&t->context, GPU_LIMIT_STACK, &stack, &t->error) &&
                gpu_limit_get(&t->context, GPU_LIMIT_HEAP, &heap, &t->error);

    check(t, "limits of the stack and the heap", done && stack >= 4096 && heap >= 16u << 20);
}

/* A long kernel on one stream, a short one on another that waits for its event. */
static void try_streams(struct trial *t)
{
    struct gpu_context *c = &t->context;
    driver_stream first = NULL, second = NULL;
    driver_event start = NULL, end = NULL;
    uint64_t address = 0;
    uint32_t turns = TURNS, word = 0;
    void *spin[] = {&address, &turns}, *add[] = {&address};
    bool early = true, late = false;
    double milliseconds = 0;

    bool good = gpu_stream_open(c, &first, &t->error) && gpu_stream_open(c, &second, &t->error) &&
                gpu_event_open(c, &start, &t->error) && gpu_event_open(c, &end, &t->error) &&
                gpu_alloc(c, 4, first, "a word", &address, &t->error) &&
                gpu_event_record(c, start, first, &t->error) &&
                gpu_launch(c, &t->spin, &ONE, spin, first, &t->error) &&
                gpu_event_record(c, end, first, &t->error) &&
                gpu_stream_done(c, first, &early, &t->error);
    check(t, "a launch returns before its kernel has ended", good && !early);
    good = good && gpu_stream_after(c, second, end, &t->error) &&
           gpu_launch(c, &t->add, &ONE, add, second, &t->error) &&
           gpu_copy_out(c, &word, address, sizeof word, second, &t->error) &&
           gpu_stream_wait(c, second, &t->error) && gpu_stream_done(c, first, &late, &t->error);
    check(t, "a stream waits for the event of another", good && late && word == 42);
    good = good && gpu_event_elapsed(c, start, end, &milliseconds, &t->error);
    char line[96];
    snprintf(line, sizeof line, "time between two events: %.1f ms", milliseconds);
    check(t, line, good && milliseconds > 0.1);
    good = gpu_free(c, address, second, &t->error) && gpu_event_close(c, start, &t->error) &&
           gpu_event_close(c, end, &t->error) && gpu_stream_close(c, first, &t->error) &&
           gpu_stream_close(c, second, &t->error);
    check(t, "streams, events and memory are given back", good);
}

static void try_pool(struct trial *t)
{
    enum { PIECES = 64 };
    struct gpu_context *c = &t->context;
    uint64_t pieces[PIECES];
    struct pool_stats stats;
    bool good = true;

    for (unsigned i = 0; i < PIECES && good; i++)
        good = gpu_alloc(c, 1000 * (i + 1), NULL, "a piece", &pieces[i], &t->error);
    for (unsigned i = 0; i < PIECES && good; i += 2)
        good = gpu_free(c, pieces[i], NULL, &t->error);
    pool_read_stats(c->pool, &stats);
    check(t, "64 allocations out of few segments, half of them freed",
          good && stats.live == PIECES / 2 && stats.backing_requests < 4);
    pool_print_stats(t->out, &stats);
    for (unsigned i = 3; i < PIECES && good; i += 2)
        good = gpu_free(c, pieces[i], NULL, &t->error);
    check(t, "all but one of them freed", good);
}

/* A second context object on this thread, where the primary context is current. */
static void try_adopted(struct trial *t)
{
    struct gpu_context other;
    driver_context current = NULL;
    bool good = gpu_context_open(t->driver, -1, &other, &t->error);

    bool adopted = good && other.handle == t->context.handle;
    if (good)
        gpu_context_close(&other, NULL);
    good = adopted && t->driver->cuCtxGetCurrent(&current) == DRIVER_SUCCESS &&
           current == t->context.handle;
    check(t, "the context that is current is adopted, and left current", good);
}

static void try_fault(struct trial *t)
{
    bool good = gpu_launch(&t->context, &t->null, &ONE, NULL, NULL, &t->error);
    bool fault = good && !gpu_stream_wait(&t->context, NULL, &t->error) &&
                 gpu_error_is_fault(&t->error);

    if (fault)
        text_printf(t->out, "    %s\n", t->error.text);
    check(t, "a kernel's fault is reported where it is waited for", fault);
    fault = !gpu_context_wait(&t->context, &t->error) && gpu_error_is_fault(&t->error);
    check(t, "and by every call after it", fault);
}

bool trial_run(const char *library, int device, struct text *out, unsigned *failures,
               struct gpu_error *error)
{
    struct trial t = {.out = out};
    struct driver *driver;
    struct text leaks = {0};

    if (!driver_open(library, &driver, error))
        return false;
    t.driver = driver;
    if (!gpu_context_open(driver, device, &t.context, error)) {
        driver_close(driver);
        return false;
    }
    try_limits(&t);
    bool loaded = load(&t);
    check(&t, "a module is compiled and its kernels are found", loaded);
    try_broken(&t);
    try_pool(&t);
    try_adopted(&t);
    if (loaded) {
        try_streams(&t);
        try_fault(&t);
    }
    size_t leaked = gpu_context_close(&t.context, &leaks);
    step(&t, "what was not freed is reported at the end", leaked == 1, text_string(&leaks));
    text_printf(out, "    %s", text_string(&leaks));
    text_free(&leaks);
    driver_close(driver);
    *failures = t.failures;
    return true;
}
