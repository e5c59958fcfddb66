/* SPDX-License-Identifier: Apache-2.0
 *
 * finding.h - what a run found wrong, as data.
 *
 * Findings that agree in category, kind and instructions are folded and
 * counted; the first one in execution order gives the example. */
#ifndef SIMTLAB_EMU_FINDING_H
#define SIMTLAB_EMU_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "ir/ir.h"

enum finding_category {
    FINDING_MEMORY, FINDING_INIT, FINDING_RACE, FINDING_SYNC,
    FINDING_TIMEOUT, FINDING_TRAP, FINDING_ASSERT,
};
/* "memory", "init", ... as in the JSON report. */
extern const char *const finding_category_names[];

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_ERROR };
extern const char *const finding_severity_names[];

enum finding_access { FINDING_NO_ACCESS, FINDING_READ, FINDING_WRITE, FINDING_ATOMIC };
extern const char *const finding_access_names[];

/* One party to a finding. */
struct finding_place {
    const struct ir_module *module;
    const struct ir_function *function; /* NULL: no place in code */
    uint32_t inst;                      /* index in function->insts */
    uint32_t block[3], thread[3];
    bool has_thread;
    enum finding_access access;
};

enum { FINDING_PLACES = 4 };

struct finding {
    enum finding_category category;
    const char *kind; /* a fixed word: "out-of-bounds", "misaligned", ... */
    enum finding_severity severity;
    const char *message; /* one sentence for people */
    uint64_t count;
    enum ir_space space; /* of address */
    bool has_address;
    uint64_t address, size;
    struct finding_place where[FINDING_PLACES];
    uint32_t where_count;
    uint64_t digest; /* of what those folded into it looked at, for whom that matters */
};

struct findings {
    struct arena *arena;
    struct finding *items;
    uint32_t count, capacity;
    uint32_t limit;   /* distinct findings kept; 0: 1000 */
    uint64_t dropped; /* distinct findings beyond the limit */
};

/* Adds or folds. finding->kind must be a literal; message is formatted only
 * when the finding is new. Returns the stored finding, or NULL when dropped. */
struct finding *findings_add(struct findings *findings, const struct finding *finding,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Folds without needing the message: counts one more, or returns NULL when the
 * finding is new. */
struct finding *findings_fold(struct findings *findings, const struct finding *finding);
/* The worst severity present; -1 when there is none. */
int findings_worst(const struct findings *findings);

#endif
