/* SPDX-License-Identifier: Apache-2.0
 *
 * exists.c - instructions against the rows of frontend/ptx/insn.def, the table by
 * which they are read. What has no row there, or one that cannot be read yet, is not
 * written either. */
#include "codegen/exists.h"

#include <stdint.h>
#include <string.h>

#include "ir/types.h"

static const struct row {
    const char *opcode, *types, *modifiers, *handler;
} rows[] = {
#define INSN(opcode, types, modifiers, operands, handler, operation)         \
    {opcode, types, modifiers, #handler},
#include "frontend/ptx/insn.def"
#undef INSN
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

unsigned words_split(const char *text, char separator, struct word *words)
{
    unsigned count = 0;

    while (*text && count < WORDS) {
        char ends[2] = {separator, 0};
        size_t size = strcspn(text, ends);
        if (size)
            words[count++] = (struct word){text, size};
        text += size + (text[size] != 0);
    }
    return count;
}

bool words_same(struct word a, struct word b)
{
    return a.size == b.size && !memcmp(a.text, b.text, a.size);
}

bool word_names_type(struct word word)
{
    static const char *const others[] = {"b1", "b4", "b1024", "u2", "s2", "u4", "s4", "e4m3", "e5m2",
                                         "e2m1x2", "e2m3x2", "e3m2x2", "ue8m0x2", "u8x4", "s8x4"};

    for (size_t i = 0; i < COUNT(others); i++)
        if (words_same(word, (struct word){others[i], strlen(others[i])}))
            return true;
    return ir_type_find(word.text, word.size) != IR_TYPE_COUNT;
}

/* The word among alternatives, which separator parts and one of ends ends. */
static bool among(const char *list, char separator, const char *ends, struct word word)
{
    const char *end = list + strcspn(list, ends);

    while (list < end) {
        char stops[3] = {separator, *ends, 0};
        size_t size = strcspn(list, stops);
        if (words_same((struct word){list, size}, word))
            return true;
        list += size;
        list += list < end;
    }
    return false;
}

/* Types by position: "u16 u32, f32". */
static bool types_fit(const char *types, const struct word *have, unsigned count)
{
    unsigned position = 0;

    for (unsigned i = 0; i < count; i++, position++) {
        while (*types == ' ')
            types++;
        if (!*types || !among(types, ' ', ",", have[i]))
            return false;
        types += strcspn(types, ",");
        types += *types == ',';
    }
    return *types == 0;
}

/* Groups parted by blanks, of each one word at most, exactly one without '?'. */
static bool modifiers_fit(const char *groups, const struct word *have, unsigned count)
{
    uint64_t used = 0;

    while (*groups) {
        bool optional = *groups == '?', met = false;
        groups += optional;
        for (unsigned i = 0; i < count && !met; i++)
            if (!(used >> i & 1) && among(groups, '/', " ", have[i])) {
                used |= UINT64_C(1) << i;
                met = true;
            }
        if (!met && !optional)
            return false;
        groups += strcspn(groups, " ");
        groups += strspn(groups, " ");
    }
    return used == (count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX);
}

bool instruction_exists(const char *instruction)
{
    struct word words[WORDS], types[WORDS], modifiers[WORDS];
    unsigned count = words_split(instruction, '.', words), type_count = 0, modifier_count = 0;

    for (unsigned i = 1; i < count; i++) {
        if (word_names_type(words[i]))
            types[type_count++] = words[i];
        else
            modifiers[modifier_count++] = words[i];
    }
    for (size_t r = 0; count && r < COUNT(rows); r++)
        if (words_same((struct word){rows[r].opcode, strlen(rows[r].opcode)}, words[0]) &&
            strcmp(rows[r].handler, "missing") && types_fit(rows[r].types, types, type_count) &&
            modifiers_fit(rows[r].modifiers, modifiers, modifier_count))
            return true;
    return false;
}
