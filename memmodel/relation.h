/* SPDX-License-Identifier: Apache-2.0
 *
 * relation.h - sets of events and binary relations over them.
 *
 * An execution of a litmus test has at most 64 events, so a set is one 64-bit
 * word and a relation is 64 of them: bit b of row[a] says "a is related to b".
 * Every derived relation and every axiom of the memory models is written in
 * these few operations. */
#ifndef SIMTLAB_MEMMODEL_RELATION_H
#define SIMTLAB_MEMMODEL_RELATION_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_EVENTS = 64 };

typedef uint64_t event_set;

struct relation {
    event_set row[MAX_EVENTS];
};

static inline event_set set_of(uint32_t event)
{
    return (event_set)1 << event;
}

static inline bool set_has(event_set set, uint32_t event)
{
    return set >> event & 1;
}

/* The lowest event of a set that is not empty. */
static inline uint32_t set_first(event_set set)
{
    return (uint32_t)__builtin_ctzll(set);
}

static inline uint32_t set_count(event_set set)
{
    return (uint32_t)__builtin_popcountll(set);
}

/* for (FOR_EACH(e, set)) visits the members in ascending order. */
#define FOR_EACH(e, set)                                                     \
    event_set e##_left = (set), e = 0;                                       \
    e##_left && (e = set_first(e##_left), true);                             \
    e##_left &= e##_left - 1

static inline bool relates(const struct relation *r, uint64_t a, uint64_t b)
{
    return r->row[a] >> b & 1;
}

static inline void relate(struct relation *r, uint64_t a, uint64_t b)
{
    r->row[a] |= (event_set)1 << b;
}

void relation_add(struct relation *to, const struct relation *from);
/* The pairs (a, c) with a first b and b second c for some b. */
struct relation relation_compose(const struct relation *first,
                                 const struct relation *second);
struct relation relation_and(const struct relation *a, const struct relation *b);
struct relation relation_inverse(const struct relation *r);
/* Only the pairs from a member of `from` to a member of `to`. */
struct relation relation_between(const struct relation *r, event_set from,
                                 event_set to);
/* Transitive closure in place, over the first count events. */
void relation_close(struct relation *r, uint32_t count);
/* Adds the pair a, b to a relation that is closed already, keeping it so. */
void relation_close_pair(struct relation *r, uint32_t count, uint32_t a,
                         uint32_t b);
/* True when no event of a *closed* relation reaches itself. */
bool relation_irreflexive(const struct relation *r, uint32_t count);
bool relation_acyclic(const struct relation *r, uint32_t count);
uint32_t relation_count(const struct relation *r, uint32_t count);

#endif
