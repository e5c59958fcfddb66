/* SPDX-License-Identifier: Apache-2.0
 *
 * signature.c - reading `.entry NAME ( .param ... )` from PTX text.
 *
 *     entry     = ".entry" NAME [ "(" parameter { "," parameter } ")" ]
 *     parameter = ".param" { ".align" N | ".ptr" [SPACE] } TYPE NAME [ "[" N "]" ]
 *
 * where the attributes may stand on either side of the type. */
#include "gpu/signature.h"

#include <string.h>

struct reader {
    const char *at, *end;
    const char *word; /* the current token; size 0 at the end of the text */
    size_t size;
};

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '$' || c == '%';
}

static void skip_past(struct reader *r, const char *mark)
{
    size_t length = strlen(mark);

    while ((size_t)(r->end - r->at) >= length && memcmp(r->at, mark, length))
        r->at++;
    r->at = (size_t)(r->end - r->at) >= length ? r->at + length : r->end;
}

/* A directive, a name or number, a string, or one other character. */
static void next(struct reader *r)
{
    for (;;) {
        while (r->at < r->end && strchr(" \t\r\n", *r->at))
            r->at++;
        if (r->end - r->at < 2 || r->at[0] != '/')
            break;
        if (r->at[1] == '/')
            skip_past(r, "\n");
        else if (r->at[1] == '*')
            r->at += 2, skip_past(r, "*/");
        else
            break;
    }
    r->word = r->at;
    if (r->at < r->end && *r->at == '"') {
        r->at++;
        skip_past(r, "\"");
    } else if (r->at < r->end) {
        bool word = *r->at == '.' || is_word(*r->at);
        r->at++;
        while (word && r->at < r->end && is_word(*r->at))
            r->at++;
    }
    r->size = (size_t)(r->at - r->word);
}

static bool is(const struct reader *r, const char *word)
{
    return r->size == strlen(word) && !memcmp(r->word, word, r->size);
}

static bool accept(struct reader *r, const char *word)
{
    if (!is(r, word))
        return false;
    next(r);
    return true;
}

static bool read_number(struct reader *r, uint32_t *value)
{
    uint64_t bits;

    if (element_parse(ELEMENT_U32, r->word, r->size, &bits))
        return false;
    *value = (uint32_t)bits;
    next(r);
    return true;
}

static bool read_type(const struct reader *r, enum element *element)
{
    char name[8] = {0};

    if (r->size < 3 || r->size > sizeof name || r->word[0] != '.')
        return false;
    memcpy(name, r->word + 1, r->size - 1);
    if (name[0] == 'b' && name[1] != 'f')
        name[0] = 'u';
    return element_find(name, r->size - 1, element);
}

static const char *read_parameter(struct arena *arena, struct reader *r,
                                  struct parameter *parameter)
{
    bool typed = false;

    if (!accept(r, ".param"))
        return "a kernel parameter does not begin with .param";
    while (r->size && r->word[0] == '.') {
        if (accept(r, ".align")) {
            if (!read_number(r, &parameter->alignment))
                return ".align needs a number";
        } else if (accept(r, ".ptr") || accept(r, ".global") || accept(r, ".shared") ||
                   accept(r, ".const") || accept(r, ".local")) {
            continue;
        } else if (read_type(r, &parameter->element)) {
            typed = true;
            next(r);
        } else {
            return arena_printf(arena, "parameters with %.*s are not supported",
                                (int)(r->size < 40 ? r->size : 40), r->word);
        }
    }
    if (!typed)
        return "a kernel parameter has no type";
    parameter->size = element_size(parameter->element);
    next(r); /* its name */
    if (accept(r, "[")) {
        uint32_t count;
        if (!read_number(r, &count) || !accept(r, "]") || count > 32764)
            return "a kernel parameter's array bound cannot be read";
        parameter->size *= count;
        parameter->is_bytes = true;
    }
    return NULL;
}

static const char *read_parameters(struct arena *arena, struct reader *r,
                                   struct signature *signature)
{
    if (!accept(r, "(") || accept(r, ")"))
        return NULL;
    do {
        const char *wrong = read_parameter(arena, r, ARENA_PUSH(arena, signature));
        if (wrong)
            return wrong;
    } while (accept(r, ","));
    return is(r, ")") ? NULL : "a kernel's parameter list is not closed";
}

/* --- names --------------------------------------------------------------------------- */

/* The kernels of the file, each once. */
struct entries {
    const char **items;
    uint32_t count, capacity;
};

static struct entries find_entries(struct arena *arena, const char *ptx, size_t size)
{
    struct reader r = {.at = ptx, .end = ptx + size};
    struct entries entries = {0};

    for (next(&r); r.size; next(&r)) {
        bool there = false;
        if (!is(&r, ".entry"))
            continue;
        next(&r);
        for (uint32_t i = 0; i < entries.count && !there; i++)
            there = is(&r, entries.items[i]);
        if (!there)
            *ARENA_PUSH(arena, &entries) = arena_copy(arena, r.word, r.size);
    }
    return entries;
}

/* Whether a mangled name is that of `base`: _Z4baseIfEvPT_, _ZN2ns4baseEPf. */
static bool has_base(const char *mangled, const char *base)
{
    const char *at = mangled + 2, *last = NULL;
    size_t size = 0;

    if (strncmp(mangled, "_Z", 2))
        return false;
    for (at += *at == 'N'; *at >= '0' && *at <= '9'; at = last + size) {
        size = 0;
        while (*at >= '0' && *at <= '9' && size < 10000)
            size = size * 10 + (size_t)(*at++ - '0');
        if (size > strlen(at))
            return false;
        last = at;
    }
    return last && size == strlen(base) && !strncmp(last, base, size);
}

/* The kernel that is meant: by its whole name, or by its base name when one only has it.
 * NULL with one sentence in *wrong. */
static const char *choose(struct arena *arena, const struct entries *entries, const char *name,
                          const char **wrong)
{
    enum { SHOWN = 8 };
    const char *found = NULL, *list = "";
    uint32_t fit = 0;

    for (uint32_t i = 0; i < entries->count; i++) {
        const char *entry = entries->items[i];
        if (name && !strcmp(entry, name))
            return entry;
        if (!name || has_base(entry, name)) {
            found = entry;
            fit++;
        }
        if (i < SHOWN)
            list = arena_printf(arena, "%s%s%s", list, i ? ", " : "", entry);
    }
    if (fit == 1)
        return found;
    if (!entries->count)
        *wrong = "there is no kernel in the file";
    else if (!name)
        *wrong = arena_printf(arena, "the file has %u kernels, say which: %s%s", entries->count,
                              list, entries->count > SHOWN ? ", ..." : "");
    else
        *wrong = arena_printf(arena, "%s %s in the file; it has %s%s",
                              fit ? "several kernels are called" : "there is no kernel", name,
                              list, entries->count > SHOWN ? ", ..." : "");
    return NULL;
}

const char *signature_read(struct arena *arena, const char *ptx, size_t size,
                           const char *name, struct signature *signature)
{
    struct reader r = {.at = ptx, .end = ptx + size};
    struct entries entries = find_entries(arena, ptx, size);
    const char *wrong = NULL, *kernel = choose(arena, &entries, name, &wrong);

    *signature = (struct signature){0};
    if (!kernel)
        return wrong;
    for (next(&r); r.size; next(&r)) {
        if (!is(&r, ".entry"))
            continue;
        next(&r);
        if (!is(&r, kernel))
            continue;
        /* An earlier declaration of the same kernel has the same list. */
        *signature = (struct signature){.kernel = kernel};
        next(&r);
        wrong = read_parameters(arena, &r, signature);
        if (wrong)
            return wrong;
    }
    return NULL;
}
