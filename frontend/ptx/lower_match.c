/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_match.c - from an opcode and its modifiers to a row of insn.def.
 *
 * Types must come in the row's order, other modifiers may come in any order
 * (as ptxas has it). When no row fits, the message is about the row that came
 * nearest. */
#include "frontend/ptx/lower.h"

#include <stdio.h>
#include <string.h>

#include "frontend/ptx/lower_ops.h"

static const struct form table[] = {
#define INSN(name, type_lists, groups, codes, handler, operation)            \
    {.opcode = name, .types = type_lists, .modifiers = groups,               \
     .operands = codes, .lower = lower_##handler, .op = IR_OP_##operation},
#include "frontend/ptx/insn.def"
#undef INSN
};

enum { FORM_COUNT = sizeof table / sizeof *table };

static const char *const other_opcodes[] = {
#define OPCODE(name) name,
#define VARIANT(name, word)
#include "frontend/ptx/opcodes.def"
#undef OPCODE
#undef VARIANT
};

static const struct {
    const char *opcode;
    uint32_t word;
} other_variants[] = {
#define OPCODE(name)
#define VARIANT(name, word) {name, W_##word},
#include "frontend/ptx/opcodes.def"
#undef OPCODE
#undef VARIANT
};

/* A shape as it was written, m16n8k16 or m8n8; of other words the spelling. */
static const char *spelling(uint32_t word, char text[24])
{
    if (!word_is_shape(word))
        return word_text(word);
    int size = snprintf(text, 24, "m%un%u", word >> 20 & 0x3ff, word >> 10 & 0x3ff);
    if (word & 0x3ff)
        snprintf(text + size, 24 - (size_t)size, "k%u", word & 0x3ff);
    return text;
}

const char *instruction_name(struct instruction *i)
{
    char shape[24];
    int size = snprintf(i->name, sizeof i->name, "%.*s",
                        NAME_ARGS(i->syntax->opcode));

    for (uint32_t m = 0; m < i->syntax->modifier_count; m++) {
        uint32_t word = i->syntax->modifiers[m].word;
        if (size >= (int)sizeof i->name - 1)
            break;
        size += snprintf(i->name + size, sizeof i->name - (size_t)size, ".%s",
                         spelling(word, shape));
    }
    return i->name;
}

/* One token up to a blank, '/' or ','. */
static uint32_t token_word(struct lower *l, const char **at)
{
    size_t size = strcspn(*at, " /,");
    uint32_t word = words_find(&l->syntax->words, *at, (uint32_t)size);

    *at += size;
    return word;
}

static void compile(struct lower *l, struct form *form)
{
    struct form_word words[80];

    /* "u16 u32, f32": a set for each position. */
    for (const char *at = form->types; *at;) {
        if (*at == ' ') {
            at++;
        } else if (*at == ',') {
            at++;
            form->type_count++;
        } else {
            uint32_t word = token_word(l, &at);
            form->type_sets[form->type_count] |= 1ull << (word - WORD_FIRST_TYPE);
        }
    }
    form->type_count += *form->types != '\0';
    /* "?ftz rn/rz": groups, those without '?' required. */
    for (const char *at = form->modifiers; *at;) {
        if (*at == ' ') {
            at++;
            continue;
        }
        if (*at == '?')
            at++;
        else
            form->required |= 1u << form->group_count;
        for (;;) {
            words[form->word_count++] = (struct form_word){
                token_word(l, &at), (uint8_t)form->group_count};
            if (*at != '/')
                break;
            at++;
        }
        form->group_count++;
    }
    form->words = ARENA_NEW_ARRAY(&l->scratch, form->word_count, struct form_word);
    memcpy(form->words, words, form->word_count * sizeof *words);
}

void lower_forms(struct lower *l)
{
    l->forms = ARENA_NEW_ARRAY(&l->scratch, FORM_COUNT, struct form);
    memcpy(l->forms, table, sizeof table);
    for (uint32_t f = 0; f < FORM_COUNT; f++) {
        const char *opcode = l->forms[f].opcode;
        compile(l, &l->forms[f]);
        l->forms[f].last =
            f + 1 == FORM_COUNT || strcmp(opcode, table[f + 1].opcode) != 0;
        if (!f || strcmp(opcode, table[f - 1].opcode) != 0)
            map_set(&l->scratch, &l->opcodes, opcode, strlen(opcode), f + 1);
    }
    for (uint32_t o = 0; o < sizeof other_opcodes / sizeof *other_opcodes; o++)
        map_set(&l->scratch, &l->opcodes, other_opcodes[o],
                strlen(other_opcodes[o]), 0);
}

/* Why a row does not fit. */
struct misfit {
    enum { FITS, BAD_MODIFIER, BAD_TYPE, TWICE, TOO_FEW_TYPES, MISSING } why;
    uint32_t progress; /* larger: nearer */
    const struct ptx_modifier *modifier;
    uint32_t group;
};

static struct misfit try_form(struct instruction *i, const struct form *form)
{
    const struct ptx_instruction *syntax = i->syntax;
    struct misfit misfit = {FITS, 0, NULL, 0};
    uint32_t groups = 0;

    i->type_count = 0;
    for (uint32_t m = 0; m < syntax->modifier_count; m++) {
        const struct ptx_modifier *modifier = &syntax->modifiers[m];
        uint32_t word = modifier->word, w = 0;
        misfit.modifier = modifier;
        if (word_is_type(word) && i->type_count < form->type_count) {
            if (!(form->type_sets[i->type_count] >> (word - WORD_FIRST_TYPE) & 1)) {
                misfit.why = BAD_TYPE;
                return misfit;
            }
            i->types[i->type_count++] = word;
            misfit.progress += 2;
            continue;
        }
        while (w < form->word_count && form->words[w].word != word)
            w++;
        if (w == form->word_count) {
            misfit.why = word_is_type(word) ? BAD_TYPE : BAD_MODIFIER;
            return misfit;
        }
        if (groups >> form->words[w].group & 1) {
            /* A word may belong to a second group. */
            uint32_t other = w + 1;
            while (other < form->word_count && form->words[other].word != word)
                other++;
            if (other == form->word_count ||
                (groups >> form->words[other].group & 1)) {
                misfit.why = TWICE;
                return misfit;
            }
            w = other;
        }
        groups |= 1u << form->words[w].group;
        misfit.progress += 2;
    }
    misfit.progress++;
    if (i->type_count != form->type_count) {
        misfit.why = TOO_FEW_TYPES;
    } else if (form->required & ~groups) {
        misfit.why = MISSING;
        while (!(form->required >> misfit.group & 1) || (groups >> misfit.group & 1))
            misfit.group++;
    }
    return misfit;
}

/* Whether the instruction's types are those of the row, whatever else is
 * wrong; a message about the rest helps more then. */
static bool types_fit(const struct instruction *i, const struct form *form)
{
    uint32_t count = 0;

    for (uint32_t m = 0; m < i->syntax->modifier_count; m++) {
        uint32_t word = i->syntax->modifiers[m].word;
        if (!word_is_type(word))
            continue;
        if (count == form->type_count ||
            !(form->type_sets[count] >> (word - WORD_FIRST_TYPE) & 1))
            return false;
        count++;
    }
    return count == form->type_count;
}

static void explain(struct lower *l, struct instruction *i,
                    const struct form *form, struct misfit misfit)
{
    char list[200], shape[24];
    int size = 0;

    switch (misfit.why) {
    case BAD_MODIFIER:
    case BAD_TYPE:
        diag_error(l->diags, misfit.modifier->at,
                   "%s '.%s' is not allowed here in '%s'",
                   misfit.why == BAD_TYPE ? "type" : "modifier",
                   spelling(misfit.modifier->word, shape), instruction_name(i));
        break;
    case TWICE:
        diag_error(l->diags, misfit.modifier->at,
                   "modifier '.%s' contradicts or repeats an earlier one in '%s'",
                   word_text(misfit.modifier->word), instruction_name(i));
        break;
    case TOO_FEW_TYPES:
        diag_error(l->diags, i->at, "'%s' needs %u type%s", instruction_name(i),
                   form->type_count, form->type_count == 1 ? "" : "s");
        break;
    default:
        list[0] = '\0';
        for (uint32_t w = 0; w < form->word_count && size < 150; w++)
            if (form->words[w].group == misfit.group)
                size += snprintf(list + size, sizeof list - (size_t)size, " .%s",
                                 word_text(form->words[w].word));
        diag_error(l->diags, i->at, "'%s' needs %s%s", instruction_name(i),
                   strchr(list + (size > 1), ' ') ? "one of" : "the modifier",
                   list);
    }
}

bool match_instruction(struct lower *l, struct instruction *i)
{
    struct ptx_name opcode = i->syntax->opcode;
    struct misfit nearest = {BAD_MODIFIER, 0, NULL, 0};
    const struct form *form = NULL;
    uint32_t index;

    if (!map_get(&l->opcodes, opcode.text, opcode.size, &index)) {
        diag_error(l->diags, i->at, "unknown instruction '%.*s'",
                   NAME_ARGS(opcode));
        return false;
    }
    if (!index) {
        unsupported(l, i->at, "instruction '%s'", instruction_name(i));
        return false;
    }
    for (uint32_t m = 0; m < i->syntax->modifier_count; m++) {
        uint32_t word = i->syntax->modifiers[m].word;
        if (word_is_shape(word))
            i->shape = word;
        else
            i->words[word / 64] |= 1ull << (word % 64);
    }
    for (const struct form *f = &l->forms[index - 1];; f++) {
        struct misfit misfit = try_form(i, f);
        if (misfit.why == FITS) {
            i->form = f;
            return true;
        }
        if (types_fit(i, f))
            misfit.progress += 1000;
        if (!form || misfit.progress > nearest.progress) {
            nearest = misfit;
            form = f;
        }
        if (f->last)
            break;
    }
    for (uint32_t v = 0; v < sizeof other_variants / sizeof *other_variants; v++)
        if (has(i, other_variants[v].word) && name_is(opcode, other_variants[v].opcode)) {
            unsupported(l, i->at, "'%s'", instruction_name(i));
            return false;
        }
    explain(l, i, form, nearest);
    return false;
}
