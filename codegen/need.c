/* SPDX-License-Identifier: Apache-2.0
 *
 * need.c - the least PTX version and target, from the rules of gate.def. */
#include "codegen/need.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/exists.h"

/* Lanes of a warp progress independently from sm_70 on, and all of the IR is meant
 * that way: code for an older target would be scheduled otherwise even on a new
 * chip. Its first version is 6.0. */
enum { LEAST_SM = 70, LEAST_VERSION = 60, NEWEST_VERSION = 95 };

struct rule {
    const char *opcode, *words, *exact;
    uint16_t version, sm;
    bool gone;
};

#define TARGET(sm, suffix, version)
#define GATE_DIRECTIVE(word, version, sm)
#define GATE_SREG(name, version, sm)
#define GATE(opcode, words, version, sm, exact) {opcode, words, exact, version, sm, false},
#define GONE(opcode, words, version, sm, instead) {opcode, words, instead, version, sm, true},
static const struct rule rules[] = {
#include "frontend/ptx/gate.def"
};
#undef TARGET
#undef GATE_DIRECTIVE
#undef GATE_SREG
#undef GATE
#undef GONE

static const struct target {
    uint16_t sm, version;
    char suffix;
} targets[] = {
#define TARGET(sm, suffix, version) {sm, version, suffix},
#define GATE_DIRECTIVE(word, version, sm)
#define GATE_SREG(name, version, sm)
#define GATE(opcode, words, version, sm, exact)
#define GONE(opcode, words, version, sm, instead)
#include "frontend/ptx/gate.def"
#undef TARGET
#undef GATE_DIRECTIVE
#undef GATE_SREG
};

static const struct named {
    const char *name;
    uint16_t version, sm;
    bool directive;
} names[] = {
#define TARGET(sm, suffix, version)
#define GATE_DIRECTIVE(word, version, sm) {#word, version, sm, true},
#define GATE_SREG(name, version, sm) {name, version, sm, false},
#include "frontend/ptx/gate.def"
#undef TARGET
#undef GATE_DIRECTIVE
#undef GATE_SREG
#undef GATE
#undef GONE
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- matching ------------------------------------------------------------- */

/* As the reader's rules: each word serves once, types keep their order. */
static bool fits(const struct rule *rule, const struct word *have, unsigned count)
{
    struct word want[WORDS];
    unsigned wanted = words_split(rule->words, ' ', want), next_type = 0;
    uint64_t used = 0;

    for (unsigned w = 0; w < wanted; w++) {
        bool absent = want[w].text[0] == '!';
        want[w].text += absent;
        want[w].size -= absent;
        bool type = word_names_type(want[w]);
        unsigned i = type ? next_type : 0;
        while (i < count && (!words_same(want[w], have[i]) || used >> i & 1))
            i++;
        if ((i < count) == absent)
            return false;
        if (i == count)
            continue;
        used |= UINT64_C(1) << i;
        if (type)
            next_type = i + 1;
    }
    return true;
}

/* --- collecting ----------------------------------------------------------- */

static void complain(struct need *need, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(struct need *need, struct loc at, const char *format, ...)
{
    char text[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!need->quiet)
        diag_error(need->diags, at, "%s", text);
    need->errors++;
}

static const struct target *target_row(uint32_t sm, char suffix)
{
    for (size_t t = 0; t < COUNT(targets); t++)
        if (targets[t].sm == sm && targets[t].suffix == suffix)
            return &targets[t];
    return NULL;
}

void need_begin(struct need *need, const struct ir_module *module,
                const struct codegen_options *options, struct diags *diags)
{
    const struct target *row = target_row(options->target, options->target_suffix);
    struct loc nowhere = {0, 0};
    char suffix[2] = {options->target_suffix, 0};

    *need = (struct need){.diags = diags, .forced_version = options->version,
                          .forced_sm = options->target,
                          .forced_suffix = options->target_suffix,
                          .own_sm = module->target, .own_suffix = module->target_suffix};
    if (options->target && !row)
        diag_error(diags, nowhere, "there is no target sm_%u%s", options->target, suffix);
    if (options->version && (options->version < 31 || options->version > NEWEST_VERSION))
        diag_error(diags, nowhere, "PTX %u.%u cannot be written; 3.1 to %d.%d can",
                   options->version / 10, options->version % 10, NEWEST_VERSION / 10,
                   NEWEST_VERSION % 10);
    need->sm = options->target ? options->target : LEAST_SM;
    need->suffix = options->target_suffix;
    need->version = options->version ? options->version
                    : row            ? row->version
                                     : LEAST_VERSION;
}

static void need_version(struct need *need, const char *what, uint32_t version, struct loc at)
{
    if (version <= need->version)
        return;
    if (need->forced_version)
        complain(need, at, "%s needs PTX %u.%u or later, not %u.%u", what,
                   version / 10, version % 10, need->version / 10, need->version % 10);
    else
        need->version = version;
}

void need_feature(struct need *need, const char *what, uint32_t version, uint32_t sm,
                  struct loc at)
{
    if (sm > need->sm) {
        if (need->forced_sm) {
            complain(need, at, "%s needs a target of sm_%u or higher, not sm_%u", what,
                       sm, need->sm);
            return;
        }
        need->sm = sm;
    }
    need_version(need, what, version, at);
}

/* The version with which the rule's list of targets allows this one, or 0. */
static uint32_t listed(const char *exact, uint32_t sm, char suffix)
{
    while (*exact) {
        char *end;
        uint32_t number = (uint32_t)strtoul(exact, &end, 10);
        char letter = *end == ':' ? 0 : *end++;
        uint32_t version = (uint32_t)strtoul(end + 1, &end, 10);
        if (number == sm && letter == suffix)
            return version;
        exact = end + strspn(end, " ");
    }
    return 0;
}

/* Only the targets of a list have it. */
static void need_exact(struct need *need, const char *what, const char *exact, struct loc at)
{
    uint32_t version = listed(exact, need->sm, need->suffix);

    if (version) {
        need_version(need, what, version, at);
        return;
    }
    if (need->forced_sm || need->suffix) {
        char suffix[2] = {need->suffix, 0};
        complain(need, at, "%s does not exist on sm_%u%s", what, need->sm, suffix);
        return;
    }
    version = listed(exact, need->own_sm, need->own_suffix);
    if (version && need->own_sm >= need->sm) {
        need->sm = need->own_sm;
        need->suffix = need->own_suffix;
        need_version(need, what, version, at);
        return;
    }
    for (size_t t = 0; t < COUNT(targets); t++) {
        version = listed(exact, targets[t].sm, targets[t].suffix);
        if (!version || targets[t].sm < need->sm)
            continue;
        need->sm = targets[t].sm;
        need->suffix = targets[t].suffix;
        need_version(need, what, version, at);
        return;
    }
    complain(need, at, "%s does not exist on sm_%u, which others need", what, need->sm);
}

void need_instruction(struct need *need, const char *instruction, struct loc at)
{
    struct word have[WORDS];
    unsigned count = words_split(instruction, '.', have);
    char what[160];

    snprintf(what, sizeof what, "'%s'", instruction);
    for (size_t r = 0; count && r < COUNT(rules); r++) {
        const struct rule *rule = &rules[r];
        struct word opcode = {rule->opcode, strlen(rule->opcode)};
        if ((rule->opcode[0] != '*' && !words_same(opcode, have[0])) ||
            !fits(rule, have + 1, count - 1))
            continue;
        if (rule->gone) {
            if (need->version >= rule->version && need->sm >= rule->sm)
                complain(need, at, "%s does not exist on sm_%u any more", what,
                           rule->sm);
        } else if (rule->exact[0]) {
            need_exact(need, what, rule->exact, at);
        } else {
            need_feature(need, what, rule->version, rule->sm, at);
        }
    }
}

bool need_allows(const struct need *need, const char *instruction)
{
    struct need trial = *need;

    trial.quiet = true;
    trial.errors = 0;
    need_instruction(&trial, instruction, (struct loc){0, 0});
    return !trial.errors;
}

static void need_name(struct need *need, const char *name, bool directive, struct loc at)
{
    char what[80];

    snprintf(what, sizeof what, "'%c%s'", directive ? '.' : '%', name);
    for (size_t n = 0; n < COUNT(names); n++)
        if (names[n].directive == directive && !strcmp(names[n].name, name))
            need_feature(need, what, names[n].version, names[n].sm, at);
}

void need_directive(struct need *need, const char *word, struct loc at)
{
    need_name(need, word, true, at);
}

void need_special_register(struct need *need, const char *name, struct loc at)
{
    need_name(need, name, false, at);
}

void need_end(struct need *need)
{
    const struct target *row = target_row(need->sm, need->suffix);
    char suffix[2] = {need->suffix, 0};

    if (!row || need->version >= row->version)
        return;
    if (need->forced_version)
        complain(need, (struct loc){0, 0}, "sm_%u%s needs PTX %u.%u or later, not %u.%u",
                   need->sm, suffix, row->version / 10, row->version % 10, need->version / 10,
                   need->version % 10);
    else
        need->version = row->version;
}
