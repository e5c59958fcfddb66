/* SPDX-License-Identifier: Apache-2.0
 *
 * npy.c - reading and writing NPY headers. The header is a Python dictionary
 * literal with the three keys descr, fortran_order and shape, in any order. */
#include "api/npy.h"

#include <string.h>

static const struct {
    const char *code;
    enum element element;
} types[] = {
    {"|u1", ELEMENT_U8},  {"|i1", ELEMENT_S8},  {"|b1", ELEMENT_U8},   {"<u1", ELEMENT_U8},
    {"<i1", ELEMENT_S8},  {"<u2", ELEMENT_U16}, {"<i2", ELEMENT_S16},  {"<u4", ELEMENT_U32},
    {"<i4", ELEMENT_S32}, {"<u8", ELEMENT_U64}, {"<i8", ELEMENT_S64},  {"<f2", ELEMENT_F16},
    {"<f4", ELEMENT_F32}, {"<f8", ELEMENT_F64}, {"<V2", ELEMENT_BF16}, {"|V2", ELEMENT_BF16},
};

/* --- the header's grammar --------------------------------------------------------------- */

struct reader {
    const char *at, *end;
};

static char peek(struct reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\t'))
        r->at++;
    return r->at < r->end ? *r->at : 0;
}

static bool take(struct reader *r, char c)
{
    if (peek(r) != c)
        return false;
    r->at++;
    return true;
}

static bool take_word(struct reader *r, const char *word)
{
    size_t size = strlen(word);

    peek(r);
    if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0)
        return false;
    r->at += size;
    return true;
}

/* 'text' or "text", without escapes. */
static bool take_string(struct reader *r, const char **text, size_t *size)
{
    char quote = peek(r);

    if (quote != '\'' && quote != '"')
        return false;
    *text = ++r->at;
    while (r->at < r->end && *r->at != quote)
        r->at++;
    if (r->at == r->end)
        return false;
    *size = (size_t)(r->at++ - *text);
    return true;
}

/* ( [number {, number} [,]] ) */
static bool take_shape(struct reader *r, struct npy *npy)
{
    if (!take(r, '('))
        return false;
    while (!take(r, ')')) {
        uint64_t value = 0;
        bool digits = false;

        for (peek(r); r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
            if (value > (UINT64_C(1) << 50))
                return false;
            value = value * 10 + (uint64_t)(*r->at - '0');
            digits = true;
        }
        if (!digits || npy->dimensions == NPY_DIMENSIONS)
            return false;
        npy->shape[npy->dimensions++] = value;
        if (!take(r, ',') && peek(r) != ')')
            return false;
    }
    return true;
}

static const char *read_dictionary(struct arena *arena, struct reader *r, struct npy *npy)
{
    static const char malformed[] = "its header is not a NumPy array header";
    const char *key, *descr = NULL;
    size_t size, descr_size = 0;
    bool shaped = false, ordered = false, fortran = false;

    if (!take(r, '{'))
        return malformed;
    while (!take(r, '}')) {
        if (!take_string(r, &key, &size) || !take(r, ':'))
            return malformed;
        if (size == 5 && !memcmp(key, "descr", 5)) {
            if (peek(r) == '[')
                return "it holds records; only plain arrays can be a buffer";
            if (!take_string(r, &descr, &descr_size))
                return malformed;
        } else if (size == 13 && !memcmp(key, "fortran_order", 13)) {
            fortran = take_word(r, "True");
            if (!fortran && !take_word(r, "False"))
                return malformed;
            ordered = true;
        } else if (size == 5 && !memcmp(key, "shape", 5)) {
            npy->dimensions = 0;
            if (!take_shape(r, npy))
                return malformed;
            shaped = true;
        } else {
            return malformed;
        }
        if (!take(r, ',') && peek(r) != '}')
            return malformed;
    }
    if (!descr || !shaped || !ordered)
        return malformed;
    if (fortran && npy->dimensions > 1)
        return "it is in Fortran order; save it with numpy.ascontiguousarray";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].code) == descr_size && !memcmp(types[i].code, descr, descr_size)) {
            npy->element = types[i].element;
            return NULL;
        }
    return arena_printf(arena, "its element type is '%.*s'; known are u1 i1 u2 i2 u4 i4 u8 i8 "
                               "f2 f4 f8, little-endian",
                        (int)(descr_size < 20 ? descr_size : 20), descr);
}

const char *npy_read(struct arena *arena, const unsigned char *bytes, size_t size,
                     struct npy *npy)
{
    size_t start, length;

    memset(npy, 0, sizeof *npy);
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return "it is not an NPY file";
    if (bytes[6] == 1) {
        start = 10;
        length = bytes[8] | (size_t)bytes[9] << 8;
    } else if ((bytes[6] == 2 || bytes[6] == 3) && size >= 12) {
        start = 12;
        length = bytes[8] | (size_t)bytes[9] << 8 | (size_t)bytes[10] << 16 |
                 (size_t)bytes[11] << 24;
    } else {
        return arena_printf(arena, "its NPY version is %u; known are 1, 2 and 3", bytes[6]);
    }
    if (length > size - start)
        return "its header is cut off";
    struct reader r = {(const char *)bytes + start, (const char *)bytes + start + length};
    const char *wrong = read_dictionary(arena, &r, npy);
    if (wrong)
        return wrong;
    uint64_t need = element_size(npy->element);
    for (unsigned i = 0; i < npy->dimensions; i++) {
        if (npy->shape[i] && need > (UINT64_C(1) << 50) / npy->shape[i])
            return "its shape is too large";
        need *= npy->shape[i];
    }
    npy->data = bytes + start + length;
    npy->size = need;
    if (need > size - start - length)
        return arena_printf(arena, "it is cut off: %llu bytes of data for a shape that needs %llu",
                            (unsigned long long)(size - start - length),
                            (unsigned long long)need);
    return NULL;
}

void npy_write_header(struct text *out, const struct npy *npy)
{
    static const char *const codes[ELEMENT_COUNT] = {
        [ELEMENT_U8] = "|u1",  [ELEMENT_S8] = "|i1",  [ELEMENT_U16] = "<u2",
        [ELEMENT_S16] = "<i2", [ELEMENT_U32] = "<u4", [ELEMENT_S32] = "<i4",
        [ELEMENT_U64] = "<u8", [ELEMENT_S64] = "<i8", [ELEMENT_F16] = "<f2",
        [ELEMENT_BF16] = "<u2", [ELEMENT_F32] = "<f4", [ELEMENT_F64] = "<f8"};
    struct text dictionary = {0};

    text_printf(&dictionary, "{'descr': '%s', 'fortran_order': False, 'shape': (",
                codes[npy->element]);
    for (unsigned i = 0; i < npy->dimensions; i++)
        text_printf(&dictionary, "%s%llu%s", i ? ", " : "", (unsigned long long)npy->shape[i],
                    npy->dimensions == 1 ? "," : "");
    text_puts(&dictionary, "), }");
    while ((10 + dictionary.size + 1) % 64)
        text_putc(&dictionary, ' ');
    text_putc(&dictionary, '\n');
    text_add(out, "\x93NUMPY\x01\x00", 8);
    text_putc(out, (char)(dictionary.size & 0xff));
    text_putc(out, (char)(dictionary.size >> 8));
    text_add(out, dictionary.data, dictionary.size);
    text_free(&dictionary);
}
