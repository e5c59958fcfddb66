/* SPDX-License-Identifier: Apache-2.0
 *
 * scan.h - words, names and numbers of .kir text, one line at a time. */
#ifndef SIMTLAB_IR_SCAN_H
#define SIMTLAB_IR_SCAN_H

#include <setjmp.h>

#include "base/arena.h"
#include "base/diag.h"

struct ir_scanner {
    const char *text;
    size_t size, at, line_start;
    uint32_t line;
    struct arena *scratch; /* decoded names */
    struct diags *diags;
    jmp_buf recover; /* where ir_scan_fail goes: the reader of statements */
};

/* A name as written, decoded, with what is looked up: names that differ only in
 * their tag differ in their key. */
struct ir_scan_name {
    struct loc at;
    const char *text, *key; /* text is zero-terminated */
    size_t key_size;
    bool empty;
};

/* A run of letters, digits and _ . */
struct ir_scan_word {
    const char *text;
    size_t size;
};

struct loc ir_scan_place(const struct ir_scanner *s);
/* Reports an error and leaves the statement. */
_Noreturn void ir_scan_fail(struct ir_scanner *s, struct loc at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Moves to the next line that says something; false at the end of the text. */
bool ir_scan_next_statement(struct ir_scanner *s);
/* The statement must end here. */
void ir_scan_end_statement(struct ir_scanner *s);
void ir_scan_skip_line(struct ir_scanner *s);
/* Is the last thing on this line, comments aside, an opening brace? */
bool ir_scan_opens(const struct ir_scanner *s);

/* The next character after blanks, or 0 at the end of the line. */
char ir_scan_peek(struct ir_scanner *s);
bool ir_scan_accept(struct ir_scanner *s, char c);
void ir_scan_expect(struct ir_scanner *s, char c);

struct ir_scan_word ir_scan_read_word(struct ir_scanner *s);
bool ir_scan_word_is(struct ir_scan_word word, const char *text);
/* Reads the word when it stands next. */
bool ir_scan_accept_word(struct ir_scanner *s, const char *text);

/* NAME, after its sigil. */
struct ir_scan_name ir_scan_read_name(struct ir_scanner *s);
/* A quoted string, zero-terminated, in the scratch arena. */
const char *ir_scan_read_string(struct ir_scanner *s);
/* Decimal or 0x; 0f and 0d with the bits of a float. A minus sign gives the
 * two's complement in 64 bits. */
uint64_t ir_scan_read_number(struct ir_scanner *s);
/* At most limit. */
uint64_t ir_scan_read_limited(struct ir_scanner *s, uint64_t limit);

#endif
