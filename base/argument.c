/* SPDX-License-Identifier: Apache-2.0
 *
 * argument.c - the text form of a kernel argument, and buffer contents. */
#include "base/argument.h"

#include <string.h>

#include "base/tensor_text.h"

/* A buffer must be addressable with room to spare; 2^44 bytes is far above
 * any device and far below overflow. */
#define BUFFER_LIMIT (UINT64_C(1) << 44)

static bool starts_with(const char *text, size_t size, const char *prefix)
{
    return size >= strlen(prefix) && !memcmp(text, prefix, strlen(prefix));
}

static const char *parse_bytes(struct arena *arena, const char *text, size_t size,
                               struct argument *argument)
{
    if (size == 0 || size % 2)
        return "hex: needs an even number of hexadecimal digits";
    argument->kind = ARGUMENT_BYTES;
    argument->byte_count = size / 2;
    argument->bytes = arena_alloc(arena, size / 2);
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9'                     ? c - '0'
                    : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                             : -1;
        if (digit < 0)
            return arena_printf(arena, "'%c' is not a hexadecimal digit", c);
        argument->bytes[i / 2] = (unsigned char)(argument->bytes[i / 2] << 4 | digit);
    }
    return NULL;
}

/* value {, value}, read in two passes: count, then convert. */
static const char *parse_list(struct arena *arena, const char *text, size_t size,
                              struct argument *argument)
{
    uint64_t count = 1;

    for (size_t i = 0; i < size; i++)
        count += text[i] == ',';
    if (count != 1 && count != argument->count)
        return arena_printf(arena, "%llu values for %llu elements",
                            (unsigned long long)count,
                            (unsigned long long)argument->count);
    argument->fill = count == 1 ? FILL_VALUE : FILL_LIST;
    uint64_t *values = arena_array(arena, (size_t)count, sizeof *values);
    argument->values = values;
    for (uint64_t i = 0; i < count; i++) {
        const char *comma = memchr(text, ',', size);
        size_t length = comma ? (size_t)(comma - text) : size;
        const char *wrong = element_parse(argument->element, text, length, &values[i]);
        if (wrong)
            return arena_printf(arena, "'%.*s' %s", (int)(length < 40 ? length : 40),
                                text, wrong);
        if (comma) {
            text = comma + 1;
            size -= length + 1;
        }
    }
    return NULL;
}

/* iota, rand:SEED or values, behind the '='. */
static const char *parse_fill(struct arena *arena, const char *text, size_t size,
                              struct argument *argument)
{
    if (size == 4 && starts_with(text, size, "iota")) {
        argument->fill = FILL_IOTA;
        return NULL;
    }
    if (starts_with(text, size, "rand:")) {
        argument->fill = FILL_RANDOM;
        return element_parse(ELEMENT_U64, text + 5, size - 5, &argument->seed)
                   ? "rand: needs an integer seed"
                   : NULL;
    }
    return parse_list(arena, text, size, argument);
}

/* TYPE [ COUNT ] [= FILL]; open points at the bracket. */
static const char *parse_buffer(struct arena *arena, const char *text, size_t size,
                                const char *open, struct argument *argument)
{
    const char *end = text + size, *close = memchr(open, ']', (size_t)(end - open));
    const char *wrong;

    argument->kind = ARGUMENT_BUFFER;
    if (!element_find(text, (size_t)(open - text), &argument->element))
        return arena_printf(arena,
                            "'%.*s' is no element type; known are u8 s8 u16 s16 u32 "
                            "s32 u64 s64 f16 bf16 f32 f64",
                            (int)(open - text < 40 ? open - text : 40), text);
    if (!close)
        return "the buffer's ']' is missing";
    wrong = element_parse(ELEMENT_U64, open + 1, (size_t)(close - open - 1),
                          &argument->count);
    if (wrong || open[1] == '-' || argument->count == 0)
        return "the buffer's element count is not a positive integer (no buffer at all is null)";
    if (argument->count > BUFFER_LIMIT / element_size(argument->element))
        return "the buffer is too large";
    text = close + 1;
    return text == end ? NULL
           : *text == '='
               ? parse_fill(arena, text + 1, (size_t)(end - text - 1), argument)
               : "only '=' may follow the buffer's ']'";
}

/* What parse_fill takes, or the file that holds the contents. */
static const char *parse_contents(struct arena *arena, const char *text, const char *end,
                                  struct argument *argument)
{
    if (text == end || *text != '@')
        return parse_fill(arena, text, (size_t)(end - text), argument);
    argument->text = arena_copy(arena, text + 1, (size_t)(end - text - 1));
    return end - text == 1 ? "@ needs a file name" : NULL;
}

/* All that base/texture.h says. */
static const char *parse_texture(struct arena *arena, const char *text, size_t size,
                                 struct argument *argument)
{
    const char *end = text + size;
    const char *wrong = texture_parse(arena, text, size, &argument->texture, &text);

    argument->kind = ARGUMENT_TEXTURE;
    if (wrong)
        return wrong;
    argument->element = argument->texture.element;
    argument->count = texture_elements(&argument->texture);
    if (argument->count > BUFFER_LIMIT / 4)
        return "the texture is too large";
    return text == end ? NULL : parse_contents(arena, text + 1, end, argument);
}

/* All that base/tensor_text.h says. */
static const char *parse_tensor(struct arena *arena, const char *text, size_t size,
                                struct argument *argument)
{
    const char *end = text + size;
    const char *wrong = tensor_parse(arena, text, size, &argument->tensor, &argument->element,
                                     &argument->count, &text);

    argument->kind = ARGUMENT_TENSOR;
    if (wrong)
        return wrong;
    if (argument->count > BUFFER_LIMIT / element_size(argument->element))
        return "the tensor is too large";
    return text == end ? NULL : parse_contents(arena, text + 1, end, argument);
}

/* Blanks at both ends do not count. */
static const char *trimmed(struct arena *arena, const char *text, size_t size)
{
    while (size && (text[0] == ' ' || text[0] == '\t')) {
        text++;
        size--;
    }
    while (size && (text[size - 1] == ' ' || text[size - 1] == '\t'))
        size--;
    return arena_copy(arena, text, size);
}

/* { ARGUMENT {; ARGUMENT} }, where a struct may hold structs. */
static const char *parse_struct(struct arena *arena, const char *text, size_t size,
                                struct argument *argument)
{
    struct {
        const char **items;
        uint32_t count, capacity;
    } members = {0};
    size_t from = 1, depth = 0;

    argument->kind = ARGUMENT_STRUCT;
    if (text[size - 1] != '}')
        return "the struct's '}' is missing";
    for (size_t i = 1; i < size; i++) {
        if (text[i] == '{') {
            depth++;
        } else if (text[i] == '}' && depth) {
            depth--;
        } else if (text[i] == ';' || text[i] == '}') {
            if (depth)
                continue;
            if (text[i] == '}' && i + 1 != size)
                return "the struct has a '}' too many";
            const char *member = trimmed(arena, text + from, i - from);
            if (*member)
                *ARENA_PUSH(arena, &members) = member;
            else if (text[i] == ';' || members.count == 0)
                return "a member of the struct is empty";
            from = i + 1;
        }
    }
    if (depth || from != size)
        return "the struct's '}' is missing";
    argument->members = members.items;
    argument->member_count = members.count;
    return NULL;
}

/* & NUMBER {. NUMBER} [+ BYTES] */
static const char *parse_same(struct arena *arena, const char *text, size_t size,
                              struct argument *argument)
{
    const char *plus = memchr(text, '+', size);
    size_t length = plus ? (size_t)(plus - text) : size;

    argument->kind = ARGUMENT_SAME;
    argument->text = arena_copy(arena, text, length);
    if (!length || strspn(argument->text, "0123456789.") != length)
        return "& needs the number of an argument before this one";
    if (plus && element_parse(ELEMENT_U64, plus + 1, size - length - 1, &argument->offset))
        return "behind & and the + stands a number of bytes";
    return NULL;
}

const char *argument_parse(struct arena *arena, const char *text, size_t size,
                           struct argument *argument)
{
    const char *open = memchr(text, '[', size);

    *argument = (struct argument){.kind = ARGUMENT_SCALAR};
    if (size == 0)
        return "the argument is empty";
    if (size == 4 && starts_with(text, size, "null")) {
        argument->kind = ARGUMENT_NULL;
        return NULL;
    }
    if (text[0] == '{')
        return parse_struct(arena, text, size, argument);
    if (starts_with(text, size, "*{")) {
        argument->pointer = true;
        return parse_struct(arena, text + 1, size - 1, argument);
    }
    if (text[0] == '&')
        return parse_same(arena, text + 1, size - 1, argument);
    if (text[0] == '@') {
        argument->kind = ARGUMENT_FILE;
        argument->text = arena_copy(arena, text + 1, size - 1);
        return size == 1 ? "@ needs a file name" : NULL;
    }
    if (starts_with(text, size, "hex:"))
        return parse_bytes(arena, text + 4, size - 4, argument);
    if (tensor_begins(text, size))
        return parse_tensor(arena, text, size, argument);
    if (texture_begins(text, size))
        return parse_texture(arena, text, size, argument);
    if (open)
        return parse_buffer(arena, text, size, open, argument);
    argument->text = arena_copy(arena, text, size);
    return NULL;
}

uint64_t argument_buffer_size(const struct argument *argument)
{
    return argument->count * element_size(argument->element);
}

void argument_fill(const struct argument *argument, void *bytes)
{
    enum element element = argument->element;
    unsigned step = element_size(element);
    unsigned char *place = bytes;

    for (uint64_t i = 0; i < argument->count; i++, place += step) {
        switch (argument->fill) {
        case FILL_NOTHING:
            return;
        case FILL_VALUE:
            element_store(element, place, argument->values[0]);
            break;
        case FILL_LIST:
            element_store(element, place, argument->values[i]);
            break;
        case FILL_IOTA:
            element_store(element, place, element_iota(element, i));
            break;
        case FILL_RANDOM:
            element_store(element, place, element_random(element, argument->seed, i));
            break;
        }
    }
}
