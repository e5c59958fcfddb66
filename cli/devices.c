/* SPDX-License-Identifier: Apache-2.0
 *
 * devices.c - `devices`: the chip profiles that can be emulated, and real GPUs. */
#include "cli/cli.h"

#include "api/gpu.h"
#include "api/tensor_cores.h"

/* One profile in full. */
static int describe(const struct options *options)
{
    struct text out = {0}, error = {0};
    int status = EXIT_CLEAN;

    if (options->word_count > 1)
        text_puts(&error, "devices takes one profile's name at most\n");
    else if (!device_describe(&out, options->words[0]))
        text_printf(&error, "there is no profile '%.40s'; `simtlab devices` lists them\n",
                    options->words[0]);
    else
        fputs(text_string(&out), stdout);
    if (error.size)
        status = fail(&error);
    text_free(&out);
    text_free(&error);
    return status;
}

int cli_devices(struct options *options)
{
    if (options->word_count)
        return describe(options);
    printf("%-8s %-10s %5s %11s %10s %13s %14s %8s %9s\n", "profile", "product", "SMs",
           "threads/SM", "blocks/SM", "shared/SM", "shared/block", "cluster", "memory");
    for (size_t i = 0; i < sl_device_count(); i++) {
        char cluster[24] = "-";
        unsigned long long blocks =
            (unsigned long long)sl_device_attribute(i, SL_ATTRIBUTE_MAX_CLUSTER);
        if (blocks)
            snprintf(cluster, sizeof cluster, "%llu", blocks);
        printf("%-8s %-10s %5llu %11llu %10llu %9llu KiB %10llu KiB %8s %5llu GiB\n",
               sl_device_name(i), sl_device_product(i),
               (unsigned long long)sl_device_attribute(i, SL_ATTRIBUTE_MULTIPROCESSORS),
               (unsigned long long)sl_device_attribute(i, SL_ATTRIBUTE_THREADS_PER_MULTIPROCESSOR),
               (unsigned long long)sl_device_attribute(i, SL_ATTRIBUTE_BLOCKS_PER_MULTIPROCESSOR),
               (unsigned long long)
                       sl_device_attribute(i, SL_ATTRIBUTE_SHARED_PER_MULTIPROCESSOR) / 1024,
               (unsigned long long)sl_device_attribute(i, SL_ATTRIBUTE_SHARED_PER_BLOCK) / 1024,
               cluster,
               (unsigned long long)sl_device_attribute(i, SL_ATTRIBUTE_GLOBAL_MEMORY) >> 30);
    }
    struct text cores = {0};
    tensor_cores_describe(&cores);
    printf("\n%s", text_string(&cores));
    text_free(&cores);
    printf("\n--target PROFILE chooses one; without it, sm_90 is used. `simtlab devices PROFILE`\n"
           "says all about one, and how each figure is known.\n");
    struct text gpus = {0};
    gpus_describe(&gpus, options->attributes);
    printf("\nreal GPUs\n%s", text_string(&gpus));
    text_free(&gpus);
    return EXIT_CLEAN;
}
