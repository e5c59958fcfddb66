/* SPDX-License-Identifier: Apache-2.0
 *
 * gate.c - the rules of gate.def applied to a module. */
#include "frontend/ptx/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ptx/parse.h"

enum { GATE_WORDS = 4, NEWEST_VERSION = 95, OLDEST_VERSION = 10 };

struct gate_row {
    const char *opcode, *words, *exact;
    uint16_t version, sm;
    bool gone; /* not any more, rather than not yet */
    /* Made from the strings. */
    uint32_t word[GATE_WORDS];
    bool absent[GATE_WORDS];
    uint32_t word_count;
    uint32_t next; /* of the same opcode, or of the same word for any: + 1 */
};

#define GATE(opcode, words, version, sm, exact)                              \
    {opcode, words, exact, version, sm, false, {0}, {0}, 0, 0},
#define GONE(opcode, words, version, sm, instead)                            \
    {opcode, words, instead, version, sm, true, {0}, {0}, 0, 0},
#define TARGET(sm, suffix, version)
#define GATE_DIRECTIVE(word, version, sm)
#define GATE_SREG(name, version, sm)
static const struct gate_row table[] = {
#include "frontend/ptx/gate.def"
};
#undef GATE
#undef GONE
#undef TARGET
#undef GATE_DIRECTIVE
#undef GATE_SREG

enum { ROW_COUNT = sizeof table / sizeof *table };

struct target_row {
    uint16_t sm, version;
    char suffix;
};

#define GATE(opcode, words, version, sm, exact)
#define GONE(opcode, words, version, sm, instead)
#define TARGET(sm, suffix, version) {sm, version, suffix},
#define GATE_DIRECTIVE(word, version, sm)
#define GATE_SREG(name, version, sm)
static const struct target_row targets[] = {
#include "frontend/ptx/gate.def"
};
#undef TARGET
#undef GATE_DIRECTIVE
#undef GATE_SREG

struct name_row {
    const char *name;
    uint16_t word, version, sm;
};

#define TARGET(sm, suffix, version)
#define GATE_DIRECTIVE(word, version, sm) {#word, W_##word, version, sm},
#define GATE_SREG(name, version, sm) {name, 0, version, sm},
static const struct name_row names[] = {
#include "frontend/ptx/gate.def"
};
#undef TARGET
#undef GATE_DIRECTIVE
#undef GATE_SREG
#undef GATE
#undef GONE

static void check_header(const struct ptx_module *module, struct diags *diags)
{
    uint32_t version = module->version;
    struct ptx_target target = module->target;
    char suffix[2] = {target.suffix, 0};

    if (!module->version_at.line || !target.sm)
        return; /* reported by the parser */
    if (version < OLDEST_VERSION || version > NEWEST_VERSION) {
        diag_error(diags, module->version_at,
                   "unsupported .version %u.%u; the current version is %u.%u",
                   version / 10, version % 10, NEWEST_VERSION / 10,
                   NEWEST_VERSION % 10);
        return;
    }
    for (uint32_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        const struct target_row *row = &targets[t];
        if (row->sm != target.sm || row->suffix != target.suffix)
            continue;
        if (version < row->version)
            diag_error(diags, module->target_at,
                       "PTX .version %u.%u does not support .target sm_%u%s",
                       version / 10, version % 10, target.sm, suffix);
        return;
    }
    /* sm_1x is long gone; what is unknown may be newer than this program. */
    diag_error(diags, module->target_at, "unsupported .target sm_%u%s", target.sm,
               suffix);
}

static void compile(struct gate *gate, struct gate_row *row)
{
    for (const char *at = row->words; *at;) {
        size_t size = strcspn(at, " ");
        bool absent = *at == '!';
        row->absent[row->word_count] = absent;
        row->word[row->word_count++] =
            words_find(gate->words, at + absent, (uint32_t)(size - absent));
        at += size;
        at += strspn(at, " ");
    }
}

void gate_begin(struct gate *gate, struct arena *arena,
                const struct ptx_module *module, struct diags *diags)
{
    *gate = (struct gate){.version = module->version, .target = module->target,
                          .words = &module->words};
    check_header(module, diags);
    gate->rows = ARENA_NEW_ARRAY(arena, ROW_COUNT, struct gate_row);
    memcpy(gate->rows, table, sizeof table);
    for (uint32_t r = ROW_COUNT; r-- > 0;) {
        struct gate_row *row = &gate->rows[r];
        uint32_t next = 0;
        compile(gate, row);
        if (row->opcode[0] == '*') {
            row->next = gate->by_word[row->word[0]];
            gate->by_word[row->word[0]] = r + 1;
            continue;
        }
        map_get(&gate->opcodes, row->opcode, strlen(row->opcode), &next);
        row->next = next;
        map_set(arena, &gate->opcodes, row->opcode, strlen(row->opcode), r + 1);
    }
    for (uint32_t n = 0; n < sizeof names / sizeof *names; n++)
        if (!names[n].word)
            map_set(arena, &gate->special_registers, names[n].name,
                    strlen(names[n].name), n);
}

/* True when the row's words fit; *at is the modifier that makes it so. Each
 * modifier serves one word only, and types keep their order. */
static bool row_fits(const struct gate_row *row,
                     const struct ptx_instruction *instruction,
                     const struct ptx_modifier **at)
{
    uint64_t used = 0;
    uint32_t next_type = 0;

    *at = NULL;
    for (uint32_t w = 0; w < row->word_count; w++) {
        bool is_type = word_is_type(row->word[w]);
        uint32_t m = is_type ? next_type : 0;
        while (m < instruction->modifier_count &&
               (instruction->modifiers[m].word != row->word[w] || (used >> m & 1)))
            m++;
        bool found = m < instruction->modifier_count;
        if (found == row->absent[w])
            return false;
        if (!found)
            continue;
        used |= 1ull << m;
        *at = &instruction->modifiers[m];
        if (is_type)
            next_type = m + 1;
    }
    return true;
}

/* Whether one of the exact targets is the module's; its version in *version. */
static bool exact_target(const struct gate *gate, const char *exact, uint32_t *version)
{
    while (*exact) {
        char *end;
        uint32_t sm = (uint32_t)strtoul(exact, &end, 10);
        char suffix = *end == ':' ? 0 : *end++;
        *version = (uint32_t)strtoul(end + 1, &end, 10);
        if (sm == gate->target.sm && suffix == gate->target.suffix)
            return true;
        exact = end + strspn(end, " ");
    }
    return false;
}

static void check_row(const struct gate *gate, struct diags *diags,
                      const struct gate_row *row,
                      const struct ptx_instruction *instruction, struct loc at)
{
    const struct ptx_modifier *modifier;
    char subject[128];

    if (!row_fits(row, instruction, &modifier))
        return;
    struct ptx_name opcode = instruction->opcode;
    if (row->gone) {
        if (gate->version >= row->version && gate->target.sm >= row->sm)
            diag_error(diags, at,
                       "'%.*s' %s '%s' is not supported on .target sm_%u and "
                       "higher from PTX ISA version %u.%u",
                       NAME_ARGS(opcode), row->absent[0] ? "without" : "with", row->exact, row->sm, row->version / 10,
                       row->version % 10);
        return;
    }
    if (modifier) {
        bool shape = word_is_shape(modifier->word);
        snprintf(subject, sizeof subject, "modifier '.%s' on '%.*s'",
                 shape ? row->words : word_text(modifier->word), NAME_ARGS(opcode));
        at = modifier->at;
    } else {
        snprintf(subject, sizeof subject, "instruction '%.*s'", NAME_ARGS(opcode));
    }
    uint32_t version = row->version;
    if (row->exact[0]) {
        if (!exact_target(gate, row->exact, &version)) {
            char suffix[2] = {gate->target.suffix, 0};
            diag_error(diags, at, "%s is not supported on .target sm_%u%s", subject,
                       gate->target.sm, suffix);
            return;
        }
    } else if (gate->target.sm < row->sm) {
        diag_error(diags, at, "%s requires .target sm_%u or higher", subject, row->sm);
        return;
    }
    if (gate->version < version)
        diag_error(diags, at, "%s requires PTX ISA .version %u.%u or later", subject,
                   version / 10, version % 10);
}

bool gate_instruction(const struct gate *gate, struct diags *diags,
                      const struct ptx_instruction *instruction, struct loc at)
{
    uint32_t row = 0, errors = diags->errors;

    if (!gate->target.sm)
        return true;
    map_get(&gate->opcodes, instruction->opcode.text, instruction->opcode.size, &row);
    /* The first rule broken is enough. */
    for (; row && diags->errors == errors; row = gate->rows[row - 1].next)
        check_row(gate, diags, &gate->rows[row - 1], instruction, at);
    for (uint32_t m = 0; m < instruction->modifier_count; m++) {
        uint32_t word = instruction->modifiers[m].word;
        row = word < WORD_COUNT ? gate->by_word[word] : 0;
        for (; row && diags->errors == errors; row = gate->rows[row - 1].next)
            check_row(gate, diags, &gate->rows[row - 1], instruction, at);
    }
    return diags->errors == errors;
}

void gate_feature(const struct gate *gate, struct diags *diags, const char *what,
                  uint32_t version, uint32_t sm, struct loc at)
{
    if (!gate->target.sm)
        return;
    if (gate->target.sm < sm)
        diag_error(diags, at, "%s requires .target sm_%u or higher", what, sm);
    else if (gate->version < version)
        diag_error(diags, at, "%s requires PTX ISA .version %u.%u or later", what,
                   version / 10, version % 10);
}

static void check_name(const struct gate *gate, struct diags *diags,
                       const struct name_row *row, const char *sigil, struct loc at)
{
    char what[64];

    snprintf(what, sizeof what, "'%s%s'", sigil, row->name);
    gate_feature(gate, diags, what, row->version, row->sm, at);
}

void gate_directive(const struct gate *gate, struct diags *diags, uint32_t word,
                    struct loc at)
{
    for (uint32_t n = 0; n < sizeof names / sizeof *names; n++)
        if (names[n].word && names[n].word == word)
            check_name(gate, diags, &names[n], ".", at);
}

void gate_special_register(const struct gate *gate, struct diags *diags,
                           const char *name, struct loc at)
{
    uint32_t row;

    if (map_get(&gate->special_registers, name, strlen(name), &row))
        check_name(gate, diags, &names[row], "%", at);
}
