/* SPDX-License-Identifier: Apache-2.0
 *
 * relation.c - the operations on relations that are too long to inline. */
#include "memmodel/relation.h"

void relation_add(struct relation *to, const struct relation *from)
{
    for (uint32_t i = 0; i < MAX_EVENTS; i++)
        to->row[i] |= from->row[i];
}

struct relation relation_compose(const struct relation *first,
                                 const struct relation *second)
{
    struct relation result = {{0}};

    for (uint32_t a = 0; a < MAX_EVENTS; a++)
        for (FOR_EACH(b, first->row[a]))
            result.row[a] |= second->row[b];
    return result;
}

struct relation relation_and(const struct relation *a, const struct relation *b)
{
    struct relation result;

    for (uint32_t i = 0; i < MAX_EVENTS; i++)
        result.row[i] = a->row[i] & b->row[i];
    return result;
}

struct relation relation_inverse(const struct relation *r)
{
    struct relation result = {{0}};

    for (uint32_t a = 0; a < MAX_EVENTS; a++)
        for (FOR_EACH(b, r->row[a]))
            relate(&result, b, a);
    return result;
}

struct relation relation_between(const struct relation *r, event_set from,
                                 event_set to)
{
    struct relation result = {{0}};

    for (FOR_EACH(a, from))
        result.row[a] = r->row[a] & to;
    return result;
}

void relation_close(struct relation *r, uint32_t count)
{
    for (uint32_t middle = 0; middle < count; middle++) {
        event_set beyond = r->row[middle];
        if (!beyond)
            continue;
        for (uint32_t a = 0; a < count; a++)
            if (set_has(r->row[a], middle))
                r->row[a] |= beyond;
    }
}

void relation_close_pair(struct relation *r, uint32_t count, uint32_t a,
                         uint32_t b)
{
    event_set beyond = r->row[b] | set_of(b);

    if ((r->row[a] & beyond) == beyond)
        return;
    for (uint32_t from = 0; from < count; from++)
        if (from == a || set_has(r->row[from], a))
            r->row[from] |= beyond;
}

bool relation_irreflexive(const struct relation *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (set_has(r->row[i], i))
            return false;
    return true;
}

/* Takes away events that lead to none of those left, until none is left. */
bool relation_acyclic(const struct relation *r, uint32_t count)
{
    event_set left = 0;

    for (uint32_t i = 0; i < count; i++)
        if (r->row[i])
            left |= set_of(i);
    while (left) {
        event_set before = left;
        for (FOR_EACH(i, before))
            if (!(r->row[i] & left))
                left &= ~set_of((uint32_t)i);
        if (left == before)
            return false;
    }
    return true;
}

uint32_t relation_count(const struct relation *r, uint32_t count)
{
    uint32_t pairs = 0;

    for (uint32_t i = 0; i < count; i++)
        pairs += set_count(r->row[i]);
    return pairs;
}
