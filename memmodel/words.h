/* SPDX-License-Identifier: Apache-2.0
 *
 * words.h - executions, cycles and races in words a student can follow. */
#ifndef SIMTLAB_MEMMODEL_WORDS_H
#define SIMTLAB_MEMMODEL_WORDS_H

#include "memmodel/analysis.h"
#include "memmodel/cycle.h"

/* "P1 line 9: ld.relaxed.gpu r0, flag". All texts live in the arena. */
const char *event_place(struct arena *arena, const struct candidate *c, uint32_t event);
/* The same and its effect: "... reads 1". */
const char *event_words(struct arena *arena, const struct candidate *c,
                        const struct execution *x, uint32_t event);
/* "R x=1", for pictures. */
const char *event_short(struct arena *arena, const struct candidate *c,
                        const struct execution *x, uint32_t event);
const char *state_words(struct arena *arena, const struct analysis *a,
                        const int64_t *values);
/* The cycle that breaks axiom number n of the model. */
void axiom_cycle(const struct candidate *c, const struct execution *x, uint32_t n,
                 struct cycle *cycle);
void write_cycle(struct text *out, struct arena *arena, const struct candidate *c,
                 const struct execution *x, const struct cycle *cycle,
                 const char *indent);
/* Events in program order with values and sources. */
void write_execution(struct text *out, struct arena *arena,
                     const struct candidate *c, const struct execution *x,
                     const char *indent);
/* The clauses of moral strength that a pair of accesses fails. */
const char *why_not_morally_strong(struct arena *arena, const struct candidate *c,
                                   uint32_t a, uint32_t b);
/* Is there a relation of that name? names gets " po ms ...": those there are. */
bool relation_is_known(const char *name, struct text *names);
/* A table of pairs for one relation, by such a name. */
void write_relation(struct text *out, struct arena *arena, const struct candidate *c,
                    const struct execution *x, const char *name);

#endif
