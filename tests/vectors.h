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

#include <stdint.h>

#include "base/arena.h"

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

/* The number in width bytes, least significant first. */
uint64_t vector_word(const unsigned char *bytes, int width);

#endif
