/* SPDX-License-Identifier: Apache-2.0
 *
 * known.h - differences that are known, each with its reason.
 *
 *     # comment
 *     known NAME           the case differs; when it passes, that is a failure
 *     skip NAME            the case is not run
 *     partly NAME          it must agree apart from what `ignore` names
 *     ignore N RANGES      of the entry above: elements of argument N, as 3 or 5-9
 *     ignore printed       the text that it prints
 *     because TEXT         of the entry above; every entry needs one
 *
 * A NAME that ends in * stands for all cases that begin so. The first entry that
 * fits a case counts. */
#ifndef SIMTLAB_CONFORMANCE_KNOWN_H
#define SIMTLAB_CONFORMANCE_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum known_kind { KNOWN_DIFFERENT, KNOWN_SKIP, KNOWN_PARTLY };

struct known_range {
    bool printed;
    uint32_t argument;
    uint64_t first, last;
};

struct known_entry {
    enum known_kind kind;
    struct loc at;
    const char *name, *because;
    bool prefix;
    bool used;
    struct known_range *items;
    uint32_t count, capacity;
};

struct known_list {
    const char *file;
    struct known_entry *items;
    uint32_t count, capacity;
};

/* Reads the text in diags; all of it is in the arena of diags. False when diags
 * has errors. */
bool known_read(struct diags *diags, struct known_list *list);
/* NULL when no entry fits; marks the entry used. */
const struct known_entry *known_find(struct known_list *list, const char *name);
/* Whether this element of this argument is left out; entry may be NULL. */
bool known_ignores(const struct known_entry *entry, uint32_t argument, uint64_t element);
bool known_ignores_text(const struct known_entry *entry);

#endif
