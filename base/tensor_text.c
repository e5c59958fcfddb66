/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_text.c - the text form of a tensor and its map. */
#include "base/tensor_text.h"

#include <string.h>

/* A part of the text. */
struct part {
    const char *text;
    size_t size;
};

static const struct {
    const char *name;
    enum element element;
} types[TENSOR_MAP_TYPES] = {
    [TENSOR_MAP_U8] = {"u8", ELEMENT_U8},       [TENSOR_MAP_U16] = {"u16", ELEMENT_U16},
    [TENSOR_MAP_U32] = {"u32", ELEMENT_U32},    [TENSOR_MAP_S32] = {"s32", ELEMENT_S32},
    [TENSOR_MAP_U64] = {"u64", ELEMENT_U64},    [TENSOR_MAP_S64] = {"s64", ELEMENT_S64},
    [TENSOR_MAP_F16] = {"f16", ELEMENT_F16},    [TENSOR_MAP_F32] = {"f32", ELEMENT_F32},
    [TENSOR_MAP_F64] = {"f64", ELEMENT_F64},    [TENSOR_MAP_BF16] = {"bf16", ELEMENT_BF16},
    [TENSOR_MAP_F32_FTZ] = {"f32ftz", ELEMENT_F32}, [TENSOR_MAP_TF32] = {"tf32", ELEMENT_F32},
    [TENSOR_MAP_TF32_FTZ] = {"tf32ftz", ELEMENT_F32}};

static bool is_word(struct part part, const char *word)
{
    return part.size == strlen(word) && !memcmp(part.text, word, part.size);
}

/* Takes away what stands before the separator, or all. */
static struct part take(struct part *from, char separator)
{
    const char *end = memchr(from->text, separator, from->size);
    struct part part = {from->text, end ? (size_t)(end - from->text) : from->size};
    size_t used = part.size + (end != NULL);

    from->text += used;
    from->size -= used;
    return part;
}

/* "64x8": at most `most` numbers; how many there are, 0 when it is wrong. */
static unsigned numbers(struct part part, int64_t *to, unsigned most)
{
    unsigned count = 0;

    if (!part.size || part.text[part.size - 1] == 'x')
        return 0;
    while (part.size) {
        struct part one = take(&part, 'x');
        uint64_t bits;
        if (count == most || element_parse(ELEMENT_S64, one.text, one.size, &bits))
            return 0;
        to[count++] = (int64_t)bits;
    }
    return count;
}

/* As many numbers as there must be, each in range. */
static const char *some(struct arena *arena, struct part option, struct part values,
                        int64_t *to, unsigned count, int64_t least, int64_t most)
{
    unsigned got = numbers(values, to, TENSOR_RANK);

    for (unsigned k = 0; k < got; k++)
        if (to[k] < least || to[k] > most)
            got = 0;
    return got == count && count
               ? NULL
               : arena_printf(arena, "'%.*s' needs %u number%s of %lld to %lld with x between them",
                              (int)(option.size < 20 ? option.size : 20), option.text, count,
                              count == 1 ? "" : "s", (long long)least, (long long)most);
}

static const char *parse_option(struct arena *arena, struct part text, struct tensor_map *map)
{
    struct part values = text, name = take(&values, ':');
    int64_t to[TENSOR_RANK] = {0};
    unsigned corners = map->rank > 2 ? map->rank - 2 : 0;
    const char *wrong = NULL;

    if (is_word(text, "nan")) {
        map->nan_fill = true;
    } else if (is_word(name, "box")) {
        wrong = some(arena, name, values, to, map->rank, 1, 256);
        for (unsigned k = 0; k < map->rank; k++)
            map->box[k] = (uint32_t)to[k];
    } else if (is_word(name, "steps")) {
        wrong = some(arena, name, values, to, map->rank, 1, 8);
        for (unsigned k = 0; k < map->rank; k++)
            map->step[k] = (uint32_t)to[k];
    } else if (is_word(name, "strides")) {
        wrong = some(arena, name, values, to, map->rank - 1, 0, (INT64_C(1) << 40) - 1);
        for (unsigned k = 0; k + 1 < map->rank; k++)
            map->stride[k] = (uint64_t)to[k];
    } else if (is_word(name, "swizzle")) {
        wrong = some(arena, name, values, to, 1, 32, 128);
        map->swizzle = to[0] == 128  ? TENSOR_SWIZZLE_128B
                       : to[0] == 64 ? TENSOR_SWIZZLE_64B
                                     : TENSOR_SWIZZLE_32B;
        if (!wrong && to[0] != 32 && to[0] != 64 && to[0] != 128)
            wrong = "a swizzle spans 32, 64 or 128 bytes";
    } else if (is_word(name, "interleave")) {
        wrong = some(arena, name, values, to, 1, 16, 32);
        map->interleave = to[0] == 32 ? TENSOR_INTERLEAVE_32B : TENSOR_INTERLEAVE_16B;
        if (!wrong && to[0] != 16 && to[0] != 32)
            wrong = "interleaving is by 16 or 32 bytes";
    } else if (is_word(name, "l2")) {
        wrong = some(arena, name, values, to, 1, 64, 256);
        map->promotion = to[0] == 256 ? 3 : to[0] == 128 ? 2 : 1;
        if (!wrong && to[0] != 64 && to[0] != 128 && to[0] != 256)
            wrong = "l2 is 64, 128 or 256 bytes";
    } else if (is_word(name, "lower") || is_word(name, "upper")) {
        int32_t *corner = is_word(name, "lower") ? map->lower : map->upper;
        wrong = some(arena, name, values, to, corners, -32768, 32767);
        for (unsigned k = 0; k < corners; k++)
            corner[k] = (int32_t)to[k];
        map->im2col = true;
    } else if (is_word(name, "channels") || is_word(name, "pixels")) {
        wrong = some(arena, name, values, to, 1, 1, 1024);
        *(is_word(name, "pixels") ? &map->pixels : &map->channels) = (uint32_t)to[0];
        map->im2col = true;
    } else {
        wrong = arena_printf(arena, "'%.*s' is no option of a tensor",
                             (int)(text.size < 40 ? text.size : 40), text.text);
    }
    return wrong;
}

bool tensor_begins(const char *text, size_t size)
{
    return size > 7 && !memcmp(text, "tensor:", 7);
}

/* TYPE [ SIZES ] */
static const char *parse_shape(struct arena *arena, struct part *text, struct tensor_map *map,
                               enum element *element)
{
    struct part type = take(text, '['), sizes = take(text, ']');
    int64_t to[TENSOR_RANK];
    unsigned t = 0;

    while (t < TENSOR_MAP_TYPES && !is_word(type, types[t].name))
        t++;
    if (t == TENSOR_MAP_TYPES)
        return arena_printf(arena,
                            "'%.*s' is no type of tensors; known are u8 u16 u32 s32 u64 s64 f16 "
                            "f32 f64 bf16 f32ftz tf32 tf32ftz",
                            (int)(type.size < 40 ? type.size : 40), type.text);
    map->type = (enum tensor_element)t;
    *element = types[t].element;
    map->rank = numbers(sizes, to, TENSOR_RANK);
    if (!map->rank)
        return "a tensor needs 1 to 5 sizes between its brackets: [64x32]";
    for (unsigned k = 0; k < TENSOR_RANK; k++) {
        map->size[k] = map->box[k] = map->step[k] = 1;
        if (k >= map->rank)
            continue;
        if (to[k] < 1 || to[k] > INT64_C(1) << 32)
            return "a tensor has 1 to 4294967296 elements in each dimension";
        map->size[k] = (uint64_t)to[k];
        map->box[k] = (uint32_t)(to[k] < 256 ? to[k] : 256);
    }
    return NULL;
}

const char *tensor_parse(struct arena *arena, const char *text, size_t size,
                         struct tensor_map *map, enum element *element, uint64_t *count,
                         const char **rest)
{
    struct part left = {text + 7, size - 7};
    const char *close = memchr(text, ']', size), *end = text + size;
    const char *contents = close ? memchr(close, '=', (size_t)(end - close)) : NULL;

    *map = (struct tensor_map){.channels = 1, .pixels = 1};
    *rest = contents ? contents : end;
    left.size = (size_t)(*rest - left.text);
    if (!close)
        return "the tensor's ']' is missing";
    const char *wrong = parse_shape(arena, &left, map, element);
    if (wrong)
        return wrong;
    if (left.size && *left.text != ',')
        return "only ',' or '=' may follow the tensor's ']'";
    unsigned bytes = tensor_element_bytes(map->type);
    uint64_t memory = map->size[0] * bytes;
    for (unsigned k = 0; k + 1 < map->rank; k++)
        map->stride[k] = k ? map->stride[k - 1] * map->size[k] : (memory + 15) / 16 * 16;
    if (left.size)
        take(&left, ',');
    while (left.size && !wrong)
        wrong = parse_option(arena, take(&left, ','), map);
    if (wrong)
        return wrong;
    for (unsigned k = 0; k + 1 < map->rank; k++) {
        if (map->stride[k] >> 40)
            return "strides are below 2^40";
        /* The largest dimension decides, whatever the order of strides. */
        uint64_t whole = map->stride[k] * map->size[k + 1];
        if (map->size[k + 1] > (UINT64_C(1) << 40) / (map->stride[k] + 1))
            return "the tensor is too large";
        memory = whole > memory ? whole : memory;
    }
    *count = (memory + bytes - 1) / bytes;
    return NULL;
}
