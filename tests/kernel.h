/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.h - runs kernels written as .kir text, for tests of the engine.
 *
 *     struct kernel k;
 *     kernel_load(&k, text);
 *     uint32_t *out = kernel_buffer(&k, 4 * 32);   // next 8-byte parameter
 *     kernel_run(&k, 1, 32);
 *     ... k.findings ...
 *     kernel_free(&k);
 */
#ifndef SIMTLAB_TESTS_KERNEL_H
#define SIMTLAB_TESTS_KERNEL_H

#include <check.h>
#include <string.h>

#include "emu/engine.h"

struct kernel {
    struct arena arena;
    struct ir_module *module;
    struct memory *memory;
    struct image *image;
    struct findings findings;
    struct launch launch; /* change before kernel_run what it shall have */
    struct launch_result result;
    unsigned char parameters[256];
    struct text printed;
    bool observe;         /* with an observer that listens to nothing */
};

static inline void kernel_print_(void *self, const char *data, size_t size)
{
    text_add(self, data, size);
}

static inline void kernel_load(struct kernel *k, const char *text)
{
    *k = (struct kernel){0};
    struct diags diags = {.arena = &k->arena, .name = "test.kir", .source = text,
                          .source_size = strlen(text)};
    const char *error = NULL;

    k->module = ir_parse(&k->arena, "test.kir", text, strlen(text), &diags);
    if (!k->module) {
        struct text out = {0};
        diag_print(&out, &diags);
        ck_abort_msg("%s", text_string(&out));
    }
    k->memory = memory_new(k->module->address_bits);
    k->image = image_load(k->memory, k->module, &error);
    ck_assert_msg(k->image != NULL, "%s", error);
    k->findings.arena = &k->arena;
    k->launch = (struct launch){
        .image = k->image,
        .parameters = k->parameters,
        .profile = profile_default(),
        .print = kernel_print_,
        .print_self = &k->printed,
    };
}

/* Loads a kernel of which prologue is all up to its body. */
static inline void kernel_load_body(struct kernel *k, const char *prologue, const char *body)
{
    struct text text = {0};

    text_printf(&text, "%s%sexit\n}\n", prologue, body);
    kernel_load(k, text_string(&text));
    text_free(&text);
}

static inline void kernel_word(struct kernel *k, uint64_t value)
{
    memcpy(k->parameters + k->launch.parameter_bytes, &value, 8);
    k->launch.parameter_bytes += 8;
}

/* A zeroed buffer "argument N" whose address becomes the next parameter. */
static inline void *kernel_buffer(struct kernel *k, uint64_t size)
{
    const char *name = arena_printf(&k->arena, "argument %d",
                                    (int)(k->launch.parameter_bytes / 8));
    struct allocation *a = memory_allocate(k->memory, size, 256, ALLOCATION_BUFFER, name);

    ck_assert_ptr_nonnull(a);
    kernel_word(k, a->address);
    return a->host;
}

static inline void kernel_run(struct kernel *k, uint32_t blocks, uint32_t threads)
{
    static struct observer silent;
    static struct observer *const observers[] = {&silent};
    const char *error = NULL;

    for (int i = 0; i < 3; i++) {
        k->launch.grid[i] = i ? 1 : blocks;
        k->launch.block[i] = i ? 1 : threads;
    }
    for (uint32_t f = 0; f < k->module->function_count; f++)
        if (k->module->functions[f].is_kernel)
            k->launch.function = f;
    k->module->functions[k->launch.function].parameter_bytes = k->launch.parameter_bytes;
    if (k->observe) {
        k->launch.observers = observers;
        k->launch.observer_count = 1;
    }
    bool ran = launch_run(&k->launch, &k->findings, &k->result, &error);
    ck_assert_msg(ran, "%s", error);
}

static inline void kernel_free(struct kernel *k)
{
    image_free(k->image);
    memory_free(k->memory);
    text_free(&k->printed);
    arena_free(&k->arena);
}

#endif
