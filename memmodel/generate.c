/* SPDX-License-Identifier: Apache-2.0
 *
 * generate.c - a litmus test from a cycle of edges.
 *
 *     cycle      = { edge [strength] }
 *     edge       = ("Pod" | "Pos") dir dir          program order, to a different
 *                                                   or the same location
 *                | "Fence." sem "." scope "." ("d" | "s") dir dir
 *                | ("Rfe" | "Fre" | "Coe") ["." "cta"]
 *     dir        = "R" | "W"
 *     strength   = ("Weak" | "Rlx" | "Acq" | "Rel") ["." scope]
 *
 * A strength belongs to the event that its edge leads to. External edges lead
 * to another thread, in another block unless .cta is added. The condition asks
 * for the outcome in which all edges of the cycle hold. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "memmodel/memmodel.h"

enum { MAX_EDGES = 16 };

enum edge_kind { PROGRAM, READS_FROM, FROM_READ, COHERENCE };

struct edge_of_cycle {
    enum edge_kind kind;
    char from, to;     /* 'R' or 'W' */
    bool other_location;
    bool same_block;
    const char *fence; /* "acq_rel.gpu", or NULL */
    const char *strength, *scope; /* of the event it leads to */
};

struct generator {
    struct arena arena;
    struct text *err;
    struct edge_of_cycle edges[MAX_EDGES];
    uint32_t count;
    uint32_t location[MAX_EDGES]; /* of the event that edge i starts from */
    int value[MAX_EDGES];
    int writes[MAX_EDGES];        /* per location */
};

static bool is_scope(const char *name)
{
    return !strcmp(name, "cta") || !strcmp(name, "cluster") || !strcmp(name, "gpu") ||
           !strcmp(name, "sys");
}

static bool complain(struct generator *g, const char *token, const char *why)
{
    text_printf(g->err, "simtlab litmus: '%s': %s\n", token, why);
    return false;
}

static bool directions(struct edge_of_cycle *e, const char *text)
{
    if (strlen(text) != 2 || !strchr("RW", text[0]) || !strchr("RW", text[1]))
        return false;
    e->from = text[0];
    e->to = text[1];
    return true;
}

static bool read_strength(struct generator *g, const char *token)
{
    static const char *const names[][2] = {
        {"Weak", "weak"}, {"Rlx", "relaxed"}, {"Acq", "acquire"}, {"Rel", "release"}};
    char *copy = arena_strdup(&g->arena, token), *dot = strchr(copy, '.');

    if (dot)
        *dot++ = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(copy, names[i][0]))
            continue;
        if (!g->count)
            return complain(g, token, "a strength follows an edge");
        struct edge_of_cycle *e = &g->edges[g->count - 1];
        e->strength = names[i][1];
        e->scope = dot ? dot : "gpu";
        if (!is_scope(e->scope))
            return complain(g, token, "scopes are cta, cluster, gpu and sys");
        if ((i == 2 && e->to == 'W') || (i == 3 && e->to == 'R'))
            return complain(g, token, "reads acquire and writes release");
        return true;
    }
    return complain(g, token, "no edge (PodWR PosRR Rfe Fre Coe Fence.sc.gpu.dWR) and no "
                    "strength (Weak Rlx Acq Rel, Acq.cta)");
}

static bool read_token(struct generator *g, const char *token)
{
    struct edge_of_cycle e = {.strength = "weak", .scope = "gpu"};
    char *copy = arena_strdup(&g->arena, token);

    if (!strncmp(copy, "Pod", 3) || !strncmp(copy, "Pos", 3)) {
        e.other_location = copy[2] == 'd';
        if (!directions(&e, copy + 3))
            return complain(g, token, "expected two of R and W, as in PodWR");
    } else if (!strncmp(copy, "Fence.", 6)) {
        char *save, *sem = strtok_r(copy + 6, ".", &save);
        char *scope = strtok_r(NULL, ".", &save), *rest = strtok_r(NULL, ".", &save);
        bool known = sem && (!strcmp(sem, "sc") || !strcmp(sem, "acq_rel"));
        if (!known || !scope || !is_scope(scope) || !rest || !strchr("ds", rest[0]) ||
            !directions(&e, rest + 1))
            return complain(g, token, "expected a fence such as Fence.sc.gpu.dWR");
        e.other_location = rest[0] == 'd';
        e.fence = arena_printf(&g->arena, "%s.%s", sem, scope);
    } else if (!strncmp(copy, "Rfe", 3) || !strncmp(copy, "Fre", 3) ||
               !strncmp(copy, "Coe", 3)) {
        e.kind = copy[0] == 'R' ? READS_FROM : copy[0] == 'F' ? FROM_READ : COHERENCE;
        e.from = copy[0] == 'F' ? 'R' : 'W';
        e.to = copy[0] == 'R' ? 'R' : 'W';
        e.same_block = !strcmp(copy + 3, ".cta");
        if (copy[3] && !e.same_block)
            return complain(g, token, "an external edge takes nothing but .cta");
    } else {
        return read_strength(g, token);
    }
    if (g->count == MAX_EDGES)
        return complain(g, token, "the cycle is too long");
    g->edges[g->count++] = e;
    return true;
}

/* Turns the cycle so that it starts with a thread, and checks that it closes. */
static bool close_cycle(struct generator *g, const char *cycle)
{
    uint32_t external = 0, different = 0, last = 0;
    struct edge_of_cycle turned[MAX_EDGES];

    for (uint32_t i = 0; i < g->count; i++) {
        const struct edge_of_cycle *next = &g->edges[(i + 1) % g->count];
        if (g->edges[i].to != next->from)
            return complain(g, cycle, "an edge ends at a read where the next one "
                            "starts at a write, or the other way round");
        if (g->edges[i].kind != PROGRAM) {
            external++;
            last = i;
        }
        different += g->edges[i].other_location;
    }
    if (external < 2)
        return complain(g, cycle, "a cycle needs two edges between threads (Rfe, Fre, Coe)");
    if (different == 1)
        return complain(g, cycle, "one change of location cannot come back");
    for (uint32_t i = 0; i < g->count; i++)
        turned[i] = g->edges[(last + 1 + i) % g->count];
    memcpy(g->edges, turned, g->count * sizeof *turned);
    return true;
}

/* Locations change at "d" edges; writes of a location are numbered in the
 * order of the cycle, which is their coherence order. */
static void assign(struct generator *g)
{
    uint32_t different = 0, start = 0, location = 0;

    for (uint32_t i = 0; i < g->count; i++)
        different += g->edges[i].other_location;
    for (uint32_t i = 0; i < g->count; i++) {
        g->location[i] = different ? location % different : 0;
        location += g->edges[i].other_location;
    }
    /* A location's events follow from here. With one location only, program
     * order is what contradicts its coherence order. */
    for (uint32_t i = 0; i < g->count; i++)
        if (different ? g->edges[i].other_location : g->edges[i].kind == PROGRAM)
            start = i + 1;
    for (uint32_t n = 0; n < g->count; n++) {
        uint32_t i = (start + n) % g->count;
        int *writes = &g->writes[g->location[i]];
        g->value[i] = g->edges[i].from == 'W' ? ++*writes : *writes;
    }
}

static const char *location_name(struct generator *g, uint32_t location)
{
    return location < 3 ? (const char *[]){"x", "y", "z"}[location]
                        : arena_printf(&g->arena, "v%u", location);
}

static void write_event(struct generator *g, struct text *out, uint32_t i, uint32_t reg)
{
    const struct edge_of_cycle *in = &g->edges[(i + g->count - 1) % g->count];
    const char *strength = strcmp(in->strength, "weak")
                               ? arena_printf(&g->arena, ".%s.%s", in->strength, in->scope)
                               : "";
    const char *name = location_name(g, g->location[i]);

    if (g->edges[i].from == 'W')
        text_printf(out, "    st%s.global.u32 [%s], %d;\n", strength, name, g->value[i]);
    else
        text_printf(out, "    ld%s.global.u32 %%r%u, [%s];\n", strength, reg, name);
}

static void write_test(struct generator *g, const char *cycle, const char *name,
                       struct text *out)
{
    struct text condition = {0};
    uint32_t thread = 0, block = 0, reg = 0, locations = 0;

    text_printf(out, "// Made from the cycle %s\nlitmus %s\n", cycle, name);
    for (uint32_t i = 0; i < g->count; i++)
        locations = g->location[i] + 1 > locations ? g->location[i] + 1 : locations;
    for (uint32_t l = 0; l < locations; l++)
        text_printf(out, ".global .u32 %s = 0;\n", location_name(g, l));
    for (uint32_t i = 0; i < g->count; i++) {
        bool first = i == 0 || g->edges[i - 1].kind != PROGRAM;
        if (first) {
            if (i && !g->edges[i - 1].same_block)
                block++;
            text_printf(out, "thread P%u @ cta %u {\n", thread++, block);
            reg = 0;
        }
        if (g->edges[i].from == 'R') {
            text_printf(&condition, "%sP%u:%%r%u == %d", condition.size ? " /\\ " : "",
                        thread - 1, reg, g->value[i]);
        }
        write_event(g, out, i, reg);
        reg += g->edges[i].from == 'R';
        if (g->edges[i].kind != PROGRAM)
            text_puts(out, "}\n");
        else if (g->edges[i].fence)
            text_printf(out, "    fence.%s;\n", g->edges[i].fence);
    }
    for (uint32_t l = 0; l < locations; l++)
        if (g->writes[l] > 1)
            text_printf(&condition, "%s%s == %d", condition.size ? " /\\ " : "",
                        location_name(g, l), g->writes[l]);
    text_printf(out, "exists (%s)\n", condition.size ? text_string(&condition) : "true");
    text_free(&condition);
}

int litmus_generate(const char *cycle, const char *name, struct text *out,
                    struct text *err)
{
    struct generator g = {.err = err};
    char *copy = arena_strdup(&g.arena, cycle), *save = NULL;
    bool good = true;

    for (char *token = strtok_r(copy, " \t\n", &save); token && good;
         token = strtok_r(NULL, " \t\n", &save))
        good = read_token(&g, token);
    if (good && !g.count)
        good = complain(&g, cycle, "a cycle has edges such as PodWW Rfe PodRR Fre");
    if (good)
        good = close_cycle(&g, cycle);
    if (good) {
        assign(&g);
        write_test(&g, cycle, name && *name ? name : "generated", out);
    }
    arena_free(&g.arena);
    return good ? 0 : 2;
}
