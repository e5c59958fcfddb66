/* SPDX-License-Identifier: Apache-2.0
 *
 * vectors.h - the recorded instructions of tests/data, one by one.
 *
 * golden.idx and golden.bin.zst hold what an H200 (sm_90) computed for 1242 PTX
 * instruction variants on 2048 operand vectors each. The index, line by line:
 *   IN SIG N              2048 x N operand words of 8 bytes, operand by operand,
 *                         for all later OP lines with that signature
 *   OP SIG>TYPE NAME W    2048 results of W bytes; NAME is the PTX mnemonic,
 *                         with an immediate after | */
#ifndef SIMTLAB_TESTS_VECTORS_H
#define SIMTLAB_TESTS_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

enum { VECTORS = 2048, VECTOR_COUNT = 1242 };

struct vectors {
    char signature[64]; /* the types of the sources, between commas */
    char result[64];    /* the type of the result */
    char name[64];      /* the instruction */
    int sources;
    const unsigned char *words;    /* 8 bytes each, source by source */
    const unsigned char *recorded; /* the results */
    int width;                     /* bytes of one result */
};

/* All VECTOR_COUNT of them, in the arena; fails the test when the files are not
 * as described. */
struct vectors *vectors_read(struct arena *arena);

/* The same from what the files hold, kept by the caller; the index is cut up. NULL:
 * not as described. */
struct vectors *vectors_parse(struct arena *arena, char *index, const unsigned char *words,
                              size_t size);

/* The number in width bytes, least significant first. */
uint64_t vector_word(const unsigned char *bytes, int width);

/* --- kernels that compute them -------------------------------------------------------- */

/* The instruction stands three times in a kernel: by itself, under a guard, and where
 * lanes have branched away. The guard and the branch let the lanes of one mask through;
 * the others keep the number below (false, for predicates). */
enum { VECTOR_FORMS = 3, VECTOR_TURNS = 4 };
#define VECTOR_UNTOUCHED UINT64_C(0x5aa55aa55aa55aa5)

/* The text of kernel `name`(in, out, turn): one thread for each vector, from 8-byte
 * words, source by source, to 8-byte words, form by form. Warps have all lanes, some,
 * every second one and a single one in turn; turn 0 to VECTOR_TURNS - 1 says which
 * warp begins, so that every vector meets every mask in as many launches. forms: bit i
 * for form i; a compiler makes one instruction of several. */
void vector_kernel(struct text *out, const struct vectors *vectors, const char *name,
                   unsigned forms);

/* The lane of vector i computes it. */
bool vector_active(int i, int form, unsigned turn);

/* Word i of a form is what was recorded, or untouched; what it is and has to be. */
bool vector_right(const struct vectors *vectors, const unsigned char *out, int i, int form,
                  unsigned turn, uint64_t *got, uint64_t *due);

#endif
