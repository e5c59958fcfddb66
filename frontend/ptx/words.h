/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - the dotted words of PTX as numbers.
 *
 * A word is one 32-bit number. Words of words.def have the numbers of enum
 * word; a matrix shape carries its sizes: word_shape(16, 8, 16). */
#ifndef SIMTLAB_FRONTEND_PTX_WORDS_H
#define SIMTLAB_FRONTEND_PTX_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

enum word {
    W_NONE, /* not a known word */
#define TYPE(name, class, bits) W_##name,
#define WORD(name) W_##name,
#define WORD_AS(name, text) W_##name,
#include "frontend/ptx/words.def"
#undef TYPE
#undef WORD
#undef WORD_AS
    WORD_COUNT
};

enum { WORD_FIRST_TYPE = W_u8, WORD_LAST_TYPE = W_surfref };

enum word_class {
    CLASS_NONE,
    CLASS_UNSIGNED,
    CLASS_SIGNED,
    CLASS_BITS,
    CLASS_FLOAT,
    CLASS_PACKED, /* several numbers in one register */
    CLASS_TINY,   /* 4 to 8 bit floating point, alone or packed */
    CLASS_PREDICATE,
    CLASS_OPAQUE /* texture, sampler and surface references */
};

static inline uint32_t word_shape(uint32_t m, uint32_t n, uint32_t k)
{
    return 0x80000000u | m << 20 | n << 10 | k;
}

static inline bool word_is_shape(uint32_t word)
{
    return word >> 31;
}

static inline bool word_is_type(uint32_t word)
{
    return word >= WORD_FIRST_TYPE && word <= WORD_LAST_TYPE;
}

/* The index of the listed words; lives in the arena. */
void words_index(struct arena *arena, struct map *index);
/* The number of the word (without its dot); W_NONE when PTX has no such
 * word. */
uint32_t words_find(const struct map *index, const char *text, uint32_t size);

/* Spelling without the dot. Listed words only; a shape gives "shape". */
const char *word_text(uint32_t word);
enum word_class word_class(uint32_t word);
/* Register width of a type, 0 for other words. */
uint32_t word_bits(uint32_t word);

#endif
