/* SPDX-License-Identifier: Apache-2.0
 *
 * native.c - reading litmus tests with real PTX bodies.
 *
 *     file     = "litmus" name { variable } { thread } [shown] condition
 *     variable = ".global" type name ["[" n "]"] ["=" values] ";"
 *              | ".shared" type name ["[" n "]"] ["=" values] ["@" "cta" n] ";"
 *              | ".alias" name "=" name ";"
 *     type     = ".u32", ".b64", ... or ".mbarrier" (its value: the arrivals)
 *     values   = integer | "&" name | "{" integer { "," integer } "}"
 *     thread   = "thread" "P"n ["@" place { "," place }] "{" { statement } "}"
 *     place    = ("cta" | "cluster" | "gpu" | "warp" | "lane") n
 *     statement = label ":" | ".reg" type %name { "," %name } ";"
 *              | ["@" ["!"] %p] instruction ";"
 *
 * Registers need no declaration when their prefix tells the width: %r 32,
 * %rd 64, %rs 16, %p predicate. The instructions are in native_code.c. */
#include "memmodel/native.h"

#include <stdlib.h>
#include <string.h>

/* A block that names no cluster is a cluster of its own. */
enum { OWN_CLUSTER = 0x10000 };

static const struct native_type types[] = {
    {"b8", 8, false}, {"u8", 8, false}, {"s8", 8, true},
    {"b16", 16, false}, {"u16", 16, false}, {"s16", 16, true},
    {"b32", 32, false}, {"u32", 32, false}, {"s32", 32, true},
    {"b64", 64, false}, {"u64", 64, false}, {"s64", 64, true},
    {"pred", 1, false},
};

const struct native_type *native_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name))
            return &types[i];
    return NULL;
}

static const struct native_type *read_type(struct reader *r)
{
    struct loc at = r->token.at;

    reader_expect(r, ".");
    const struct native_type *type = native_type_find(reader_word(r, "a type"));
    if (!type)
        reader_fail(r, at, "expected an integer type such as .u32");
    return type;
}

/* --- variables -------------------------------------------------------------------- */

static void read_values(struct reader *r, uint32_t location, uint32_t element,
                        uint32_t count)
{
    struct test *test = r->test;
    struct test_object *object = &test->objects[test->locations[location].object];
    bool listed = reader_accept(r, "{");

    for (uint32_t i = 0; i < count; i++) {
        struct loc at = r->token.at;
        int64_t value;
        if (reader_accept(r, "&")) {
            uint32_t target = find_location(test, reader_word(r, "a variable"));
            if (target == UINT32_MAX)
                reader_fail(r, at, "the variable is not declared before this");
            if (element != 8)
                reader_fail(r, at, "an address needs 64 bits");
            value = location_address(test, target);
        } else {
            value = reader_integer(r, "a value");
        }
        set_initial(object, i * element, element, value);
        if (!listed || !reader_accept(r, ","))
            break;
    }
    if (listed)
        reader_expect(r, "}");
}

static void read_alias(struct reader *r)
{
    struct test *test = r->test;
    struct loc at = r->token.at;
    const char *name = reader_word(r, "a variable");

    reader_expect(r, "=");
    struct loc of_at = r->token.at;
    uint32_t of = find_location(test, reader_word(r, "a variable"));
    if (of == UINT32_MAX)
        reader_fail(r, of_at, "the variable is not declared before this");
    if (find_location(test, name) != UINT32_MAX)
        reader_fail(r, at, "%s is declared already", name);
    uint32_t alias = add_location(r, name, at, 1, test->locations[of].element);
    struct test_location copy = test->locations[of];
    test->object_count--; /* it shares the other's object */
    copy.name = name;
    copy.at = at;
    copy.range = alias;
    test->locations[alias] = copy;
    reader_expect(r, ";");
}

static void read_variable(struct native *n)
{
    struct reader *r = &n->r;
    struct loc start = r->token.at;
    uint32_t element = 8, count = 1;
    bool is_mbarrier = false;

    reader_expect(r, ".");
    struct loc at = r->token.at;
    const char *space = reader_word(r, "global, shared or alias");
    if (!strcmp(space, "alias")) {
        read_alias(r);
        return;
    }
    bool shared = !strcmp(space, "shared");
    if (!shared && strcmp(space, "global"))
        reader_fail(r, at, "variables are .global, .shared or .alias");
    if (r->next < r->end && r->end - r->next > 8 && !memcmp(r->next, "mbarrier", 8)) {
        reader_expect(r, ".");
        reader_expect(r, "mbarrier");
        is_mbarrier = true;
    } else {
        const struct native_type *type = read_type(r);
        if (type->bits < 8)
            reader_fail(r, start, "a variable needs whole bytes");
        element = type->bits / 8;
    }
    at = r->token.at;
    const char *name = reader_word(r, "a name");
    if (find_location(r->test, name) != UINT32_MAX)
        reader_fail(r, at, "%s is declared already", name);
    if (reader_accept(r, "[")) {
        struct loc count_at = r->token.at;
        int64_t value = reader_integer(r, "a number of elements");
        if (value < 1 || value * element > MAX_OBJECT_BYTES)
            reader_fail(r, count_at, "a variable has at most %d bytes",
                        MAX_OBJECT_BYTES);
        count = (uint32_t)value;
        reader_expect(r, "]");
    }
    uint32_t location = add_location(r, name, at, element * count, element);
    struct test_location *l = &r->test->locations[location];
    l->space = shared ? SPACE_SHARED : SPACE_GLOBAL;
    l->is_mbarrier = is_mbarrier;
    if (reader_accept(r, "=")) {
        if (is_mbarrier) {
            int64_t arrivals = reader_integer(r, "a number of arrivals");
            set_initial(&r->test->objects[l->object], 0, 8,
                        arrivals | arrivals << 16);
        } else {
            read_values(r, location, element, count);
        }
    }
    if (shared && reader_accept(r, "@")) {
        reader_expect(r, "cta");
        l->cta = (uint32_t)reader_integer(r, "a block number");
    }
    reader_expect(r, ";");
}

/* --- threads ------------------------------------------------------------------------ */

static uint32_t prefix_width(const char *name)
{
    static const struct {
        const char *prefix;
        uint32_t width;
    } prefixes[] = {{"%rd", 64}, {"%rs", 16}, {"%r", 32}, {"%p", 1}};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t size = strlen(prefixes[i].prefix);
        if (!strncmp(name, prefixes[i].prefix, size) &&
            name[size] >= '0' && name[size] <= '9')
            return prefixes[i].width;
    }
    return 0;
}

uint32_t native_register(struct native *n)
{
    struct reader *r = &n->r;
    struct loc at = r->token.at;
    const char *name = reader_word(r, "a register");

    if (name[0] != '%')
        reader_fail(r, at, "expected a register such as %%r0");
    uint32_t reg = find_register(n->thread, name);
    if (reg != NO_REGISTER)
        return reg;
    uint32_t width = prefix_width(name);
    if (!width)
        reader_fail(r, at, "declare %s with .reg: its prefix tells no width", name);
    return add_register(r, n->thread, name, width);
}

static void read_registers(struct native *n)
{
    struct reader *r = &n->r;
    const struct native_type *type = read_type(r);

    do {
        struct loc at = r->token.at;
        const char *name = reader_word(r, "a register");
        if (name[0] != '%')
            reader_fail(r, at, "expected a register such as %%r0");
        if (find_register(n->thread, name) != NO_REGISTER)
            reader_fail(r, at, "%s is declared already", name);
        if (reader_accept(r, "<")) { /* %r<4>: registers %r0 to %r3 */
            int64_t count = reader_integer(r, "a number of registers");
            for (int64_t i = 0; i < count && count <= MAX_REGISTERS; i++) {
                const char *one = arena_printf(r->arena, "%s%d", name, (int)i);
                if (find_register(n->thread, one) == NO_REGISTER)
                    add_register(r, n->thread, one, type->bits);
            }
            if (count > MAX_REGISTERS)
                reader_fail(r, at, "a thread can have at most %d registers",
                            MAX_REGISTERS);
            reader_expect(r, ">");
        } else {
            add_register(r, n->thread, name, type->bits);
        }
    } while (reader_accept(r, ","));
    reader_expect(r, ";");
}

static void read_place(struct native *n)
{
    struct reader *r = &n->r;
    struct test_thread *t = n->thread;

    do {
        struct loc at = r->token.at;
        const char *what = reader_word(r, "cta, cluster, gpu, warp or lane");
        struct loc number_at = r->token.at;
        int64_t number = reader_integer(r, "a number");
        if (number < 0 || number >= OWN_CLUSTER)
            reader_fail(r, number_at, "a number from 0 to %d", OWN_CLUSTER - 1);
        if (!strcmp(what, "cta"))
            t->cta = (uint32_t)number;
        else if (!strcmp(what, "cluster"))
            t->cluster = (uint32_t)number;
        else if (!strcmp(what, "gpu"))
            t->gpu = (uint32_t)number;
        else if (!strcmp(what, "warp"))
            t->warp = (uint32_t)number;
        else if (!strcmp(what, "lane") && number < 32)
            t->lane = (uint32_t)number;
        else
            reader_fail(r, at, "a place is cta, cluster, gpu, warp or lane (0 to 31)");
    } while (reader_accept(r, ","));
}

static void read_statement(struct native *n)
{
    struct reader *r = &n->r;
    bool is_label = r->token.kind == TOKEN_WORD && r->next < r->end &&
                    *r->next == ':' && r->token.text[0] != '%';

    if (is_label) {
        struct native_label label = {reader_word(r, "a label"), n->thread->code_count};
        for (uint32_t i = 0; i < n->labels.count; i++)
            if (!strcmp(n->labels.items[i].name, label.name))
                reader_fail(r, r->token.at, "label %s is there already", label.name);
        *ARENA_PUSH(r->arena, &n->labels) = label;
        reader_expect(r, ":");
    } else if (reader_is(r, ".")) {
        reader_advance(r);
        reader_expect(r, "reg");
        read_registers(n);
    } else {
        native_instruction(n);
    }
}

static void read_thread(struct native *n)
{
    struct reader *r = &n->r;
    struct loc at = r->token.at;
    const char *name = reader_word(r, "a thread");
    char *rest;
    unsigned long number = strtoul(name + 1, &rest, 10);

    if (name[0] != 'P' || !name[1] || *rest || number > 1000)
        reader_fail(r, at, "expected a thread such as P0");
    if (find_thread(r->test, (uint32_t)number) != UINT32_MAX)
        reader_fail(r, at, "%s is declared already", name);
    if (r->test->thread_count == MAX_THREADS)
        reader_fail(r, at, "a test can have at most %d threads", MAX_THREADS);
    uint32_t index = r->test->thread_count++;
    n->thread = &r->test->threads[index];
    *n->thread = (struct test_thread){.name = name, .number = (uint32_t)number,
                                      .cluster = OWN_CLUSTER,
                                      .warp = OWN_CLUSTER + index};
    n->labels.count = n->jumps.count = 0;
    if (reader_accept(r, "@"))
        read_place(n);
    if (n->thread->cluster == OWN_CLUSTER)
        n->thread->cluster += n->thread->cta;
    for (uint32_t t = 0; t < index; t++) {
        const struct test_thread *o = &r->test->threads[t];
        if (o->gpu == n->thread->gpu && o->cta == n->thread->cta &&
            o->cluster != n->thread->cluster)
            reader_fail(r, at, "block %u is in another cluster for %s",
                        n->thread->cta, o->name);
        if (o->gpu == n->thread->gpu && o->cta == n->thread->cta &&
            o->warp == n->thread->warp && o->lane == n->thread->lane)
            reader_fail(r, at, "%s is in the same lane as %s", name, o->name);
    }
    reader_expect(r, "{");
    while (!reader_accept(r, "}"))
        read_statement(n);
    for (uint32_t j = 0; j < n->jumps.count; j++) {
        const struct native_jump *jump = &n->jumps.items[j];
        uint32_t target = UINT32_MAX;
        for (uint32_t l = 0; l < n->labels.count; l++)
            if (!strcmp(n->labels.items[l].name, jump->label))
                target = n->labels.items[l].target;
        if (target == UINT32_MAX)
            reader_fail(r, jump->at, "there is no label %s in this thread", jump->label);
        n->thread->code[jump->instruction].target = target;
    }
}

struct test *test_read_native(struct arena *arena, struct diags *diags)
{
    struct native *n = ARENA_NEW(arena, struct native);
    struct reader *r = &n->r;

    reader_start(r, arena, diags);
    if (setjmp(r->failed))
        return NULL;
    r->test->is_native = true;
    reader_advance(r);
    reader_expect(r, "litmus");
    const char *start = r->token.text;
    /* Names such as MP.release hold dots: the name is the rest of the line. */
    const char *end = start;
    while (end < r->end && *end != '\n' && *end != '\r')
        end++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    r->test->name = arena_copy(arena, start, (size_t)(end - start));
    r->next = end;
    reader_advance(r);
    while (reader_is(r, "."))
        read_variable(n);
    while (reader_accept(r, "thread"))
        read_thread(n);
    if (!r->test->thread_count)
        reader_fail(r, r->token.at, "expected a thread");
    read_shown(r);
    read_condition(r);
    return r->test;
}
