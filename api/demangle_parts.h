/* SPDX-License-Identifier: Apache-2.0
 *
 * demangle_parts.h - what the parts of the demangler share.
 *
 * Each parsing function carries its grammar from the Itanium C++ ABI, "Mangling"; each
 * returns the demangled text, in the arena, or NULL for what is not understood.
 *
 * A function or array type is written around what it is applied to, as in int (*)(float).
 * The text of such a type has a HOLE where that goes; shown() closes it. A template parameter
 * stays one until its encoding has been read: a substitution of T_ means what T_ means where
 * it is used. */
#ifndef SIMTLAB_API_DEMANGLE_PARTS_H
#define SIMTLAB_API_DEMANGLE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

enum { NAME_LIMIT = 16384, DEPTH_LIMIT = 128, LIST_LIMIT = 512 };

#define HOLE '\1'
#define PARAMETER "\2"   /* a template parameter: its number and END follow */
#define PACK_SIZE "\3"   /* how many elements a pack has: likewise */
#define END "\4"
#define PATTERN "\5"     /* of a pack expansion, up to PATTERN_END */
#define PATTERN_END "\6"
#define SEPARATOR "\7"   /* of a list, in which expansions can leave nothing */

struct list {
    const char **items;
    uint32_t count, capacity;
};

/* A template's arguments: what T_, T0_, ... mean. A pack is one of them. */
struct template_argument {
    const char *text;
    bool pack;
    const struct list *elements; /* of a pack */
};

struct template_list {
    struct template_argument *items;
    uint32_t count, capacity;
};

/* The name of an encoding. */
struct name_parts {
    const char *plain, *base;
    bool templated;
    bool plain_function; /* a constructor, destructor or conversion: no return type */
    bool constant;       /* a const member function */
    const struct template_list *arguments; /* what its template parameters mean */
};

struct reader {
    struct arena *arena;
    const char *at;
    unsigned depth;
    size_t made;                  /* bytes of text, all together */
    struct list *substitutions;   /* S_, S0_, ... */
    struct template_list *arguments; /* of the encoding that is being read */
};

/* demangle.c */
bool take(struct reader *r, const char *prefix);
const char *join(struct reader *r, const char *a, const char *b, const char *c);
const char *remember(struct reader *r, struct list *list, const char *text);
/* [<number>] _ in a radix up to 36; "_" alone is 0, else one more than its value. */
bool read_number(struct reader *r, unsigned radix, unsigned *number);
/* The number behind a mark, up to END; *at is behind that then. */
unsigned marked_number(const char **at);
/* <encoding>. As c++filt has it, the function around a local name has no return type, and
 * one that is taken the address of, in a namespace, not even parameters. */
enum encoding_use { ENCODING_WHOLE, ENCODING_AROUND, ENCODING_ADDRESS };
const char *encoding(struct reader *r, enum encoding_use use);

/* demangle_name.c */
struct list *list_new(struct reader *r);
/* <name>; parts is NULL for that of a type. */
const char *name(struct reader *r, struct name_parts *parts);
const char *source_name(struct reader *r);
const char *substitution(struct reader *r);
/* T [<number>] _   as a PARAMETER or its PACK_SIZE */
const char *template_parameter(struct reader *r, const char *as);
/* The pattern of a pack expansion. */
const char *pattern(struct reader *r, const char *text);
/* I <arguments> E   record: they are what T_ refers to from here on. */
const char *template_arguments(struct reader *r, bool record);
/* The types of parameters, into the list too. */
const char *parameters(struct reader *r, struct list *list);

/* demangle_type.c */
/* <type> */
const char *type(struct reader *r);
/* The type by itself: without its hole. */
const char *shown(struct reader *r, const char *text);
/* The type with a mark (*, &, " const") put to it: behind, or where its hole is. */
const char *wrap(struct reader *r, const char *of, const char *mark);
/* How a parameter of that type travels in a C call: see api/demangle.h. */
char type_letter(const char *written);

/* demangle_expression.c */
/* <expression> */
const char *expression(struct reader *r);
/* <expr-primary>, behind its L */
const char *literal(struct reader *r);
/* <operator-name>: "operator+"; cast: it was a conversion. */
const char *operator_name(struct reader *r, bool *cast);

#endif
