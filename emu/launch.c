/* SPDX-License-Identifier: Apache-2.0
 *
 * launch.c - checks a launch, sets it up, runs it. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/access.h"
#include "emu/block.h"
#include "emu/control.h"
#include "emu/matrix.h"
#include "emu/sched.h"
#include "emu/state.h"

static bool refuse(struct findings *findings, const char **error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(struct findings *findings, const char **error, const char *format, ...)
{
    char buffer[512];
    va_list args;

    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    *error = arena_strdup(findings->arena, buffer);
    return false;
}

static bool check_shape(const struct launch *launch, const struct ir_function *kernel,
                        struct findings *findings, const char **error)
{
    const struct profile *profile = launch->profile;
    static const char axis[] = "xyz";
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++) {
        if (!launch->grid[i] || launch->grid[i] > profile->grid_limit[i])
            return refuse(findings, error, "grid size %u in %c: %s allows 1 to %u",
                          launch->grid[i], axis[i], profile->name, profile->grid_limit[i]);
        if (!launch->block[i] || launch->block[i] > profile->block_limit[i])
            return refuse(findings, error, "block size %u in %c: %s allows 1 to %u",
                          launch->block[i], axis[i], profile->name, profile->block_limit[i]);
        threads *= launch->block[i];
        if (kernel->required_threads[i] && kernel->required_threads[i] != launch->block[i])
            return refuse(findings, error,
                          "%s demands a block of %u,%u,%u threads (.reqntid), not %u,%u,%u",
                          kernel->name, kernel->required_threads[0],
                          kernel->required_threads[1], kernel->required_threads[2],
                          launch->block[0], launch->block[1], launch->block[2]);
    }
    if (threads > profile->threads_per_block)
        return refuse(findings, error, "%llu threads in a block: %s allows at most %u",
                      (unsigned long long)threads, profile->name, profile->threads_per_block);
    uint64_t most = (uint64_t)kernel->max_threads[0] *
                    (kernel->max_threads[1] ? kernel->max_threads[1] : 1) *
                    (kernel->max_threads[2] ? kernel->max_threads[2] : 1);
    if (most && threads > most)
        return refuse(findings, error, "%s is limited to %llu threads a block (.maxntid), not %llu",
                      kernel->name, (unsigned long long)most, (unsigned long long)threads);
    return true;
}

static bool check_cluster(const struct launch *launch, uint32_t *size,
                          struct findings *findings, const char **error)
{
    uint64_t blocks = 1;

    *size = 1;
    if (launch->cluster[0] <= 1 && launch->cluster[1] <= 1 && launch->cluster[2] <= 1)
        return true;
    if (!launch->profile->max_cluster)
        return refuse(findings, error, "%s has no clusters", launch->profile->name);
    for (int i = 0; i < 3; i++) {
        if (!launch->cluster[i] || launch->grid[i] % launch->cluster[i])
            return refuse(findings, error, "cluster size %u does not divide the grid size %u",
                          launch->cluster[i], launch->grid[i]);
        blocks *= launch->cluster[i];
    }
    /* 16 blocks need the non-portable opt-in, which an emulator can grant. */
    if (blocks > 16)
        return refuse(findings, error, "a cluster of %llu blocks: at most 16",
                      (unsigned long long)blocks);
    *size = (uint32_t)blocks;
    return true;
}

/* Of a cooperative launch: zeroed words with which its blocks wait for each other. Their
 * address is in %envreg1 and %envreg2. */
static struct allocation *open_workspace(const struct launch *launch)
{
    enum { WORKSPACE_BYTES = 256 };
    struct allocation *workspace =
        launch->cooperative ? memory_allocate(launch->image->memory, WORKSPACE_BYTES, 256,
                                              ALLOCATION_BUFFER, "the grid's barrier")
                            : NULL;

    if (workspace)
        allocation_defined(workspace);
    return workspace;
}

bool launch_run(const struct launch *launch, struct findings *findings,
                struct launch_result *result, const char **error)
{
    const struct ir_module *module = launch->image->module;
    const struct ir_function *kernel = &module->functions[launch->function];
    const struct profile *profile = launch->profile;
    struct launch_state state = {.launch = launch, .memory = launch->image->memory,
                                 .findings = findings, .result = result};

    *result = (struct launch_result){0};
    *error = NULL;
    if (!kernel->is_kernel || !kernel->block_count)
        return refuse(findings, error, "%s is not a kernel", kernel->name);
    if (!check_shape(launch, kernel, findings, error) ||
        !check_cluster(launch, &state.cluster_size, findings, error))
        return false;
    if (launch->parameter_bytes < kernel->parameter_bytes)
        return refuse(findings, error, "%s takes %llu bytes of parameters, %llu given",
                      kernel->name, (unsigned long long)kernel->parameter_bytes,
                      (unsigned long long)launch->parameter_bytes);
    uint64_t shared = kernel_static_shared(module, launch->function);
    if (shared > profile->shared_static_limit)
        return refuse(findings, error, "%llu bytes of static shared memory: at most %u, the rest "
                                       "must be dynamic",
                      (unsigned long long)shared, profile->shared_static_limit);
    if (shared + launch->shared_bytes > profile->shared_per_block)
        return refuse(findings, error,
                      "%llu bytes of shared memory (%llu static, %u dynamic): %s allows %u",
                      (unsigned long long)(shared + launch->shared_bytes),
                      (unsigned long long)shared, launch->shared_bytes, profile->name,
                      profile->shared_per_block);
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t most = (uint64_t)profile->multiprocessors *
                    profile_resident_blocks(profile, (uint32_t)threads,
                                            (uint32_t)(shared + launch->shared_bytes));
    if (launch->cooperative && blocks > most)
        return refuse(findings, error,
                      "a cooperative launch of %llu blocks: %s holds %llu of them at once",
                      (unsigned long long)blocks, profile->name, (unsigned long long)most);
    struct executable *executable =
        executable_new(launch, profile->shared_base, findings->arena, error);
    if (!executable)
        return false;
    state.executable = executable;
    state.kernel = executable->programs[launch->function];
    state.block_threads = launch->block[0] * launch->block[1] * launch->block[2];
    state.block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    state.shared_total =
        executable->shared_system + executable->shared_static + launch->shared_bytes;
    struct allocation *workspace = open_workspace(launch);
    state.workspace = workspace ? workspace->address : 0;
    state.max_steps = launch->max_steps ? launch->max_steps : DEFAULT_MAX_STEPS;
    state.stack_limit = launch->stack_limit ? launch->stack_limit : DEFAULT_STACK_LIMIT;
    state.random = launch->seed;
    state.observed = launch->observer_count != 0;
    state.access_loops = access_loops();
    state.tensor_loops = mma_loops();
    for (uint32_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->launch_begin)
            launch->observers[i]->launch_begin(launch->observers[i], &state);
    schedule(&state);
    for (uint32_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->launch_end)
            launch->observers[i]->launch_end(launch->observers[i], &state);
    result->seed_choices = state.choices;
    result->warp_instructions = state.steps;
    if (workspace)
        memory_release(state.memory, workspace->address);
    units_free(&state);
    frame_pool_free(&state.pool);
    executable_free(executable);
    return true;
}
