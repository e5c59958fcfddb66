/* SPDX-License-Identifier: Apache-2.0
 *
 * suppress.h - findings that a project knows and accepts, with reason and expiry.
 *
 * One suppression a line:
 *
 *     CATEGORY/KIND  KERNEL  PLACE  [until YYYY-MM-DD]  # REASON
 *
 * All three are patterns (* and ?). KERNEL is the mangled or demangled name; PLACE
 * is FILE:LINE of one of the finding's places, in the source or in the kernel text,
 * the file with or without its folders, or just *. A reason is asked for. Empty
 * lines and lines that begin with # count for nothing. */
#ifndef SIMTLAB_API_SUPPRESS_H
#define SIMTLAB_API_SUPPRESS_H

#include "api/report.h"

struct suppression {
    const char *finding, *kernel, *place, *reason;
    uint32_t until; /* YYYYMMDD, the last day on which it counts; 0: for ever */
    uint32_t line;
    bool used;
};

struct suppressions {
    const char *file;
    struct suppression *items;
    uint32_t count, capacity;
};

/* Reads the text of a file; it must outlive the arena. False with one line for each
 * mistake in error. */
bool suppressions_read(struct arena *arena, const char *file, char *text,
                       struct suppressions *out, struct text *error);
/* Marks the findings that match. Those past their day match no more; `notes` gets a
 * line for each that would have, and for each that matched nothing. today: YYYYMMDD. */
void suppressions_apply(struct suppressions *suppressions, struct sl_report *report,
                        uint32_t today, struct text *notes);
/* Today, or the day of SOURCE_DATE_EPOCH when that is set, in UTC. */
uint32_t suppressions_today(void);

#endif
