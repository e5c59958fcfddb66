/* SPDX-License-Identifier: Apache-2.0
 *
 * dat3m.c - reading litmus tests in the PTX grammar of the Dat3M tool.
 *
 *     file   = "PTX" name string* "{" { decl ";" } "}" header { row } [shown] condition
 *     decl   = location "=" integer | location "=" ["&"] location
 *            | "P"n ":" register "=" (integer | ["&"] location)
 *            | location "@" proxy "aliases" location
 *     header = "P"n "@" "cta" c "," "gpu" g { "|" ... } ";"
 *     row    = [cell] { "|" [cell] } ";"
 *
 * Operand order and brackets differ from PTX assembly. Values are 64-bit. */
#include <string.h>

#include "memmodel/reader.h"

struct pending_register {
    uint32_t thread;
    struct loc at;
    const char *name;
    int64_t value;
    bool is_address;
    uint32_t location;
};

struct label {
    const char *name;
    uint32_t thread, target;
};

struct jump {
    uint32_t thread, instruction;
    const char *label;
    struct loc at;
};

struct dat3m {
    struct reader r;
    struct {
        struct pending_register *items;
        uint32_t count, capacity;
    } registers;
    struct {
        struct label *items;
        uint32_t count, capacity;
    } labels;
    struct {
        struct jump *items;
        uint32_t count, capacity;
    } jumps;
};

/* --- the head of the file ------------------------------------------------------- */

static bool is_number(const char *text, uint32_t *number)
{
    uint32_t value = 0;

    if (text[0] != 'P' || !text[1])
        return false;
    for (text++; *text; text++) {
        if (*text < '0' || *text > '9' || value > 100000)
            return false;
        value = value * 10 + (uint32_t)(*text - '0');
    }
    *number = value;
    return true;
}

static uint32_t location_of(struct reader *r, const char *name, struct loc at)
{
    uint32_t location = find_location(r->test, name);

    return location != UINT32_MAX ? location : add_location(r, name, at, 8, 8);
}

/* The name is the rest of the line; then quoted texts up to the brace. */
static void read_title(struct reader *r)
{
    if (!reader_is(r, "PTX") && !reader_is(r, "ptx"))
        reader_fail(r, r->token.at, "a litmus test starts with 'PTX' or 'litmus'");
    const char *start = r->next, *stop = start;
    while (stop < r->end && *stop != '\n' && *stop != '"' && *stop != '{')
        stop++;
    while (start < stop && (*start == ' ' || *start == '\t'))
        start++;
    while (stop > start && (stop[-1] == ' ' || stop[-1] == '\r' || stop[-1] == '\t'))
        stop--;
    r->test->name = arena_copy(r->arena, start, (size_t)(stop - start));
    r->next = stop;
    reader_advance(r);
    /* Anything may stand before the brace; quoted lines describe the test. */
    while (!reader_is(r, "{") && r->token.kind != TOKEN_END) {
        if (r->token.kind == TOKEN_STRING)
            r->test->description = arena_printf(
                r->arena, "%s%s%.*s", r->test->description,
                *r->test->description ? "\n" : "", (int)r->token.size - 2,
                r->token.text + 1);
        reader_advance(r);
    }
}

static void read_alias(struct reader *r, const char *name, struct loc at)
{
    const char *proxy = reader_word(r, "a proxy");

    reader_expect(r, "aliases");
    struct loc target_at = r->token.at;
    const char *target = reader_word(r, "a variable");
    uint32_t of = location_of(r, target, target_at);
    if (find_location(r->test, name) != UINT32_MAX)
        reader_fail(r, at, "%s is declared already", name);
    uint32_t alias = add_location(r, name, at, 8, 8);
    struct test_location *l = &r->test->locations[alias];
    r->test->object_count--; /* it has no object of its own */
    l->object = r->test->locations[of].object;
    /* The same virtual addresses through another proxy, or other addresses. */
    if (!strcmp(proxy, "constant") || !strcmp(proxy, "texture") ||
        !strcmp(proxy, "surface"))
        l->range = r->test->locations[of].range;
    else if (strcmp(proxy, "generic"))
        reader_fail(r, at, "%s is not a proxy", proxy);
}

static void read_initial_value(struct reader *r, bool *is_address, int64_t *value,
                               uint32_t *location)
{
    bool address = reader_accept(r, "&");

    *is_address = address || r->token.kind == TOKEN_WORD;
    if (*is_address) {
        struct loc at = r->token.at;
        *location = location_of(r, reader_word(r, "a variable"), at);
    } else {
        *value = reader_integer(r, "a value");
    }
}

static void read_declaration(struct dat3m *d)
{
    struct reader *r = &d->r;
    struct loc at = r->token.at;
    const char *name = reader_word(r, "a declaration");
    uint32_t number, target = 0;
    bool is_address;
    int64_t value = 0;

    if (is_number(name, &number) && reader_accept(r, ":")) {
        struct pending_register p = {.thread = number, .at = at,
                                     .name = reader_word(r, "a register")};
        reader_expect(r, "=");
        read_initial_value(r, &p.is_address, &p.value, &p.location);
        *ARENA_PUSH(r->arena, &d->registers) = p;
    } else if (reader_accept(r, "@")) {
        read_alias(r, name, at);
    } else {
        uint32_t location = location_of(r, name, at);
        reader_expect(r, "=");
        read_initial_value(r, &is_address, &value, &target);
        if (is_address)
            value = location_address(r->test, target);
        set_initial(&r->test->objects[r->test->locations[location].object], 0, 8,
                    value);
    }
}

static void read_header(struct dat3m *d)
{
    struct reader *r = &d->r;

    do {
        struct loc at = r->token.at;
        const char *name = reader_word(r, "a thread");
        uint32_t number;
        if (!is_number(name, &number))
            reader_fail(r, at, "expected a thread such as P0");
        if (find_thread(r->test, number) != UINT32_MAX)
            reader_fail(r, at, "%s is declared already", name);
        if (r->test->thread_count == MAX_THREADS)
            reader_fail(r, at, "a test can have at most %d threads", MAX_THREADS);
        reader_expect(r, "@");
        reader_expect(r, "cta");
        uint32_t cta = (uint32_t)reader_integer(r, "a block number");
        reader_expect(r, ",");
        reader_expect(r, "gpu");
        uint32_t gpu = (uint32_t)reader_integer(r, "a GPU number");
        uint32_t index = r->test->thread_count++;
        r->test->threads[index] = (struct test_thread){
            .name = name, .number = number, .cta = cta, .gpu = gpu,
            .cluster = cta, .warp = index};
    } while (reader_accept(r, "|"));
    reader_expect(r, ";");
    for (uint32_t i = 0; i < d->registers.count; i++) {
        const struct pending_register *p = &d->registers.items[i];
        uint32_t thread = find_thread(r->test, p->thread);
        if (thread == UINT32_MAX)
            reader_fail(r, p->at, "there is no thread P%u", p->thread);
        struct test_thread *t = &r->test->threads[thread];
        uint32_t reg = find_register(t, p->name);
        if (reg == NO_REGISTER)
            reg = add_register(r, t, p->name, 64);
        t->registers[reg].initial = p->value;
        t->registers[reg].initial_is_address = p->is_address;
        t->registers[reg].initial_location = p->location;
    }
}

/* --- cells ------------------------------------------------------------------------ */

static uint32_t register_of(struct reader *r, struct test_thread *thread)
{
    struct loc at = r->token.at;
    const char *name = reader_word(r, "a register");

    if (name[0] != 'r' || name[1] < '0' || name[1] > '9')
        reader_fail(r, at, "expected a register such as r0");
    uint32_t reg = find_register(thread, name);
    return reg != NO_REGISTER ? reg : add_register(r, thread, name, 64);
}

static struct operand value_of(struct reader *r, struct test_thread *thread)
{
    if (r->token.kind == TOKEN_WORD)
        return (struct operand){.is_register = true, .reg = register_of(r, thread)};
    return (struct operand){.value = reader_integer(r, "a value or a register")};
}

static enum scope scope_of(struct reader *r)
{
    if (reader_accept(r, "cta"))
        return SCOPE_CTA;
    if (reader_accept(r, "gpu"))
        return SCOPE_GPU;
    if (reader_accept(r, "sys"))
        return SCOPE_SYS;
    reader_fail(r, r->token.at, "expected a scope: cta, gpu or sys");
}

/* ".sem[.scope]"; allowed is the set of orders, weak among them as bit 16. */
enum { ALLOW_WEAK = 16 };

static void read_order(struct reader *r, struct instruction *i, uint32_t allowed)
{
    static const struct {
        const char *name;
        uint32_t order;
    } orders[] = {{"weak", ORDER_WEAK}, {"relaxed", ORDER_RELAXED},
                  {"acquire", ORDER_STRONG | ORDER_ACQUIRE},
                  {"release", ORDER_STRONG | ORDER_RELEASE},
                  {"acq_rel", ORDER_ACQ_REL}, {"sc", ORDER_ACQ_REL | ORDER_SC}};
    struct loc at;

    reader_expect(r, ".");
    at = r->token.at;
    for (size_t n = 0; n < sizeof orders / sizeof *orders; n++) {
        if (!reader_accept(r, orders[n].name))
            continue;
        uint32_t order = orders[n].order;
        if (order ? (order & ~(allowed | ORDER_STRONG)) != 0 : !(allowed & ALLOW_WEAK))
            reader_fail(r, at, "%s does not go with this instruction", orders[n].name);
        i->order = order;
        if (order) {
            reader_expect(r, ".");
            i->scope = scope_of(r);
        }
        return;
    }
    reader_fail(r, at, "expected weak, relaxed, acquire, release, acq_rel or sc");
}

static struct address address_of(struct reader *r)
{
    struct loc at = r->token.at;

    return (struct address){.location = location_of(r, reader_word(r, "a variable"), at)};
}

static enum operation arithmetic(struct reader *r)
{
    static const struct {
        const char *name;
        enum operation operation;
    } table[] = {{"add", OP_ADD}, {"sub", OP_SUB}, {"mul", OP_MUL}, {"div", OP_DIV},
                 {"and", OP_AND}, {"or", OP_OR}, {"xor", OP_XOR},
                 {"exch", OP_EXCH}, {"cas", OP_CAS}};

    for (size_t n = 0; n < sizeof table / sizeof *table; n++)
        if (reader_accept(r, table[n].name))
            return table[n].operation;
    reader_fail(r, r->token.at, "this operation is not known");
}

static void read_load(struct dat3m *d, struct test_thread *thread, enum proxy proxy,
                      struct loc at)
{
    struct reader *r = &d->r;

    if (!reader_is(r, ".")) { /* ld register, value: a move */
        struct instruction *i = add_instruction(r, thread, INSTR_ALU, at);
        i->operation = OP_MOV;
        i->width = 64;
        i->result[0] = register_of(r, thread);
        reader_expect(r, ",");
        i->source[0] = value_of(r, thread);
        return;
    }
    struct instruction *i = add_instruction(r, thread, INSTR_LOAD, at);
    read_order(r, i, ALLOW_WEAK | ORDER_ACQUIRE);
    i->proxy = proxy;
    i->width = 8;
    i->result[0] = register_of(r, thread);
    reader_expect(r, ",");
    i->address = address_of(r);
}

static void read_store(struct dat3m *d, struct test_thread *thread, enum proxy proxy,
                       struct loc at)
{
    struct reader *r = &d->r;
    struct instruction *i = add_instruction(r, thread, INSTR_STORE, at);

    read_order(r, i, ALLOW_WEAK | ORDER_RELEASE);
    i->proxy = proxy;
    i->width = 8;
    i->address = address_of(r);
    reader_expect(r, ",");
    i->source[0] = value_of(r, thread);
}

static void read_atomic(struct dat3m *d, struct test_thread *thread, bool reduces,
                        enum proxy proxy, struct loc at)
{
    struct reader *r = &d->r;
    struct instruction *i = add_instruction(r, thread, INSTR_ATOM, at);

    read_order(r, i, ORDER_ACQUIRE | ORDER_RELEASE);
    reader_expect(r, ".");
    i->operation = arithmetic(r);
    i->proxy = proxy;
    i->width = 8;
    i->is_reduction = reduces;
    if (!reduces) {
        i->result[0] = register_of(r, thread);
        reader_expect(r, ",");
    }
    i->address = address_of(r);
    reader_expect(r, ",");
    i->source[0] = value_of(r, thread);
    if (i->operation == OP_CAS) {
        reader_expect(r, ",");
        i->source[1] = value_of(r, thread);
    }
}

static void read_fence(struct dat3m *d, struct test_thread *thread, struct loc at)
{
    struct reader *r = &d->r;
    struct instruction *i = add_instruction(r, thread, INSTR_FENCE, at);
    const char *after = r->next;

    if (after < r->end && r->end - after > 5 && !memcmp(after, "proxy", 5)) {
        reader_expect(r, ".");
        reader_expect(r, "proxy");
        reader_expect(r, ".");
        i->kind = INSTR_PROXY_FENCE;
        for (enum proxy p = PROXY_GENERIC; p <= PROXY_ALIAS; p++)
            if (p != PROXY_ASYNC && reader_accept(r, proxy_name(p))) {
                i->proxy = p;
                return;
            }
        reader_fail(r, r->token.at, "expected a proxy");
    }
    read_order(r, i, ORDER_ACQUIRE | ORDER_RELEASE | ORDER_SC);
    if (!(i->order & ORDER_RELEASE) || !(i->order & ORDER_ACQUIRE))
        reader_fail(r, at, "a fence is acq_rel or sc");
}

static void read_barrier(struct dat3m *d, struct test_thread *thread, struct loc at)
{
    struct reader *r = &d->r;
    struct instruction *i = add_instruction(r, thread, INSTR_BARRIER, at);

    reader_expect(r, ".");
    reader_expect(r, "cta");
    reader_expect(r, ".");
    if (reader_accept(r, "arrive"))
        i->arrives_only = true;
    else
        reader_expect(r, "sync");
    i->has_instance = true;
    i->instance = reader_integer(r, "a barrier instance");
    if (!reader_accept(r, ","))
        return;
    i->has_id = true;
    i->id = value_of(r, thread);
    if (!reader_accept(r, ","))
        return;
    i->has_count = true;
    i->count = value_of(r, thread);
}

static void add_jump(struct dat3m *d, struct test_thread *thread)
{
    struct reader *r = &d->r;
    struct jump *jump = ARENA_PUSH(r->arena, &d->jumps);

    jump->thread = (uint32_t)(thread - r->test->threads);
    jump->instruction = thread->code_count - 1;
    jump->at = r->token.at;
    jump->label = reader_word(r, "a label");
}

static void read_branch(struct dat3m *d, struct test_thread *thread,
                        enum operation operation, struct loc at)
{
    struct reader *r = &d->r;
    uint32_t predicate = find_register(thread, "branch");
    struct instruction *compare = add_instruction(r, thread, INSTR_ALU, at);

    if (predicate == NO_REGISTER)
        predicate = add_register(r, thread, "branch", 1);
    compare->operation = operation;
    compare->width = 64;
    compare->elements = 2;
    compare->result[0] = predicate;
    compare->source[0] = value_of(r, thread);
    reader_expect(r, ",");
    compare->source[1] = value_of(r, thread);
    reader_expect(r, ",");
    struct instruction *branch = add_instruction(r, thread, INSTR_BRANCH, at);
    branch->guard = predicate;
    add_jump(d, thread);
}

static void read_arithmetic(struct dat3m *d, struct test_thread *thread,
                            enum operation operation, struct loc at)
{
    struct reader *r = &d->r;
    struct instruction *i = add_instruction(r, thread, INSTR_ALU, at);

    i->operation = operation;
    i->width = 64;
    i->elements = 2;
    i->result[0] = register_of(r, thread);
    reader_expect(r, ",");
    i->source[0] = value_of(r, thread);
    reader_expect(r, ",");
    i->source[1] = value_of(r, thread);
}

static void read_cell(struct dat3m *d, struct test_thread *thread)
{
    static const struct {
        const char *name;
        enum operation operation;
    } branches[] = {{"beq", OP_EQ}, {"bne", OP_NE}, {"blt", OP_LT},
                    {"bgt", OP_GT}, {"ble", OP_LE}, {"bge", OP_GE}},
      sums[] = {{"add", OP_ADD}, {"sub", OP_SUB}, {"mul", OP_MUL}, {"div", OP_DIV}};
    struct reader *r = &d->r;
    struct loc at = r->token.at;
    const char *start = r->token.text;
    uint32_t before = thread->code_count;

    for (size_t n = 0; n < sizeof branches / sizeof *branches; n++)
        if (reader_accept(r, branches[n].name)) {
            read_branch(d, thread, branches[n].operation, at);
            goto done;
        }
    for (size_t n = 0; n < sizeof sums / sizeof *sums; n++)
        if (reader_accept(r, sums[n].name)) {
            read_arithmetic(d, thread, sums[n].operation, at);
            goto done;
        }
    if (reader_accept(r, "ld"))
        read_load(d, thread, PROXY_GENERIC, at);
    else if (reader_accept(r, "tld"))
        read_load(d, thread, PROXY_TEXTURE, at);
    else if (reader_accept(r, "suld"))
        read_load(d, thread, PROXY_SURFACE, at);
    else if (reader_accept(r, "cold"))
        read_load(d, thread, PROXY_CONSTANT, at);
    else if (reader_accept(r, "st"))
        read_store(d, thread, PROXY_GENERIC, at);
    else if (reader_accept(r, "sust"))
        read_store(d, thread, PROXY_SURFACE, at);
    else if (reader_accept(r, "atom"))
        read_atomic(d, thread, false, PROXY_GENERIC, at);
    else if (reader_accept(r, "suatom"))
        read_atomic(d, thread, false, PROXY_SURFACE, at);
    else if (reader_accept(r, "red"))
        read_atomic(d, thread, true, PROXY_GENERIC, at);
    else if (reader_accept(r, "sured"))
        read_atomic(d, thread, true, PROXY_SURFACE, at);
    else if (reader_accept(r, "fence"))
        read_fence(d, thread, at);
    else if (reader_accept(r, "bar"))
        read_barrier(d, thread, at);
    else if (reader_accept(r, "goto")) {
        add_instruction(r, thread, INSTR_BRANCH, at);
        add_jump(d, thread);
    } else {
        struct label label = {.name = reader_word(r, "an instruction"),
                              .thread = (uint32_t)(thread - r->test->threads),
                              .target = thread->code_count};
        if (strncmp(label.name, "LC", 2))
            reader_fail(r, at, "the instruction %s is not known", label.name);
        reader_expect(r, ":");
        *ARENA_PUSH(r->arena, &d->labels) = label;
    }
done:
    for (uint32_t n = before; n < thread->code_count; n++)
        thread->code[n].text = reader_text(r, start);
}

static void read_rows(struct dat3m *d)
{
    struct reader *r = &d->r;

    while (!reader_is(r, "exists") && !reader_is(r, "~") && !reader_is(r, "forall") &&
           !reader_is(r, "filter") && !reader_is(r, "locations")) {
        for (uint32_t column = 0;; column++) {
            if (column >= r->test->thread_count)
                reader_fail(r, r->token.at, "more columns than threads");
            if (!reader_is(r, "|") && !reader_is(r, ";"))
                read_cell(d, &r->test->threads[column]);
            if (reader_accept(r, ";"))
                break;
            reader_expect(r, "|");
        }
    }
    for (uint32_t j = 0; j < d->jumps.count; j++) {
        const struct jump *jump = &d->jumps.items[j];
        uint32_t target = UINT32_MAX;
        for (uint32_t l = 0; l < d->labels.count; l++)
            if (d->labels.items[l].thread == jump->thread &&
                !strcmp(d->labels.items[l].name, jump->label))
                target = d->labels.items[l].target;
        if (target == UINT32_MAX)
            reader_fail(r, jump->at, "there is no label %s in this thread", jump->label);
        r->test->threads[jump->thread].code[jump->instruction].target = target;
    }
}

struct test *test_read_dat3m(struct arena *arena, struct diags *diags)
{
    struct dat3m *d = ARENA_NEW(arena, struct dat3m);

    reader_start(&d->r, arena, diags);
    if (setjmp(d->r.failed))
        return NULL;
    reader_advance(&d->r);
    read_title(&d->r);
    reader_expect(&d->r, "{");
    while (!reader_accept(&d->r, "}")) {
        if (!reader_is(&d->r, ";"))
            read_declaration(d);
        if (!reader_is(&d->r, "}"))
            reader_expect(&d->r, ";");
    }
    reader_accept(&d->r, ";");
    read_header(d);
    read_rows(d);
    read_shown(&d->r);
    read_condition(&d->r);
    return d->r.test;
}
