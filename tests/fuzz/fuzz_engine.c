/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_engine.c - libFuzzer target: kernels, changed word by word, run with all checkers.
 *
 * Seeds are golden kernels: their //! lines say how they are launched. Whatever reads
 * must run to a report within its steps. With FUZZ_BUILD in the environment what the
 * code generator writes must read again, too, and leave the same bytes when the kernel
 * is clean.
 *     make fuzz-engine */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/arguments.h"
#include "api/report.h"
#include "codegen/codegen.h"
#include "tests/fuzz/mutate.h"
#include "tests/golden.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed);

enum { STEPS = 4000, BUILT_STEPS = 100000, BLOCKS = 4, THREADS = 256, LAUNCHES = 2, BUFFER = 1 << 18, ARGUMENTS = 64 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t limit, unsigned seed)
{
    return mutate_kernel(data, size, limit, seed);
}

static void print(void *self, const char *data, size_t size)
{
    *(uint64_t *)self += size && data ? size : 0;
}

/* What one run left. */
struct ran {
    bool clean;
    unsigned char *bytes;
    uint64_t size;
};

static uint64_t hash(const char *text, size_t size)
{
    uint64_t h = 1469598103934665603u;

    for (size_t i = 0; i < size; i++)
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return h;
}

/* Not too much work: launch lines are changed as all else. */
static bool small(const struct golden_launch *launch)
{
    uint64_t blocks = 1, threads = 1;

    for (int i = 0; i < 3; i++) {
        blocks *= launch->grid[i] < 65536 ? launch->grid[i] : 65536;
        threads *= launch->block[i] < 65536 ? launch->block[i] : 65536;
    }
    if (blocks > BLOCKS || threads > THREADS || launch->arguments.count > ARGUMENTS)
        return false;
    struct arena arena = {0};
    bool good = true;
    for (uint32_t i = 0; i < launch->arguments.count && good; i++) {
        struct argument argument;
        const char *text = launch->arguments.items[i];
        if (argument_parse(&arena, text, strlen(text), &argument) ||
            argument.kind == ARGUMENT_FILE ||
            ((argument.kind == ARGUMENT_BUFFER || argument.kind == ARGUMENT_TEXTURE ||
              argument.kind == ARGUMENT_TENSOR) && argument_buffer_size(&argument) > BUFFER))
            good = false;
    }
    arena_free(&arena);
    return good;
}

static void render(struct sl_report *report)
{
    sl_report_text(report);
    sl_report_json(report);
    free(report_to_sarif(report));
    free(report_to_junit(report));
}

static void keep_bytes(struct ran *ran, const struct prepared_arguments *prepared)
{
    for (uint32_t i = 0; i < prepared->count; i++)
        if (prepared->items[i].buffer)
            ran->size += sl_buffer_size(prepared->items[i].buffer);
    ran->bytes = malloc(ran->size + 1);
    uint64_t at = 0;
    for (uint32_t i = 0; i < prepared->count; i++) {
        sl_buffer *buffer = prepared->items[i].buffer;
        if (!buffer)
            continue;
        sl_buffer_read(buffer, 0, ran->bytes + at, sl_buffer_size(buffer));
        at += sl_buffer_size(buffer);
    }
}

/* Of variety: all checkers, no weak loads, one thread, and this seed. */
enum { SEED_0 = 1 + 4, SEED_1 = 1 + 4 + 16 };

/* built: text of the code generator, which must read. */
static struct ran run(const char *text, size_t size, const struct golden_launch *launch,
                      uint64_t variety, bool built)
{
    struct arena arena = {0};
    struct ran ran = {0};
    struct text error = {0};
    struct prepared_arguments prepared = {0};
    sl_context *context;
    sl_module *module;
    sl_kernel *kernel;
    sl_report *report = NULL;
    uint64_t printed = 0;

    if (sl_context_create(launch->target, &context) != SL_OK)
        return ran;
    sl_context_set(context, SL_OPTION_MAX_STEPS, built ? BUILT_STEPS : STEPS);
    sl_context_set(context, SL_OPTION_CHECKS, variety % 4 ? sl_available_checks() : 0);
    sl_context_set(context, SL_OPTION_WEAK, !built && variety / 4 % 4 == 0);
    sl_context_set(context, SL_OPTION_SEED, built ? 0 : variety / 16 % 3);
    sl_context_set(context, SL_OPTION_THREADS, 1 + variety / 64 % 2);
    sl_context_set_print(context, print, &printed);
    bool read = sl_module_load(context, SL_FORMAT_PTX, "fuzz.ptx", text, size, &module) == SL_OK;
    if (!read && built) {
        fprintf(stderr, "what was built does not read:\n%s\n%s", sl_context_error(context), text);
        abort();
    }
    if (!read && !*sl_context_error(context))
        abort();
    if (read && sl_module_find(module, launch->kernel, &kernel) == SL_OK &&
        arguments_prepare(&arena, kernel, launch->arguments.items, launch->arguments.count,
                          &prepared, &error)) {
        const void *values[ARGUMENTS];
        for (uint32_t i = 0; i < launch->arguments.count; i++)
            values[i] = prepared.items[i].value;
        if (sl_launch(kernel, launch->grid, launch->block, launch->shared, values,
                      launch->arguments.count, &report) == SL_OK) {
            render(report);
            ran.clean = report->finding_count == 0 && sl_report_completed(report);
            keep_bytes(&ran, &prepared);
        } else if (!*sl_context_error(context)) {
            abort();
        }
        sl_report_destroy(report);
    }
    sl_context_destroy(context);
    text_free(&error);
    arena_free(&arena);
    return ran;
}

/* As the code generator writes it; false: it says that it cannot. */
static bool build(struct arena *arena, const char *text, size_t size, struct text *out)
{
    struct codegen_options options = {0};
    sl_context *context;
    sl_module *module;
    bool good = false;

    if (sl_context_create(NULL, &context) != SL_OK)
        return false;
    context->any_target = true;
    if (sl_module_load(context, SL_FORMAT_PTX, "fuzz.ptx", text, size, &module) == SL_OK) {
        struct diags diags = {.arena = arena, .name = "fuzz.ptx", .source = text,
                              .source_size = size};
        good = codegen_write(module->ir, &options, out, &diags);
        if (!good && !diags.errors)
            abort();
    }
    sl_context_destroy(context);
    return good;
}

static bool same(const struct ran *a, const struct ran *b)
{
    return a->clean && b->clean && a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct golden_file file = {0};
    struct text why = {0}, built = {0};
    const char *text = arena_copy(&arena, data, size);
    uint64_t variety = hash(text, size);
    bool must_build = getenv("FUZZ_BUILD") != NULL;

    if (!golden_read(&arena, "fuzz.ptx", text, size, &file, &why))
        file.launches.count = 0;
    bool written = must_build && file.launches.count && build(&arena, text, size, &built);
    for (uint32_t i = 0; i < file.launches.count && i < LAUNCHES; i++) {
        const struct golden_launch *launch = &file.launches.items[i];
        if (!small(launch))
            continue;
        struct ran first = run(text, size, launch, must_build ? SEED_0 : variety, false);
        if (written && first.clean) {
            struct ran other = run(text, size, launch, SEED_1, false);
            struct ran second = run(built.data, built.size, launch, SEED_0, true);
            /* Relaxed accesses may leave what the schedule wants without any race. */
            if (same(&first, &other) && !same(&first, &second)) {
                fprintf(stderr, "what was built gives something else:\n%s", built.data);
                abort();
            }
            free(other.bytes);
            free(second.bytes);
        }
        free(first.bytes);
    }
    text_free(&why);
    text_free(&built);
    arena_free(&arena);
    return 0;
}
