/* SPDX-License-Identifier: Apache-2.0
 *
 * likeness.h - which name was meant by one that is misspelt. */
#ifndef SIMTLAB_BASE_LIKENESS_H
#define SIMTLAB_BASE_LIKENESS_H

#include <stdbool.h>

/* How many letters are to be added, left out or changed to make one of the other, as far
 * as 64 letters go; a large letter is as good as a small one. */
unsigned likeness_distance(const char *a, const char *b);
/* May the name be meant by the misspelt one? One letter in three may be wrong. */
bool likeness_may_mean(const char *misspelt, const char *name);

#endif
