/* SPDX-License-Identifier: Apache-2.0
 *
 * likeness.c - the distance of two names by Levenshtein, one row at a time. */
#include "base/likeness.h"

#include <string.h>

enum { LONGEST = 64 };

static size_t length_of(const char *name)
{
    size_t length = strlen(name);

    return length < LONGEST ? length : LONGEST;
}

unsigned likeness_distance(const char *a, const char *b)
{
    size_t m = length_of(a), n = length_of(b);
    unsigned row[LONGEST + 1];

    for (size_t k = 0; k <= n; k++)
        row[k] = (unsigned)k;
    for (size_t i = 1; i <= m; i++) {
        unsigned corner = row[0];
        row[0] = (unsigned)i;
        for (size_t k = 1; k <= n; k++) {
            unsigned changed = corner + ((a[i - 1] | 0x20) != (b[k - 1] | 0x20));
            corner = row[k];
            unsigned added = (row[k] < row[k - 1] ? row[k] : row[k - 1]) + 1;
            row[k] = added < changed ? added : changed;
        }
    }
    return row[n];
}

bool likeness_may_mean(const char *misspelt, const char *name)
{
    return likeness_distance(name, misspelt) <= (strlen(misspelt) + 1) / 3;
}
