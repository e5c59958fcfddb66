/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - the table made from words.def. */
#include "frontend/ptx/words.h"

#include <stddef.h>
#include <string.h>

struct row {
    const char *text;
    uint16_t bits;
    uint8_t class;
};

static const struct row rows[WORD_COUNT] = {
    {"", 0, CLASS_NONE},
#define TYPE(name, class, bits) {#name, bits, CLASS_##class},
#define WORD(name) {#name, 0, CLASS_NONE},
#define WORD_AS(name, text) {text, 0, CLASS_NONE},
#include "frontend/ptx/words.def"
#undef TYPE
#undef WORD
#undef WORD_AS
};

void words_index(struct arena *arena, struct map *index)
{
    for (uint32_t i = 1; i < WORD_COUNT; i++)
        map_set(arena, index, rows[i].text, strlen(rows[i].text), i);
}

/* One letter and a number of at most three digits. */
static bool shape_part(const char **at, const char *end, char letter,
                       uint32_t *value)
{
    const char *c = *at;

    if (c >= end || *c != letter)
        return false;
    c++;
    const char *digits = c;
    for (*value = 0; c < end && *c >= '0' && *c <= '9' && c - digits < 4; c++)
        *value = *value * 10 + (uint32_t)(*c - '0');
    *at = c;
    return c > digits && c - digits < 4;
}

uint32_t words_find(const struct map *index, const char *text, uint32_t size)
{
    uint32_t word, m = 0, n = 0, k = 0;

    if (map_get(index, text, size, &word))
        return word;
    const char *at = text, *end = text + size;
    if (!shape_part(&at, end, 'm', &m) || !shape_part(&at, end, 'n', &n))
        return W_NONE;
    if (at < end && !shape_part(&at, end, 'k', &k))
        return W_NONE;
    return at == end ? word_shape(m, n, k) : W_NONE;
}

const char *word_text(uint32_t word)
{
    return word < WORD_COUNT ? rows[word].text : "shape";
}

enum word_class word_class(uint32_t word)
{
    return word < WORD_COUNT ? (enum word_class)rows[word].class : CLASS_NONE;
}

uint32_t word_bits(uint32_t word)
{
    return word < WORD_COUNT ? rows[word].bits : 0;
}
