/* SPDX-License-Identifier: Apache-2.0
 *
 * profile_describe.c - a chip profile as text, each figure with how it is known.
 *
 * measured      on an NVIDIA H200 (sm_90), as its driver or a kernel told it
 * documented    by the vendor (CUDA Programming Guide, occupancy calculator, the
 *               product's data sheet, PTX ISA), or in a publication that is named
 * extrapolated  taken to be as on the chip that was measured */
#include "emu/profile.h"

#include "numeric/tensor.h"

static const char *const source_names[] = {"measured", "documented", "extrapolated"};

const char *profile_source_name(enum profile_source source)
{
    return source_names[source];
}

enum profile_source profile_source(const struct profile *profile, enum profile_kind kind)
{
    bool known = profile->number == 90;

    switch (kind) {
    case PROFILE_FIGURE: return known ? PROFILE_MEASURED : PROFILE_DOCUMENTED;
    case PROFILE_MANUAL: return PROFILE_DOCUMENTED;
    default: return known ? PROFILE_MEASURED : PROFILE_EXTRAPOLATED;
    }
}

static void line(struct text *out, const struct profile *profile, enum profile_kind kind,
                 const char *name, const char *value)
{
    text_printf(out, "  %-44s %-35s %s\n", name, value,
                source_names[profile_source(profile, kind)]);
}

static void number(struct text *out, const struct profile *profile, enum profile_kind kind,
                   const char *name, uint64_t value)
{
    struct text text = {0};

    text_printf(&text, "%llu", (unsigned long long)value);
    line(out, profile, kind, name, text_string(&text));
    text_free(&text);
}

static void triple(struct text *out, const struct profile *profile, const char *name,
                   const uint32_t value[3])
{
    struct text text = {0};

    text_printf(&text, "%u x %u x %u", value[0], value[1], value[2]);
    line(out, profile, PROFILE_FIGURE, name, text_string(&text));
    text_free(&text);
}

/* PTX ISA, target notes of the instructions; CUDA Programming Guide, tensor core input
 * types by compute capability. */
static const struct {
    uint32_t from, to;
    const char *text;
} features[] = {
    {70, 99, "match.sync, nanosleep, wmma and mma of f16"},
    {75, 99, "ldmatrix, movmatrix, mma of 8-, 4- and 1-bit integers, tanh and ex2 of f16"},
    {80, 99, "cp.async, mbarrier, redux.sync, bf16, tf32 and f64 mma, 2:4 sparse mma"},
    {86, 99, "min and max .xorsign.abs of f32"},
    {89, 99, "fp8 conversions and mma"},
    {90, 99, "clusters, bulk and tensor copies, elect.sync, stmatrix, bf16 add and mul"},
    {90, 90, "sm_90a: wgmma, setmaxnreg"},
    {70, 70, "tensor core inputs: f16"},
    {75, 75, "tensor core inputs: f16, 8-bit, 4-bit and 1-bit integers"},
    {80, 80, "tensor core inputs: f16, bf16, tf32, f64, 8-bit, 4-bit and 1-bit integers"},
    {86, 86, "tensor core inputs: f16, bf16, tf32, 8-bit, 4-bit and 1-bit integers"},
    {89, 89, "tensor core inputs: f16, bf16, tf32, fp8, 8-bit, 4-bit and 1-bit integers"},
    {90, 90, "tensor core inputs: f16, bf16, tf32, f64, fp8, 8-bit integers"},
};

static void describe_numbers(struct text *out, const struct profile *profile)
{
    const struct tensor_chip *chip = tensor_chip_of(profile->number);
    struct text sums = {0};

    line(out, profile, PROFILE_BEHAVIOUR, "rounded arithmetic and conversions", "as on sm_90");
    line(out, profile, PROFILE_BEHAVIOUR, "approximate instructions", "as on sm_90");
    line(out, profile, PROFILE_BEHAVIOUR, "texture filtering", "as on sm_90");
    line(out, profile, PROFILE_BEHAVIOUR, "lanes: order, convergence", "as on sm_90");
    text_printf(&sums, "%s: %d bits, %d products", chip->name, chip->fraction, chip->k_16bit);
    /* MMA-Sim, arXiv 2511.10909, for all but sm_90. */
    line(out, profile, PROFILE_FIGURE, "sums of 16-bit matrix instructions",
         text_string(&sums));
    text_free(&sums);
}

void profile_describe(struct text *out, const struct profile *profile)
{
    const struct profile *p = profile;

    text_printf(out, "%s, as in the %s\n\nwhat it holds\n", p->name, p->product);
    number(out, p, PROFILE_FIGURE, "multiprocessors", p->multiprocessors);
    number(out, p, PROFILE_FIGURE, "threads in a warp", p->warp_size);
    number(out, p, PROFILE_FIGURE, "threads in a block, at most", p->threads_per_block);
    triple(out, p, "block, at most", p->block_limit);
    triple(out, p, "grid, at most", p->grid_limit);
    number(out, p, PROFILE_FIGURE, "threads on a multiprocessor", p->threads_per_multiprocessor);
    number(out, p, PROFILE_FIGURE, "blocks on a multiprocessor", p->blocks_per_multiprocessor);
    number(out, p, PROFILE_FIGURE, "registers of a multiprocessor",
           p->registers_per_multiprocessor);
    number(out, p, PROFILE_FIGURE, "registers of a block", p->registers_per_block);
    number(out, p, PROFILE_MANUAL, "registers of a thread, at most", p->registers_per_thread);
    number(out, p, PROFILE_MANUAL, "registers of a warp, granularity", p->register_unit);
    number(out, p, PROFILE_MANUAL, "warp schedulers of a multiprocessor", p->partitions);
    number(out, p, PROFILE_FIGURE, "shared memory of a multiprocessor, bytes",
           p->shared_per_multiprocessor);
    number(out, p, PROFILE_FIGURE, "shared memory of a block, bytes", p->shared_static_limit);
    number(out, p, PROFILE_FIGURE, "the same on request, bytes", p->shared_per_block);
    number(out, p, PROFILE_FIGURE, "kept by the system in each block, bytes",
           p->shared_reserved);
    number(out, p, PROFILE_BEHAVIOUR, "first address of a kernel's shared memory",
           p->shared_base);
    number(out, p, PROFILE_FIGURE, "shared memory, granularity, bytes", p->shared_unit);
    number(out, p, PROFILE_MANUAL, "L1 cache and shared memory together, bytes", p->l1_bytes);
    line(out, p, PROFILE_MANUAL, "shared part of it, KiB", p->carve_outs);
    number(out, p, PROFILE_FIGURE, "L2 cache, bytes", p->l2_bytes);
    number(out, p, PROFILE_FIGURE, "constant memory, bytes", p->const_bytes);
    number(out, p, PROFILE_MANUAL, "local memory of a thread, at most, bytes", p->local_limit);
    number(out, p, PROFILE_MANUAL, "barriers of a block", 16);
    number(out, p, PROFILE_MANUAL, "blocks of a cluster, portable", p->max_cluster);
    number(out, p, PROFILE_MANUAL, "grids at the same time", p->resident_grids);
    number(out, p, PROFILE_FIGURE, "clock, kHz", p->clock_khz);
    number(out, p, PROFILE_MANUAL, "memory, bytes", p->global_bytes);
    text_puts(out, "\nhow it computes\n");
    describe_numbers(out, p);
    text_puts(out, "\nwhat it has (documented)\n");
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (p->number >= features[i].from && p->number <= features[i].to)
            text_printf(out, "  %s\n", features[i].text);
}
