/* SPDX-License-Identifier: Apache-2.0
 *
 * demangle.c - encodings: names with their types, and what their template parameters mean.
 * Recursive descent, written as c++filt writes it. Names that pile substitutions upon each
 * other are cut off by length, by depth and by all that was made. */
#include "config.h"

#include "api/demangle.h"

#include <string.h>

#include "api/demangle_parts.h"
#include "base/text.h"

enum { MADE_LIMIT = 1 << 22 };

bool take(struct reader *r, const char *prefix)
{
    size_t size = strlen(prefix);

    if (strncmp(r->at, prefix, size) != 0)
        return false;
    r->at += size;
    return true;
}

const char *join(struct reader *r, const char *a, const char *b, const char *c)
{
    if (!a || !b || !c)
        return NULL;
    size_t size = strlen(a) + strlen(b) + strlen(c);
    r->made += size;
    if (size > NAME_LIMIT || r->made > MADE_LIMIT)
        return NULL;
    return arena_printf(r->arena, "%s%s%s", a, b, c);
}

const char *remember(struct reader *r, struct list *list, const char *text)
{
    if (!text || list->count == LIST_LIMIT)
        return NULL;
    *ARENA_PUSH(r->arena, list) = text;
    return text;
}

/* [<number>] _ in a radix up to 36; "_" alone is 0, else one more than its value. */
bool read_number(struct reader *r, unsigned radix, unsigned *number)
{
    *number = 0;
    if (take(r, "_"))
        return true;
    for (; *r->at != '_'; r->at++) {
        unsigned digit = *r->at >= '0' && *r->at <= '9'   ? (unsigned)(*r->at - '0')
                         : *r->at >= 'A' && *r->at <= 'Z' ? (unsigned)(*r->at - 'A') + 10
                                                          : 99;
        if (digit >= radix || *number > LIST_LIMIT)
            return false;
        *number = *number * radix + digit;
    }
    r->at++;
    ++*number;
    return true;
}

/* The number behind a mark, up to END; *at is behind it then. */
unsigned marked_number(const char **at)
{
    unsigned number = 0;

    while (**at >= '0' && **at <= '9')
        number = number * 10 + (unsigned)(*(*at)++ - '0');
    ++*at;
    return number;
}

/* --- what template parameters mean ---------------------------------------------------------------- */

/* Where the pattern ends that begins before at. */
static const char *pattern_end(const char *at)
{
    for (unsigned depth = 1;; at++) {
        depth += *at == *PATTERN;
        depth -= *at == *PATTERN_END;
        if (!*at || !depth)
            return at;
    }
}

/* The pack that an expansion goes through; NULL: there is none. */
static const struct template_argument *pack_of(const struct template_list *arguments,
                                               const char *at)
{
    while ((at = strpbrk(at, PARAMETER PACK_SIZE))) {
        bool parameter = *at == *PARAMETER;
        at++;
        unsigned number = marked_number(&at);
        if (parameter && number < arguments->count && arguments->items[number].pack)
            return &arguments->items[number];
    }
    return NULL;
}

/* A parameter's value with the marks (*, &, " const") behind it: they go into the hole of a
 * function or array, and a reference to a reference collapses, & winning over &&. */
static const char *marked_value(struct reader *r, const char *value, const char **at)
{
    size_t marks = strspn(*at, "*&"), size = strlen(value);
    const char *mark = arena_copy(r->arena, *at, marks);

    *at += marks;
    if (strchr(value, HOLE))
        return marks ? shown(r, wrap(r, value, mark)) : shown(r, value);
    if (size && value[size - 1] == '&' && *mark == '&') {
        bool both = size > 1 && value[size - 2] == '&';
        value = both && mark[1] != '&' ? arena_copy(r->arena, value, size - 1) : value;
        mark += mark[1] == '&' ? 2 : 1;
    }
    return join(r, value, mark, "");
}

enum { ALL_ELEMENTS = LIST_LIMIT };

/* The text with the arguments for its parameters; of packs all elements or one. */
static const char *resolve(struct reader *r, const char *text,
                           const struct template_list *arguments, unsigned element)
{
    const char *result = "";

    if (++r->depth > DEPTH_LIMIT || !text)
        return NULL;
    while (result && *text) {
        size_t plain = strcspn(text, PARAMETER PACK_SIZE PATTERN);
        const char mark = text[plain], *piece = "";

        result = join(r, result, arena_copy(r->arena, text, plain), "");
        text += plain;
        if (!mark)
            break;
        text++;
        if (mark == *PATTERN) {
            const char *end = pattern_end(text);
            const char *of = arena_copy(r->arena, text, (size_t)(end - text));
            const struct template_argument *pack = pack_of(arguments, of);
            text = *end ? end + 1 : end;
            if (!pack)
                piece = join(r, "(", resolve(r, of, arguments, element), ")...");
            for (unsigned i = 0; pack && i < pack->elements->count && piece; i++)
                piece = join(r, piece, i ? SEPARATOR : "", resolve(r, of, arguments, i));
        } else {
            unsigned number = marked_number(&text);
            if (number >= arguments->count)
                return NULL;
            const struct template_argument *argument = &arguments->items[number];
            const struct list *pack = argument->pack ? argument->elements : NULL;
            piece = mark == *PACK_SIZE ? arena_printf(r->arena, "%u", pack ? pack->count : 1)
                    : !pack || element == ALL_ELEMENTS
                        ? marked_value(r, argument->text, &text)
                    : element < pack->count ? marked_value(r, pack->items[element], &text)
                                            : "";
        }
        result = join(r, result, piece, "");
    }
    r->depth--;
    return result;
}

/* The text for people: lists without what expansions of nothing left. */
static const char *finished(struct reader *r, const char *text)
{
    struct text out = {0};

    if (!text)
        return NULL;
    for (bool after = false; *text; text++) {
        if (*text == *SEPARATOR) {
            after = out.size && !strchr("(<{", out.data[out.size - 1]);
            continue;
        }
        if (after && !strchr(")>}", *text))
            text_puts(&out, ", ");
        after = false;
        text_putc(&out, *text);
    }
    const char *result = arena_strdup(r->arena, text_string(&out));
    text_free(&out);
    return result;
}

/* --- encodings ------------------------------------------------------------------------------------ */

/* <encoding> ::= <name> [<return type>] <parameters>   with the return type for templates.
 * list receives the parameters, parts those of the name; own becomes the name itself. */
static const char *encoding_with(struct reader *r, enum encoding_use use, struct list *list,
                                 struct name_parts *parts, const char **own)
{
    bool nested = *r->at == 'N';
    struct template_list *outer = r->arguments;
    const char *result = NULL, *returned = "";

    if (++r->depth > DEPTH_LIMIT)
        return NULL;
    r->arguments = ARENA_NEW(r->arena, struct template_list);
    r->arguments->count = 0;
    const char *named = name(r, parts);
    if (named && (!*r->at || *r->at == 'E')) {
        result = named; /* a variable */
    } else if (named) {
        if (parts->templated && !parts->plain_function)
            returned = join(r, shown(r, type(r)), " ", "");
        const char *taken = returned ? parameters(r, list) : NULL;
        result = join(r, use == ENCODING_AROUND ? "" : returned, named, "(");
        result = join(r, result, taken, parts->constant ? ") const" : ")");
        if (result && use == ENCODING_ADDRESS && nested && !parts->templated)
            result = named;
    }
    *own = resolve(r, named, r->arguments, ALL_ELEMENTS);
    if (parts->plain)
        parts->plain = resolve(r, parts->plain, r->arguments, ALL_ELEMENTS);
    if (result)
        result = resolve(r, result, r->arguments, ALL_ELEMENTS);
    parts->arguments = r->arguments;
    r->arguments = outer;
    r->depth--;
    return result;
}

const char *encoding(struct reader *r, enum encoding_use use)
{
    struct name_parts parts = {0};
    const char *own;

    return encoding_with(r, use, list_new(r), &parts, &own);
}

/* The letters of the parameters, of which a pack expansion has none, one or many. */
static void add_letters(struct reader *r, const struct list *taken,
                        const struct template_list *arguments, struct text *letters)
{
    for (unsigned i = 0; i < taken->count; i++) {
        const char *item = taken->items[i];
        bool many = *item == *PATTERN;
        const struct template_argument *pack = many ? pack_of(arguments, item) : NULL;
        const char *of = many ? arena_copy(r->arena, item + 1, strlen(item) - 2) : item;
        for (unsigned e = 0; e < (pack ? pack->elements->count : 1); e++) {
            const char *one = resolve(r, of, arguments, pack ? e : ALL_ELEMENTS);
            text_putc(letters, one ? type_letter(shown(r, one)) : '?');
        }
    }
}

/* When only the types are not understood, the name's parts still are. */
bool cxx_demangle(struct arena *arena, const char *mangled, struct cxx_name *out)
{
    struct list *substitutions = ARENA_NEW(arena, struct list);
    struct reader r = {.arena = arena, .substitutions = substitutions, .at = mangled};
    struct name_parts parts = {0};
    struct list *taken = list_new(&r);
    struct text letters = {0};
    const char *own = NULL;

    substitutions->count = 0;
    /* No identifier has control characters; here they mark what is to be replaced. */
    for (const char *c = mangled; *c; c++)
        if ((unsigned char)*c < ' ')
            return false;
    if (!take(&r, "_Z"))
        return false;
    const char *full = finished(&r, encoding_with(&r, ENCODING_WHOLE, taken, &parts, &own));
    own = finished(&r, own);
    if (!own || !parts.plain || !parts.base || (full && !strcmp(own, full)))
        return false;
    *out = (struct cxx_name){mangled, own, finished(&r, parts.plain), finished(&r, parts.base),
                             NULL};
    if (full && !*r.at) {
        add_letters(&r, taken, parts.arguments, &letters);
        out->full = full;
        out->letters = arena_strdup(arena, text_string(&letters));
    }
    text_free(&letters);
    return true;
}

const char *cxx_variable(struct arena *arena, const char *mangled)
{
    struct reader r = {.arena = arena, .substitutions = ARENA_NEW(arena, struct list),
                       .at = mangled};
    struct name_parts parts = {0};
    const char *own = NULL;

    if (!take(&r, "_Z"))
        return NULL;
    const char *all = encoding_with(&r, ENCODING_WHOLE, list_new(&r), &parts, &own);
    /* nvcc numbers those that have one name: _ZZ1kvE1s_0. */
    return all && own && !strcmp(all, own) ? finished(&r, own) : NULL;
}

bool cxx_same(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}
