/* SPDX-License-Identifier: Apache-2.0
 *
 * many.h - a litmus test as a program that runs very many instances at once.
 *
 * The program is PTX with three entries, all with the parameters of struct
 * many_parameters in its order:
 *
 *     litmus_start   gives count instances their initial values; a thread each
 *     litmus         runs the threads of `groups` groups of instances, from
 *                    instance `first` on
 *     litmus_final   sorts the final states into the table; a thread each
 *
 * Where the threads of an instance are placed is fixed in the program; which
 * instance they play, when they start, how its variables lie in memory and how much
 * other traffic there is, is up to the parameters. Loops are bounded. */
#ifndef SIMTLAB_MEMMODEL_MANY_H
#define SIMTLAB_MEMMODEL_MANY_H

#include "memmodel/analysis.h"

/* Where the threads of an instance are: as the test says, or moved. */
enum many_place { PLACE_OWN, PLACE_WARP, PLACE_BLOCK, PLACE_CLUSTER, PLACE_GPU, PLACE_COUNT };

/* For reports: "same warp". For recordings: "warp". */
const char *many_place_words(enum many_place place);
const char *many_place_name(enum many_place place);

/* The test with its threads there; NULL when it says nothing new (the test
 * has barriers or shared memory of its blocks, or is placed like that already). */
const struct test *many_placed(struct arena *arena, const struct test *test,
                               enum many_place place);

enum {
    MANY_THREADS = 256,      /* of a block of litmus_start and litmus_final */
    MANY_SLOTS = 1024,       /* of the table */
    MANY_TABLE_HEAD = 2,     /* words before them: instances that did not end; that
                              * found no slot */
    MANY_SLOT_HEAD = 2       /* words of a slot before its values: hash, instances */
};

/* Bits of flags. */
enum {
    MANY_FAR = 1,     /* the blocks of an instance are `groups` apart, not adjacent */
    MANY_MEET = 2,    /* the threads of an instance wait for each other, a while */
    MANY_LONELY = 4   /* each thread has its own delay, not each warp */
};

struct many_parameters {
    uint64_t memory;          /* count instances of the variables */
    uint64_t results;         /* count times result_words 64-bit words */
    uint64_t meet;            /* count 64-bit words */
    uint64_t table;           /* see MANY_SLOTS */
    uint64_t scratch;         /* scratch_words 32-bit words, a power of two */
    uint64_t location_stride; /* bytes from one variable to the next */
    uint32_t instance_stride; /* bytes from one instance to the next */
    uint32_t count, first, groups, seed, flags;
    uint32_t delay;           /* clock cycles, a power of two less one */
    uint32_t scratch_words, work; /* accesses of a thread that only makes traffic */
};
enum { MANY_PARAMETERS = 15 };

struct many_program {
    struct text ptx;
    uint64_t hash;            /* of the text */
    uint32_t locations, location_bytes; /* bytes: of the largest, rounded up to 16 */
    uint32_t result_words;    /* of an instance; the values of a slot as well */
    uint32_t blocks, threads; /* blocks of a group; threads of each */
    uint32_t instances;       /* of a group */
    bool can_be_far;
};

/* Why no program can be made, or NULL. */
const char *many_refused(const struct analysis *a);
/* The same. a is the analysis of the placed test. The caller frees program->ptx
 * either way. */
const char *many_write(struct arena *arena, const struct analysis *a,
                       struct many_program *program);

#endif
