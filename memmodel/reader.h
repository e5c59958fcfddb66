/* SPDX-License-Identifier: Apache-2.0
 *
 * reader.h - what the two litmus file readers share: tokens and conditions.
 *
 * Private to the readers. A malformed file ends the reading at its first error
 * through reader_fail, which does not return. */
#ifndef SIMTLAB_MEMMODEL_READER_H
#define SIMTLAB_MEMMODEL_READER_H

#include <setjmp.h>

#include "memmodel/test.h"

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    const char *text; /* into the source */
    uint32_t size;
    struct loc at;
    uint64_t number;
};

struct reader {
    struct arena *arena;
    struct diags *diags;
    const char *source, *end, *next;
    uint32_t line;
    const char *line_start;
    struct token token;      /* the current one */
    const char *previous_end; /* end of the one before, for texts */
    struct test *test;
    uint32_t object_capacity;
    jmp_buf failed;
};

void reader_start(struct reader *r, struct arena *arena, struct diags *diags);
_Noreturn void reader_fail(struct reader *r, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void reader_advance(struct reader *r);
bool reader_is(const struct reader *r, const char *text);
/* Skips the token when it is text. */
bool reader_accept(struct reader *r, const char *text);
void reader_expect(struct reader *r, const char *text);
/* A word, copied. what names it in the error message. */
const char *reader_word(struct reader *r, const char *what);
/* An integer with an optional sign. */
int64_t reader_integer(struct reader *r, const char *what);
/* The source from start to the end of the last token, on one line. */
const char *reader_text(struct reader *r, const char *start);

/* --- the test being built ----------------------------------------------------- */

/* NO_REGISTER / UINT32_MAX when there is none. */
uint32_t find_location(const struct test *test, const char *name);
uint32_t find_register(const struct test_thread *thread, const char *name);
uint32_t find_thread(const struct test *test, uint32_t number);
uint32_t add_register(struct reader *r, struct test_thread *thread,
                      const char *name, uint32_t width);
/* A location with an object of its own. */
uint32_t add_location(struct reader *r, const char *name, struct loc at,
                      uint32_t size, uint32_t element);
struct instruction *add_instruction(struct reader *r, struct test_thread *thread,
                                    enum instruction_kind kind, struct loc at);
void set_initial(struct test_object *object, uint32_t offset, uint32_t size,
                 int64_t value);

/* [filter A] (exists | ~exists | forall) A, up to the end of the file. In the
 * Dat3M grammar unknown names stand for zero. */
void read_condition(struct reader *r);
/* locations [ ... ], if it is there. */
void read_shown(struct reader *r);

#endif
