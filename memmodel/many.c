/* SPDX-License-Identifier: Apache-2.0
 *
 * many.c - writing a litmus test as PTX for very many instances.
 *
 * Threads that need nothing of their block but to be in it are packed: 32 instances
 * share a warp, or the threads of an instance are neighbours in one. Others get
 * blocks of their own, laid out as the test says. Nothing around the threads of a
 * test orders anything: they meet and report by relaxed atomics. Adding accesses to
 * other bytes only takes executions away from a test, so what is seen must be allowed. */
#include "memmodel/many.h"

#include <string.h>

#include "memmodel/kernel_code.h"

enum { WARP = 32, PACKED_WARPS = 8, MEET_POLLS = 256 };

/* --- places ------------------------------------------- */

static const struct {
    const char *name, *words;
} places[PLACE_COUNT] = {
    [PLACE_OWN] = {"own", "as the test places them"},
    [PLACE_WARP] = {"warp", "same warp"},
    [PLACE_BLOCK] = {"block", "same block, different warps"},
    [PLACE_CLUSTER] = {"cluster", "same cluster, different blocks"},
    [PLACE_GPU] = {"gpu", "different clusters"},
};

const char *many_place_name(enum many_place place)
{
    return places[place].name;
}

const char *many_place_words(enum many_place place)
{
    return places[place].words;
}

/* Nothing but scopes asks where the threads are. */
static bool is_movable(const struct test *test)
{
    for (uint32_t i = 0; i < test->location_count; i++)
        if (test->locations[i].space == SPACE_SHARED)
            return false;
    for (uint32_t t = 0; t < test->thread_count; t++)
        for (uint32_t i = 0; i < test->threads[t].code_count; i++)
            switch (test->threads[t].code[i].kind) {
            case INSTR_ALU: case INSTR_BRANCH: case INSTR_EXIT: case INSTR_LOAD:
            case INSTR_STORE: case INSTR_ATOM: case INSTR_FENCE:
                break;
            default:
                return false;
            }
    return true;
}

static void place_thread(struct test_thread *t, uint32_t index, enum many_place place)
{
    t->cluster = place == PLACE_GPU ? index : 0;
    t->cta = place == PLACE_GPU || place == PLACE_CLUSTER ? index : 0;
    t->warp = place == PLACE_WARP ? 0 : index;
    t->lane = place == PLACE_WARP ? index : 0;
}

/* The same pairs share their warp, block and cluster. */
static bool same_places(const struct test *a, const struct test *b)
{
    for (uint32_t i = 0; i < a->thread_count; i++)
        for (uint32_t o = 0; o < i; o++) {
            const struct test_thread *x = &a->threads[i], *y = &a->threads[o];
            const struct test_thread *v = &b->threads[i], *w = &b->threads[o];
            bool cluster = x->cluster == y->cluster, block = cluster && x->cta == y->cta;
            bool other = v->cluster == w->cluster, other_block = other && v->cta == w->cta;
            if (cluster != other || block != other_block ||
                (block && (x->warp == y->warp) != (v->warp == w->warp)))
                return false;
        }
    return true;
}

const struct test *many_placed(struct arena *arena, const struct test *test,
                               enum many_place place)
{
    enum { PORTABLE_CLUSTER = 8 }; /* blocks of a cluster on every chip that has them */

    if (place == PLACE_OWN)
        return test;
    if (!is_movable(test) || test->thread_count < 2 ||
        (place == PLACE_CLUSTER && test->thread_count > PORTABLE_CLUSTER))
        return NULL;
    struct test *placed = ARENA_NEW(arena, struct test);
    *placed = *test;
    placed->threads = ARENA_NEW_ARRAY(arena, test->thread_count, struct test_thread);
    for (uint32_t t = 0; t < test->thread_count; t++) {
        placed->threads[t] = test->threads[t];
        place_thread(&placed->threads[t], t, place);
    }
    return same_places(test, placed) ? NULL : placed;
}

/* --- packing ------------------------------------------- */

enum packing {
    ALONE,   /* blocks as the test has them, one instance in a group of them */
    BY_WARP, /* each warp plays one thread, each lane another instance */
    BY_LANE  /* neighbouring lanes play the threads of an instance */
};

struct many_writer {
    struct kernel_writer k;
    enum packing packing;
    uint32_t roles;               /* threads of an instance in a block, at most */
    uint32_t role_of[MAX_THREADS]; /* number among those of its block */
    uint32_t per_warp;            /* BY_LANE: instances in a warp */
};

static void choose_packing(struct many_writer *w)
{
    const struct test *test = w->k.test;
    bool one_warp = true, own_warps = true;

    w->roles = 0;
    for (uint32_t t = 0; t < test->thread_count; t++) {
        w->role_of[t] = 0;
        for (uint32_t o = 0; o < t; o++) {
            if (w->k.block_of[o] != w->k.block_of[t]) {
                one_warp = false;
                continue;
            }
            bool same = w->k.lane_of[o] / WARP == w->k.lane_of[t] / WARP;
            one_warp &= same;
            own_warps &= !same;
            w->role_of[t]++;
        }
        w->roles = w->role_of[t] + 1 > w->roles ? w->role_of[t] + 1 : w->roles;
    }
    w->packing = !is_movable(test) ? ALONE
                 : own_warps && w->roles <= PACKED_WARPS ? BY_WARP
                 : one_warp ? BY_LANE : ALONE;
    w->per_warp = WARP / w->roles;
}

static uint32_t instances_of_group(const struct many_writer *w)
{
    return w->packing == ALONE ? 1
           : w->packing == BY_WARP ? PACKED_WARPS / w->roles * WARP
                                   : PACKED_WARPS * w->per_warp;
}

/* --- what all entries have ------------------------------------------- */

static void write_head(struct many_writer *w, const char *name)
{
    static const char *const wide[] = {"memory", "results", "meet", "table", "scratch",
                                       "location_stride"};
    static const char *const narrow[] = {"instance_stride", "count", "first", "groups",
                                         "seed", "flags", "delay", "scratch_words", "work"};
    struct text *out = w->k.out;

    text_printf(out, ".visible .entry %s(\n", name);
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        text_printf(out, "    .param .u64 %s,\n", wide[i]);
    for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
        text_printf(out, "    .param .u32 %s%s", narrow[i], i == 8 ? ")\n" : ",\n");
    if (w->k.cluster > 1 && !strcmp(name, "litmus"))
        text_printf(out, ".reqnctapercluster %u, 1, 1\n", w->k.cluster);
    text_puts(out, "{\n    .reg .pred %here, %last;\n"
              "    .reg .b32 %block, %lane, %instance, %count, %turns, %a, %b, %c, %slot;\n"
              "    .reg .b64 %results, %meet, %value, %place, %hash, %stride;\n");
    for (uint32_t i = 0; i < w->k.test->location_count; i++)
        if (w->k.test->locations[i].space == SPACE_GLOBAL)
            text_printf(out, "    .reg .b64 %%at_%s;\n", w->k.test->locations[i].name);
}

/* Where the instance in %instance has its variables and results. */
static void write_addresses(struct many_writer *w)
{
    struct text *out = w->k.out;

    text_printf(out, "    ld.param.u64 %%results, [results];\n"
                "    cvta.to.global.u64 %%results, %%results;\n"
                "    mad.wide.u32 %%results, %%instance, %u, %%results;\n"
                "    ld.param.u64 %%meet, [meet];\n"
                "    cvta.to.global.u64 %%meet, %%meet;\n"
                "    mad.wide.u32 %%meet, %%instance, 8, %%meet;\n"
                "    ld.param.u64 %%place, [memory];\n"
                "    cvta.to.global.u64 %%place, %%place;\n"
                "    ld.param.u32 %%a, [instance_stride];\n"
                "    mad.wide.u32 %%place, %%instance, %%a, %%place;\n"
                "    ld.param.u64 %%stride, [location_stride];\n",
                w->k.result_count * 8);
    for (uint32_t i = 0; i < w->k.test->location_count; i++) {
        if (w->k.test->locations[i].space != SPACE_GLOBAL)
            continue;
        text_printf(out, "    mov.u64 %%at_%s, %%place;\n"
                    "    add.u64 %%place, %%place, %%stride;\n",
                    w->k.test->locations[i].name);
    }
}

/* One thread for each instance; those beyond end. */
static void write_thread_index(struct many_writer *w)
{
    text_printf(w->k.out, "    mov.u32 %%block, %%ctaid.x;\n    mov.u32 %%lane, %%tid.x;\n"
                "    mad.lo.u32 %%instance, %%block, %d, %%lane;\n"
                "    ld.param.u32 %%count, [count];\n"
                "    setp.ge.u32 %%last, %%instance, %%count;\n    @%%last bra END;\n",
                MANY_THREADS);
}

/* --- litmus_start ------------------------------------------- */

static void write_start(struct many_writer *w)
{
    const struct test *test = w->k.test;
    struct text *out = w->k.out;

    write_head(w, "litmus_start");
    write_thread_index(w);
    write_addresses(w);
    text_puts(out, "    mov.u64 %value, 0;\n    st.global.u64 [%meet], %value;\n");
    for (uint32_t i = 0; i < w->k.result_count; i++)
        text_printf(out, "    st.global.u64 [%%results+%u], %%value;\n", i * 8);
    for (uint32_t i = 0; i < test->location_count; i++) {
        const struct test_location *l = &test->locations[i];
        const struct test_object *o = &test->objects[l->object];
        uint64_t address = 0;
        if (l->space != SPACE_GLOBAL)
            continue;
        memcpy(&address, o->initial, o->size < 8 ? o->size : 8);
        uint32_t p = 0;
        while (p < i && (o->size != 8 || (int64_t)address != location_address(test, p)))
            p++;
        if (p < i) {
            text_printf(out, "    st.global.u64 [%%at_%s], %%at_%s;\n", l->name,
                        test->locations[p].name);
            continue;
        }
        for (uint32_t b = 0; b < o->size; b++)
            text_printf(out, "    mov.u32 %%a, %u;\n    st.global.u8 [%%at_%s+%u], %%a;\n",
                        o->initial[b], l->name, b);
    }
    text_puts(out, "END:\n    ret;\n}\n");
}

/* --- litmus ------------------------------------------- */

/* %a := a number that depends on the seed, %a and nothing else. */
static void write_scramble(struct text *out)
{
    text_puts(out, "    ld.param.u32 %b, [seed];\n    mul.lo.u32 %b, %b, 0x9e3779b1;\n"
              "    xor.b32 %a, %a, %b;\n    mul.lo.u32 %a, %a, 0x85ebca6b;\n"
              "    shr.u32 %b, %a, 13;\n    xor.b32 %a, %a, %b;\n"
              "    mul.lo.u32 %a, %a, 0xc2b2ae35;\n    shr.u32 %b, %a, 16;\n"
              "    xor.b32 %a, %a, %b;\n");
}

/* Blocks behind those of the groups: %block := block of its group, %c := group. */
static void write_group(struct many_writer *w)
{
    struct text *out = w->k.out;
    bool far = w->k.cluster == 1 && w->k.grid > 1;

    text_printf(out, "    mov.u32 %%block, %%ctaid.x;\n    mov.u32 %%lane, %%tid.x;\n"
                "    ld.param.u32 %%a, [groups];\n    mul.lo.u32 %%b, %%a, %u;\n"
                "    setp.ge.u32 %%here, %%block, %%b;\n    @%%here bra TRAFFIC;\n"
                "    div.u32 %%c, %%block, %u;\n    rem.u32 %%instance, %%block, %u;\n",
                w->k.grid, w->k.grid, w->k.grid);
    if (far)
        text_printf(out, "    ld.param.u32 %%turns, [flags];\n"
                    "    and.b32 %%turns, %%turns, %d;\n"
                    "    setp.ne.u32 %%here, %%turns, 0;\n"
                    "    @%%here rem.u32 %%c, %%block, %%a;\n"
                    "    @%%here div.u32 %%instance, %%block, %%a;\n", MANY_FAR);
    text_puts(out, "    mov.u32 %block, %instance;\n");
    if (!far)
        return;
    /* Which block plays which part changes with seed and group. */
    text_puts(out, "    mov.u32 %a, %c;\n");
    write_scramble(out);
    text_printf(out, "    rem.u32 %%a, %%a, %u;\n    add.u32 %%block, %%block, %%a;\n"
                "    rem.u32 %%block, %%block, %u;\n", w->k.grid, w->k.grid);
}

/* %turns := part in the block, %instance := number in the group; spare lanes end. */
static void write_part(struct many_writer *w)
{
    struct text *out = w->k.out;
    uint32_t slots = instances_of_group(w);

    if (w->packing == ALONE) {
        text_puts(out, "    mov.u32 %turns, %lane;\n    mov.u32 %instance, 0;\n");
    } else if (w->packing == BY_LANE) {
        /* A rotation by the seed decides which lane plays which part. */
        text_printf(out, "    and.b32 %%a, %%lane, 31;\n    shr.u32 %%b, %%lane, 5;\n"
                    "    setp.ge.u32 %%here, %%a, %u;\n    @%%here ret;\n"
                    "    div.u32 %%slot, %%a, %u;\n"
                    "    mad.lo.u32 %%instance, %%b, %u, %%slot;\n"
                    "    ld.param.u32 %%b, [seed];\n    add.u32 %%a, %%a, %%b;\n"
                    "    rem.u32 %%turns, %%a, %u;\n",
                    w->per_warp * w->roles, w->roles, w->per_warp, w->roles);
    } else {
        text_printf(out, "    shr.u32 %%b, %%lane, 5;\n    setp.ge.u32 %%here, %%b, %u;\n"
                    "    @%%here ret;\n    rem.u32 %%turns, %%b, %u;\n"
                    "    div.u32 %%b, %%b, %u;\n    and.b32 %%a, %%lane, 31;\n"
                    "    mad.lo.u32 %%slot, %%b, 32, %%a;\n",
                    PACKED_WARPS / w->roles * w->roles, w->roles, w->roles);
        /* Each part meets the instances in another order: neighbours in one thread's
         * warp are not neighbours in another's. */
        text_printf(out, "    mad.lo.u32 %%a, %%block, %u, %%turns;\n"
                    "    mad.lo.u32 %%a, %%a, 22, 37;\n    mul.lo.u32 %%instance, %%slot, %%a;\n",
                    w->roles);
        write_scramble(out);
        text_printf(out, "    add.u32 %%instance, %%instance, %%a;\n"
                    "    rem.u32 %%instance, %%instance, %u;\n", slots);
    }
    text_printf(out, "    mad.lo.u32 %%instance, %%c, %u, %%instance;\n"
                "    ld.param.u32 %%a, [first];\n    add.u32 %%instance, %%instance, %%a;\n"
                "    ld.param.u32 %%count, [count];\n", slots);
}

/* Waits, a while, until all threads of the instance are here. */
static void write_meeting(struct many_writer *w)
{
    struct text *out = w->k.out;

    text_printf(out, "    ld.param.u32 %%a, [flags];\n    and.b32 %%a, %%a, %d;\n"
                "    setp.eq.u32 %%here, %%a, 0;\n    @%%here bra MET;\n"
                "    red.relaxed.gpu.global.add.u32 [%%meet], 1;\n    mov.u32 %%b, 0;\n"
                "MEET:\n    ld.relaxed.gpu.global.u32 %%a, [%%meet];\n"
                "    setp.ge.u32 %%here, %%a, %u;\n    @%%here bra MET;\n"
                "    add.u32 %%b, %%b, 1;\n    setp.lt.u32 %%here, %%b, %d;\n"
                "    @%%here bra MEET;\nMET:\n", MANY_MEET, w->k.test->thread_count, MEET_POLLS);
    /* Then a delay, by thread or by warp. */
    text_printf(out, "    mov.u32 %%a, %%ctaid.x;\n    mad.lo.u32 %%a, %%a, 1024, %%lane;\n"
                "    ld.param.u32 %%b, [flags];\n    and.b32 %%b, %%b, %d;\n"
                "    setp.eq.u32 %%here, %%b, 0;\n    @%%here shr.u32 %%a, %%a, 5;\n",
                MANY_LONELY);
    write_scramble(out);
    text_puts(out, "    ld.param.u32 %b, [delay];\n    and.b32 %a, %a, %b;\n"
              "    mov.u32 %b, %clock;\nDELAY:\n    mov.u32 %slot, %clock;\n"
              "    sub.u32 %slot, %slot, %b;\n    setp.lt.u32 %here, %slot, %a;\n"
              "    @%here bra DELAY;\n");
}

/* Loads, stores and atomics all over the scratch memory. */
static void write_traffic(struct text *out)
{
    text_puts(out, "TRAFFIC:\n    ld.param.u64 %place, [scratch];\n"
              "    cvta.to.global.u64 %place, %place;\n"
              "    ld.param.u32 %count, [scratch_words];\n    sub.u32 %count, %count, 1;\n"
              "    mov.u32 %instance, 0;\n    mad.lo.u32 %c, %block, 1024, %lane;\n"
              "MORE:\n    ld.param.u32 %a, [work];\n    setp.ge.u32 %here, %instance, %a;\n"
              "    @%here ret;\n    mad.lo.u32 %a, %instance, 0x10dcd, %c;\n");
    write_scramble(out);
    text_puts(out, "    mov.u32 %slot, %a;\n    and.b32 %a, %a, %count;\n"
              "    mad.wide.u32 %value, %a, 4, %place;\n    shr.u32 %slot, %slot, 30;\n"
              "    add.u32 %instance, %instance, 1;\n"
              "    setp.eq.u32 %here, %slot, 0;\n    @%here bra ADD;\n"
              "    setp.eq.u32 %here, %slot, 1;\n    @%here bra STORE;\n"
              "    ld.relaxed.gpu.global.u32 %a, [%value];\n    bra MORE;\n"
              "STORE:\n    st.relaxed.gpu.global.u32 [%value], %a;\n    bra MORE;\n"
              "ADD:\n    red.relaxed.gpu.global.add.u32 [%value], %a;\n    bra MORE;\n");
}

static void write_run(struct many_writer *w)
{
    const struct test *test = w->k.test;
    struct text *out = w->k.out;

    write_head(w, "litmus");
    for (uint32_t t = 0; t < test->thread_count; t++)
        kernel_registers(&w->k, t);
    text_puts(out, "    .reg .b32 %part;\n");
    write_group(w);
    write_part(w);
    text_puts(out, "    mov.u32 %part, %turns;\n");
    kernel_shared(&w->k);
    text_puts(out, "    setp.ge.u32 %last, %instance, %count;\n    @%last ret;\n");
    if (w->packing == ALONE) { /* only lanes with a part go on */
        text_puts(out, "    mov.u32 %a, 0;\n");
        for (uint32_t t = 0; t < test->thread_count; t++)
            text_printf(out, "    setp.eq.u32 %%here, %%block, %u;\n"
                        "    setp.eq.and.u32 %%here, %%part, %u, %%here;\n"
                        "    @%%here mov.u32 %%a, 1;\n",
                        w->k.block_of[t], w->k.lane_of[t]);
    } else {
        text_puts(out, "    mov.u32 %a, 0;\n");
        for (uint32_t t = 0; t < test->thread_count; t++)
            text_printf(out, "    setp.eq.u32 %%here, %%block, %u;\n"
                        "    setp.eq.and.u32 %%here, %%part, %u, %%here;\n"
                        "    @%%here mov.u32 %%a, 1;\n",
                        w->k.block_of[t], w->role_of[t]);
    }
    text_puts(out, "    setp.eq.u32 %here, %a, 0;\n    @%here ret;\n");
    write_addresses(w);
    write_meeting(w);
    text_puts(out, "    mov.u32 %turns, 0;\n");
    for (uint32_t t = 0; t < test->thread_count; t++)
        text_printf(out, "    setp.eq.u32 %%here, %%block, %u;\n"
                    "    setp.eq.and.u32 %%here, %%part, %u, %%here;\n"
                    "    @%%here bra THREAD_%u;\n",
                    w->k.block_of[t], w->packing == ALONE ? w->k.lane_of[t] : w->role_of[t], t);
    text_puts(out, "    ret;\n");
    for (uint32_t t = 0; t < test->thread_count; t++)
        kernel_thread(&w->k, t);
    write_traffic(out);
    text_puts(out, "}\n");
}

/* --- litmus_final ------------------------------------------- */

/* %value := the value of a variable of the instance; addresses as the model has them. */
static void write_value(struct many_writer *w, uint32_t v)
{
    const struct variable *variable = &w->k.a->variables[v];
    const struct test *test = w->k.test;
    struct text *out = w->k.out;

    if (variable->term->kind == TERM_LOCATION)
        text_printf(out, "    ld.global.u%u %%value, [%%at_%s+%u];\n", variable->bits,
                    test->locations[variable->term->location].name, variable->term->offset);
    else
        text_printf(out, "    ld.global.u64 %%value, [%%results+%u];\n", v * 8);
    for (uint32_t i = 0; variable->bits == 64 && i < test->location_count; i++)
        if (test->locations[i].space == SPACE_GLOBAL)
            text_printf(out, "    setp.eq.u64 %%here, %%value, %%at_%s;\n"
                        "    @%%here mov.u64 %%value, %lld;\n", test->locations[i].name,
                        (long long)location_address(test, i));
    text_printf(out, "    st.global.u64 [%%results+%u], %%value;\n", v * 8);
}

static void write_final(struct many_writer *w)
{
    struct text *out = w->k.out;
    uint32_t count = w->k.result_count, slot = (MANY_SLOT_HEAD + count) * 8;

    write_head(w, "litmus_final");
    write_thread_index(w);
    write_addresses(w);
    text_printf(out, "    ld.param.u64 %%place, [table];\n"
                "    cvta.to.global.u64 %%place, %%place;\n"
                "    ld.global.u32 %%a, [%%meet+4];\n    setp.eq.u32 %%here, %%a, %u;\n"
                "    @%%here bra ENDED;\n    red.global.add.u64 [%%place], 1;\n    bra END;\n"
                "ENDED:\n    mov.u64 %%hash, 1;\n", w->k.test->thread_count);
    for (uint32_t v = 0; v < w->k.a->variable_count; v++) {
        write_value(w, v);
        text_puts(out, "    xor.b64 %hash, %hash, %value;\n"
                  "    mul.lo.u64 %hash, %hash, 0x9e3779b97f4a7c15;\n"
                  "    shr.u64 %value, %hash, 29;\n    xor.b64 %hash, %hash, %value;\n");
    }
    text_printf(out, "    or.b64 %%hash, %%hash, 1;\n    cvt.u32.u64 %%slot, %%hash;\n"
                "    shr.u32 %%slot, %%slot, 1;\n    mov.u32 %%turns, 0;\n"
                "LOOK:\n    and.b32 %%slot, %%slot, %d;\n"
                "    mad.wide.u32 %%stride, %%slot, %u, %%place;\n"
                "    add.u64 %%stride, %%stride, %d;\n"
                "    ld.relaxed.gpu.global.u64 %%value, [%%stride];\n"
                "    setp.eq.u64 %%here, %%value, %%hash;\n    @%%here bra COUNT;\n"
                "    setp.ne.u64 %%here, %%value, 0;\n    @%%here bra NEXT;\n"
                "    atom.relaxed.gpu.global.cas.b64 %%value, [%%stride], 0, %%hash;\n"
                "    setp.eq.u64 %%here, %%value, 0;\n    @%%here bra NEW;\n"
                "    setp.eq.u64 %%here, %%value, %%hash;\n    @%%here bra COUNT;\n"
                "NEXT:\n    add.u32 %%slot, %%slot, 1;\n    add.u32 %%turns, %%turns, 1;\n"
                "    setp.lt.u32 %%here, %%turns, %d;\n    @%%here bra LOOK;\n"
                "    red.global.add.u64 [%%place+8], 1;\n    bra END;\nNEW:\n",
                MANY_SLOTS - 1, slot, MANY_TABLE_HEAD * 8, MANY_SLOTS);
    for (uint32_t v = 0; v < count; v++)
        text_printf(out, "    ld.global.u64 %%value, [%%results+%u];\n"
                    "    st.global.u64 [%%stride+%u], %%value;\n",
                    v * 8, (MANY_SLOT_HEAD + v) * 8);
    text_puts(out, "COUNT:\n    red.relaxed.gpu.global.add.u64 [%stride+8], 1;\n"
              "END:\n    ret;\n}\n");
}

const char *many_refused(const struct analysis *a)
{
    const char *problem = kernel_refused(a);

    if (!problem && a->search.hangs)
        problem = "some execution waits for ever, which a GPU would do";
    return problem;
}

const char *many_write(struct arena *arena, const struct analysis *a,
                       struct many_program *program)
{
    struct many_writer w = {.k = {.arena = arena, .a = a, .test = a->test,
                                  .out = &program->ptx, .many = true}};
    const char *problem = many_refused(a);

    memset(program, 0, sizeof *program);
    if (problem)
        return problem;
    kernel_place(&w.k);
    choose_packing(&w);
    w.k.result_count = a->variable_count ? a->variable_count : 1;
    text_puts(w.k.out, ".version 8.6\n.target sm_90\n.address_size 64\n");
    write_start(&w);
    write_run(&w);
    write_final(&w);
    program->hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < program->ptx.size; i++)
        program->hash = (program->hash ^ (unsigned char)program->ptx.data[i]) * 0x100000001b3u;
    program->location_bytes = 16;
    for (uint32_t i = 0; i < a->test->location_count; i++) {
        uint32_t size = (a->test->objects[i].size + 15) / 16 * 16;
        if (a->test->locations[i].space != SPACE_GLOBAL)
            continue;
        program->locations++;
        if (size > program->location_bytes)
            program->location_bytes = size;
    }
    program->result_words = w.k.result_count;
    program->blocks = w.k.grid;
    program->threads = w.packing == ALONE ? w.k.block : PACKED_WARPS * WARP;
    program->instances = instances_of_group(&w);
    program->can_be_far = w.k.cluster == 1 && w.k.grid > 1;
    return NULL;
}
