/* SPDX-License-Identifier: Apache-2.0
 *
 * diag.h - places in source text, and what is wrong there, as data.
 *
 * Readers collect every error of a file before giving up; printing is a
 * separate step and looks like a C compiler's:
 *
 *     vadd.ptx:14:9: error: operand 2 of add.u32 is f32
 *        14 |     add.u32 %r1, %r2, 0f3F800000;
 *           |                       ^
 */
#ifndef SIMTLAB_BASE_DIAG_H
#define SIMTLAB_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/text.h"

/* line and column count from 1; line 0 means "no place". */
struct loc {
    uint32_t line, column;
};

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

struct diag {
    enum severity severity;
    struct loc at;
    const char *text; /* one sentence, no newline */
};

/* One source file and what was found in it. */
struct diags {
    struct arena *arena;
    const char *name; /* file name as shown */
    const char *source;
    size_t source_size;
    struct diag *items;
    uint32_t count, capacity;
    uint32_t errors;
    uint32_t limit; /* errors kept; more are only counted. 0: 100 */
};

/* For functions that take a format themselves. */
void diag_add(struct diags *diags, enum severity severity, struct loc at, const char *format,
              va_list args);
void diag_error(struct diags *diags, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_warning(struct diags *diags, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(struct diags *diags, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All of them in order of place, each with its line and a caret. */
void diag_print(struct text *out, const struct diags *diags);
/* The quoted line and caret alone; nothing when the place is not in source. */
void diag_quote(struct text *out, const char *source, size_t source_size,
                struct loc at);

#endif
