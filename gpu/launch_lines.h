/* SPDX-License-Identifier: Apache-2.0
 *
 * launch_lines.h - the lines that describe a launch, in job files and
 * recordings alike.
 *
 *     ptx FILE            kernel NAME         grid X [Y [Z]]
 *     block X [Y [Z]]     cluster X [Y [Z]]   shared BYTES
 *     cooperative         stack BYTES         heap BYTES
 *     printf BYTES        arg TEXT            texref NAME TEXTURE
 *     then                what follows is a further launch of the job */
#ifndef SIMTLAB_GPU_LAUNCH_LINES_H
#define SIMTLAB_GPU_LAUNCH_LINES_H

#include "gpu/recording.h"

/* One line of text, cut into its first word and the rest. */
struct line {
    struct loc at;
    const char *key; /* not terminated, as all here */
    size_t key_size;
    const char *value;
    size_t value_size;
    struct loc value_at;
};

struct lines {
    const char *at, *end;
    uint32_t number; /* of the line that comes next, from 1 */
};

/* The next line that is neither blank nor a `#` comment; false at the end. */
bool line_next(struct lines *lines, struct line *line);
bool line_is(const struct line *line, const char *key);
/* A non-negative integer, alone on the rest of the line. */
bool line_number(const struct line *line, uint64_t *value);
/* The value cut at blanks into at most limit words; the number of words, or
 * limit + 1 when there are more. */
uint32_t line_words(const struct line *line, uint32_t limit, const char **words,
                    size_t *sizes);

/* Takes the lines of a job's launches, one after the other. */
struct launch_reader {
    struct recording_launch *first, *launch; /* of the job; the one being read */
    uint32_t capacity;                       /* of its arguments */
};

struct launch_reader launch_reader_begin(struct recording_launch *first);
/* Takes the line when it is one of those above. Returns false when it is none; a
 * malformed one is reported in diags. What grows does so in the arena of diags. */
bool launch_line_read(struct diags *diags, const struct line *line,
                      struct launch_reader *reader);
/* All arguments of a job, those of its later launches included. */
uint32_t launch_argument_count(const struct recording_launch *first);
/* `&N`: the buffer of argument N of the job. True with *number, UINT32_MAX when
 * it is no argument before `before`. */
bool launch_same_buffer(const char *text, uint32_t before, uint32_t *number);
/* All launches of the job. */
void launch_lines_write(struct text *out, const struct recording_launch *first);

#endif
