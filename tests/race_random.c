/* SPDX-License-Identifier: Apache-2.0
 *
 * race_random.c - see race_random.h. */
#include "tests/race_random.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"

struct draw {
    struct random_kernel *kernel;
    uint64_t seed, index;
    uint32_t values;       /* written so far: each is another one */
    bool mixed;            /* accesses of several sizes */
    bool fences, shared;
    bool wide;             /* all scopes are gpu */
    bool flags;            /* some places are for strong accesses, others for weak ones */
    uint32_t places;
    uint32_t labels;
};

static uint32_t pick(struct draw *d, uint32_t count)
{
    return (uint32_t)(random_at(d->seed, d->index++) >> 33) % count;
}

static bool chance(struct draw *d, uint32_t percent)
{
    return pick(d, 100) < percent;
}

static struct text *out(struct draw *d)
{
    return &d->kernel->ptx;
}

static const char *scope(struct draw *d)
{
    static const char *const scopes[] = {"cta", "cta", "gpu", "gpu", "gpu", "gpu", "sys",
                                         "cluster"};

    return d->wide ? "gpu" : scopes[pick(d, 8)];
}

/* --- threads with code of their own ------------------------------------------------------- */

/* An address; *space: of which. */
static const char *place(struct draw *d, bool strong, char text[32], const char **space)
{
    uint32_t n = pick(d, d->places);

    if (d->flags && !chance(d, 5))
        n = strong ? n / 2 : d->places - 1 - n / 2;

    if (d->shared && chance(d, 30)) {
        *space = "shared";
        snprintf(text, 32, "[%%s+%u]", 8 * n);
    } else {
        *space = "global";
        /* In one row of the shadow, or in two. */
        snprintf(text, 32, "[%%g+%u]", n == 1 ? 256 : 8 * n);
    }
    return text;
}

static void fence(struct draw *d)
{
    static const char *const kinds[] = {"acq_rel", "acq_rel", "acq_rel", "sc", "acquire",
                                        "release"};
    uint32_t kind = pick(d, d->fences ? 6 : 4);

    text_printf(out(d), "    fence.%s.%s;\n", kinds[kind], scope(d));
}

/* The access on bytes of a place, as weak or strong one. */
static void plain(struct draw *d, const char *guard, bool strong)
{
    static const char *const types[] = {"u32", "u32", "u32", "u8", "u16", "u64", "v2.u32"};
    char at[32];
    const char *space, *type = types[d->mixed ? pick(d, strong ? 6 : 7) : 0];
    bool wide = !strcmp(type, "u64"), pair = !strcmp(type, "v2.u32");
    bool reads = chance(d, 50);
    char how[32] = "";

    place(d, strong, at, &space);
    if (strong && chance(d, 15))
        snprintf(how, sizeof how, ".volatile");
    else if (strong)
        snprintf(how, sizeof how, ".%s.%s",
                 chance(d, 40) ? reads ? "acquire" : "release" : "relaxed", scope(d));
    if (!reads)
        text_printf(out(d), "    mov.u32 %%v, %u; mov.u64 %%w, %u;\n", d->values + 1,
                    d->values + 1);
    d->values += !reads;
    const char *r = wide ? "%w" : pair ? "{%r, %x}" : "%r", *v = wide ? "%w" : pair ? "{%v, %v}" : "%v";
    text_printf(out(d), "    %s%s%s.%s.%s ", guard, reads ? "ld" : "st", how, space, type);
    if (reads)
        text_printf(out(d), "%s, %s;\n", r, at);
    else
        text_printf(out(d), "%s, %s;\n", at, v);
    if (reads && wide)
        text_printf(out(d), "    cvt.u32.u64 %%r, %%w;\n");
}

static void atomic(struct draw *d, const char *guard)
{
    static const char *const orders[] = {"relaxed", "relaxed", "acquire", "release", "acq_rel"};
    char at[32];
    const char *space, *type = d->mixed && chance(d, 25) ? "u64" : "u32";
    bool wide = type[1] == '6';
    const char *r = wide ? "%w" : "%r", *v = wide ? "%w" : "%v";

    place(d, true, at, &space);
    text_printf(out(d), "    mov.u32 %%v, %u; mov.u64 %%w, %u;\n", d->values + 1, d->values + 1);
    d->values++;
    switch (pick(d, 4)) {
    case 0:
        text_printf(out(d), "    %sred.%s.%s.%s.add.%s %s, %s;\n", guard,
                    chance(d, 50) ? "relaxed" : "release", scope(d), space, type, at, v);
        return;
    case 1: /* that may fail */
        text_printf(out(d), "    %satom.%s.%s.%s.cas.b%s %s, %s, %u, %s;\n", guard,
                    orders[pick(d, 5)], scope(d), space, type + 1, r, at, pick(d, d->values),
                    v);
        break;
    case 2:
        text_printf(out(d), "    %satom.%s.%s.%s.add.%s %s, %s, %s;\n", guard,
                    orders[pick(d, 5)], scope(d), space, type, r, at, v);
        break;
    default:
        text_printf(out(d), "    %satom.%s.%s.%s.exch.b%s %s, %s, %s;\n", guard,
                    orders[pick(d, 5)], scope(d), space, type + 1, r, at, v);
    }
    if (wide)
        text_printf(out(d), "    cvt.u32.u64 %%r, %%w;\n");
}

/* What a thread does next. mates: lanes of its warp that have code. */
static void step(struct draw *d, uint32_t mates)
{
    const char *guard = "";

    /* Done only when the last value read was written by somebody. */
    if (chance(d, 35)) {
        text_printf(out(d), "    setp.ne.u32 %%p, %%r, 0;\n");
        guard = "@%p ";
    }
    switch (pick(d, 24)) {
    case 0:
        text_printf(out(d), "    barrier.sync 0;\n");
        break;
    case 1:
        text_printf(out(d), "    bar.warp.sync 0x%x;\n", mates);
        break;
    case 2: case 3: case 4: case 5:
        fence(d);
        break;
    case 6: case 7: case 8: case 9:
        atomic(d, guard);
        break;
    case 10: case 11: case 12: case 13: case 14: case 15: case 16:
        plain(d, guard, false);
        break;
    default:
        plain(d, guard, true);
    }
}

static void begin(struct draw *d)
{
    text_printf(out(d),
                ".version 8.6\n.target sm_90\n.address_size 64\n"
                ".visible .entry k(.param .u64 buffer)\n{\n"
                "    .reg .b64 %%g, %%s, %%w, %%a, %%e;\n"
                "    .reg .b32 %%t, %%b, %%r, %%x, %%y, %%z, %%v, %%i;\n"
                "    .reg .pred %%p;\n"
                "    .shared .align 16 .b8 words[1024];\n"
                "    ld.param.u64 %%g, [buffer];\n"
                "    mov.u64 %%s, words;\n"
                "    mov.u32 %%t, %%tid.x;\n"
                "    mov.u32 %%b, %%ctaid.x;\n"
                "    mov.u32 %%r, 0;\n"
                "    mov.u64 %%w, 0;\n");
}

void random_litmus(struct random_kernel *kernel, uint64_t seed)
{
    struct draw d = {.kernel = kernel, .seed = seed * UINT64_C(0x9e3779b97f4a7c15)};
    uint32_t count = 2 + pick(&d, 3), near = pick(&d, 4), id[4];

    *kernel = (struct random_kernel){.blocks = 4, .threads = 64, .cluster = chance(&d, 20) ? 2 : 1};
    d.mixed = chance(&d, 25);
    d.fences = chance(&d, 30);
    d.shared = chance(&d, 40);
    d.places = 1 + pick(&d, 3);
    d.wide = chance(&d, 40);
    d.flags = d.places > 1 && chance(&d, 60);
    begin(&d);
    text_printf(out(&d), "    mad.lo.u32 %%i, %%b, 64, %%t;\n");
    for (uint32_t i = 0; i < count; i++) {
        /* Another lane of the warp, another warp, or another block. */
        uint32_t kind = near < 3 ? near : pick(&d, 3);
        id[i] = kind == 0 ? i : kind == 1 ? 32 * (i % 2) + i : 64 * i + pick(&d, 2);
        text_printf(out(&d), "    setp.eq.u32 %%p, %%i, %u;\n    @%%p bra T%u;\n", id[i], i);
    }
    text_printf(out(&d), "    ret;\n");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t steps = 2 + pick(&d, 7), mates = 0;
        for (uint32_t k = 0; k < count; k++)
            mates |= id[k] / 32 == id[i] / 32 ? UINT32_C(1) << id[k] % 32 : 0;
        text_printf(out(&d), "T%u:\n", i);
        while (steps--)
            step(&d, mates);
        text_printf(out(&d), "    ret;\n");
    }
    text_printf(out(&d), "}\n");
}

/* --- whole warps -------------------------------------------------------------------------------- */

/* %a, aligned to `size`. */
static void warp_address(struct draw *d, const char *base, uint32_t size)
{
    static const uint32_t steps[] = {1, 1, 1, 1, 0, 2, 3, 32};

    text_printf(out(d), "    mad.lo.u32 %%x, %%t, %u, %u;\n", steps[pick(d, 8)],
                chance(d, 50) ? 0 : pick(d, 40));
    if (chance(d, 20))
        text_printf(out(d), "    mad.lo.u32 %%x, %%b, 64, %%x;\n");
    text_printf(out(d), "    and.b32 %%x, %%x, %u;\n    mul.lo.u32 %%x, %%x, %u;\n",
                chance(d, 70) ? 1024 / size - 1 : chance(d, 50) ? 31 : 7, size);
    text_printf(out(d), "    and.b32 %%x, %%x, 1023;\n    cvt.u64.u32 %%a, %%x;\n"
                        "    add.u64 %%a, %%a, %s;\n", base);
}

static void warp_guard(struct draw *d)
{
    switch (pick(d, 3)) {
    case 0:
        text_printf(out(d), "    setp.lt.u32 %%p, %%t, %u;\n", pick(d, 64));
        break;
    case 1:
        text_printf(out(d), "    and.b32 %%y, %%t, %u;\n    setp.eq.u32 %%p, %%y, 0;\n",
                    1u << pick(d, 6));
        break;
    default:
        text_printf(out(d), "    setp.eq.u32 %%p, %%b, %u;\n", pick(d, 2));
    }
}

static void warp_step(struct draw *d)
{
    static const char *const types[] = {"u32", "u32", "u32", "u32", "u8", "u64", "v2.u32",
                                        "v4.u32"};
    static const uint32_t sizes[] = {4, 4, 4, 4, 1, 8, 8, 16};
    bool shared = d->shared && chance(d, 50), reads = chance(d, 50);
    const char *base = shared ? "%s" : "%g", *space = shared ? "shared" : "global";
    const char *guard = chance(d, 30) ? "@%p " : "";
    uint32_t type = d->mixed ? pick(d, 8) : 0;

    switch (pick(d, 12)) {
    case 0: case 1:
        text_printf(out(d), "    bar.sync 0;\n");
        return;
    case 2:
        text_printf(out(d), "    bar.warp.sync 0x%x;\n", UINT32_MAX);
        return;
    case 3:
        if (chance(d, 50)) {
            text_printf(out(d), "    fence.acq_rel.%s;\n", chance(d, 50) ? "cta" : "gpu");
            return;
        }
        warp_address(d, base, 4);
        if (*guard)
            warp_guard(d);
        text_printf(out(d), "    %satom.%s.%s.%s.add.u32 %%r, [%%a], 1;\n", guard,
                    chance(d, 60) ? "relaxed" : "acq_rel", scope(d), space);
        return;
    case 4:
        warp_address(d, base, 4);
        if (*guard)
            warp_guard(d);
        if (reads)
            text_printf(out(d), "    %sld.%s.%s.%s.u32 %%r, [%%a];\n", guard,
                        chance(d, 50) ? "relaxed" : "acquire", scope(d), space);
        else
            text_printf(out(d), "    %sst.%s.%s.%s.u32 [%%a], %%t;\n", guard,
                        chance(d, 50) ? "relaxed" : "release", scope(d), space);
        return;
    default:
        break;
    }
    warp_address(d, base, sizes[type]);
    if (*guard)
        warp_guard(d);
    text_printf(out(d), "    %s%s.%s.%s ", guard, reads ? "ld" : "st", space, types[type]);
    const char *values = sizes[type] <= 4 ? "%t" : type == 5 ? "%e" : type == 6 ? "{%t, %t}"
                                                             : "{%t, %t, %t, %t}";
    const char *registers = sizes[type] <= 4 ? "%r" : type == 5 ? "%w" : type == 6 ? "{%r, %v}"
                                                                  : "{%r, %v, %y, %z}";
    if (reads)
        text_printf(out(d), "%s, [%%a];\n", registers);
    else
        text_printf(out(d), "[%%a], %s;\n", values);
}

void random_warps(struct random_kernel *kernel, uint64_t seed)
{
    struct draw d = {.kernel = kernel, .seed = seed * UINT64_C(0xd1342543de82ef95) + 1};
    uint32_t steps = 3 + pick(&d, 7);

    *kernel = (struct random_kernel){.blocks = 1 + pick(&d, 2), .threads = 32 + 32 * pick(&d, 2),
                                     .cluster = 1};
    d.mixed = chance(&d, 30);
    d.shared = chance(&d, 60);
    begin(&d);
    text_printf(out(&d), "    cvt.u64.u32 %%e, %%t;\n");
    while (steps--)
        warp_step(&d);
    text_printf(out(&d), "    ret;\n}\n");
}
