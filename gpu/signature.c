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

const char *signature_read(struct arena *arena, const char *ptx, size_t size,
                           const char *name, struct signature *signature)
{
    struct reader r = {.at = ptx, .end = ptx + size};
    uint32_t entries = 0;

    *signature = (struct signature){0};
    for (next(&r); r.size; next(&r)) {
        if (!is(&r, ".entry"))
            continue;
        next(&r);
        entries++;
        if (name ? !is(&r, name) : entries > 1)
            continue;
        /* An earlier declaration of the same kernel has the same list. */
        *signature = (struct signature){.kernel = arena_copy(arena, r.word, r.size)};
        next(&r);
        const char *wrong = read_parameters(arena, &r, signature);
        if (wrong)
            return wrong;
    }
    if (!name && entries > 1)
        return arena_printf(arena, "the file has %u kernels: say which", entries);
    if (!signature->kernel)
        return name ? arena_printf(arena, "there is no kernel %s in the file", name)
                    : "there is no kernel in the file";
    return NULL;
}
