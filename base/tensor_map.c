/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_map.c - the 128 bytes of a tensor map.
 *
 * Words of 64 bits, bits from the lowest on; as the driver 580.159.04 writes them on an
 * H200 (docs/hardware-notes.md). What the driver refuses is refused here; the rules are
 * those of the CUDA Driver API, "cuTensorMapEncodeTiled" and "cuTensorMapEncodeIm2col". */
#include "base/tensor_map.h"

#include <stddef.h>
#include <string.h>

/* Shared memory of a block. */
enum { BOX_LIMIT = 232448 };

/* Fields: word, first bit, bits. */
struct field {
    uint8_t word, bit, bits;
};

static const struct field
    im2col_field = {1, 0, 1}, rank_field = {1, 4, 3},
    type_field = {1, 7, 4}, interleave_field = {1, 11, 2}, swizzle_field = {1, 13, 2},
    fill_field = {1, 15, 1}, tf32_field = {1, 16, 1}, promotion_field = {1, 17, 2},
    stride_field[4] = {{1, 32, 32}, {2, 0, 32}, {2, 32, 32}, {3, 0, 32}},
    stride_high_field[4] = {{3, 32, 4}, {3, 36, 4}, {3, 40, 4}, {3, 44, 4}},
    size_field[5] = {{4, 0, 32}, {4, 32, 32}, {5, 0, 32}, {5, 32, 32}, {6, 0, 32}},
    step_field[5] = {{6, 32, 3}, {6, 35, 3}, {6, 38, 3}, {6, 41, 3}, {6, 44, 3}},
    box_field[5] = {{6, 56, 8}, {7, 0, 8}, {7, 8, 8}, {7, 16, 8}, {7, 24, 8}},
    channels_field = {6, 56, 8}, pixels_field = {7, 32, 10};

/* Corners: so many bits for each, by the number of dimensions that have one. */
static const unsigned corner_bits[4] = {0, 16, 8, 5};

static uint64_t mask_of(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

static void put(uint64_t words[16], struct field field, uint64_t value)
{
    words[field.word] |= (value & mask_of(field.bits)) << field.bit;
}

static uint64_t get(const uint64_t words[16], struct field field)
{
    return words[field.word] >> field.bit & mask_of(field.bits);
}

static struct field corner_field(unsigned corners, unsigned k, bool upper)
{
    unsigned bits = corner_bits[corners];

    return (struct field){7, (uint8_t)((upper ? 16 : 0) + k * bits), (uint8_t)bits};
}

unsigned tensor_element_bytes(enum tensor_element type)
{
    static const uint8_t bytes[TENSOR_MAP_TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

    return bytes[type];
}

bool tensor_element_is_float(enum tensor_element type)
{
    return type >= TENSOR_MAP_F16;
}

/* The type in the map: f32 and f64 change places with f32 .ftz, and tf32 is f32 with a bit. */
static unsigned type_code(enum tensor_element type)
{
    static const uint8_t codes[TENSOR_MAP_TYPES] = {0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 8, 7, 8};

    return codes[type];
}

/* As the driver counts them: whole steps only. */
static uint64_t box_bytes(const struct tensor_map *map)
{
    uint64_t bytes = tensor_element_bytes(map->type);

    if (map->im2col)
        bytes *= (uint64_t)map->channels * map->pixels;
    for (unsigned k = 0; !map->im2col && k < map->rank; k++)
        bytes *= map->box[k] / map->step[k];
    return bytes;
}

/* --- what is refused -------------------------------------------------------------------- */

static const char *check_memory(const struct tensor_map *map)
{
    unsigned align = map->interleave == TENSOR_INTERLEAVE_32B ? 32 : 16;

    if (!map->address || map->address % align)
        return align == 32 ? "needs an address that is a multiple of 32"
                           : "needs an address that is a multiple of 16";
    for (unsigned k = 0; k < map->rank; k++)
        if (map->size[k] < 1 || map->size[k] > UINT64_C(1) << 32)
            return "has 1 to 4294967296 elements in each dimension";
    for (unsigned k = 0; k + 1 < map->rank; k++)
        if (map->stride[k] % align || map->stride[k] >> 40)
            return align == 32 ? "has strides that are multiples of 32, below 2^40"
                               : "has strides that are multiples of 16, below 2^40";
    return NULL;
}

static const char *check_box(const struct tensor_map *map)
{
    static const uint16_t span[] = {0, 32, 64, 128};
    uint64_t inner = (uint64_t)(map->im2col ? map->channels : map->box[0]) *
                     tensor_element_bytes(map->type);

    for (unsigned k = 0; k < map->rank; k++)
        if (map->step[k] < 1 || map->step[k] > 8)
            return "has element strides of 1 to 8";
    for (unsigned k = 0; !map->im2col && k < map->rank; k++)
        if (map->box[k] < 1 || map->box[k] > 256)
            return "has a box of 1 to 256 elements in each dimension";
    if (inner % 16)
        return "moves multiples of 16 bytes along dimension 0";
    if (!map->interleave && map->swizzle && inner > span[map->swizzle])
        return "moves no more along dimension 0 than its swizzle spans";
    return NULL;
}

static const char *check_corners(const struct tensor_map *map)
{
    unsigned corners = map->rank - 2;
    int64_t limit = INT64_C(1) << (corner_bits[corners] - 1);

    if (map->channels < 1 || map->channels > 256)
        return "has 1 to 256 channels";
    if (map->pixels < 1 || map->pixels > 1024)
        return "has 1 to 1024 pixels";
    for (unsigned k = 0; k < corners; k++) {
        if (map->lower[k] < -limit || map->lower[k] >= limit || map->upper[k] < -limit ||
            map->upper[k] >= limit)
            return corners == 1   ? "has corners from -32768 to 32767"
                   : corners == 2 ? "has corners from -128 to 127"
                                  : "has corners from -16 to 15";
        if ((int64_t)map->size[k + 1] + map->upper[k] - map->lower[k] <= 0)
            return "has nothing between its corners";
    }
    return NULL;
}

static const char *check(const struct tensor_map *map)
{
    if (map->rank < 1 || map->rank > TENSOR_RANK)
        return "has 1 to 5 dimensions";
    if (map->rank < 3 && (map->im2col || map->interleave))
        return map->im2col ? "for im2col has 3 to 5 dimensions"
                           : "that is interleaved has 3 to 5 dimensions";
    if (map->nan_fill && !tensor_element_is_float(map->type))
        return "of integers cannot be filled with NaN";
    const char *wrong = check_memory(map);
    if (!wrong)
        wrong = check_box(map);
    if (!wrong && map->im2col)
        wrong = check_corners(map);
    if (!wrong && box_bytes(map) > BOX_LIMIT)
        wrong = "moves at most 232448 bytes at once";
    return wrong;
}

/* --- bytes ------------------------------------------------------------------------------- */

/* Words 8 and 9 are for the driver: bytes of the box, alignment in shared memory. */
static void put_notes(uint64_t words[16], const struct tensor_map *map)
{
    static const uint16_t align[] = {16, 256, 512, 1024};

    words[8] = box_bytes(map);
    words[9] = align[map->swizzle];
}

const char *tensor_map_encode(const struct tensor_map *map,
                              unsigned char bytes[TENSOR_MAP_BYTES])
{
    const char *wrong = check(map);
    uint64_t words[16] = {0};

    if (wrong)
        return wrong;
    words[0] = map->address;
    put(words, im2col_field, map->im2col);
    put(words, rank_field, map->rank - 1);
    put(words, type_field, type_code(map->type));
    put(words, interleave_field, map->interleave);
    put(words, swizzle_field, map->swizzle);
    put(words, fill_field, map->nan_fill);
    put(words, tf32_field, map->type == TENSOR_MAP_TF32 || map->type == TENSOR_MAP_TF32_FTZ);
    put(words, promotion_field, map->promotion);
    for (unsigned k = 0; k + 1 < map->rank; k++) {
        put(words, stride_field[k], map->stride[k] >> 4);
        put(words, stride_high_field[k], map->stride[k] >> 36);
    }
    for (unsigned k = 0; k < map->rank; k++) {
        put(words, size_field[k], map->size[k] - 1);
        put(words, step_field[k], map->step[k] - 1);
        if (!map->im2col)
            put(words, box_field[k], map->box[k] - 1);
    }
    if (map->im2col) {
        put(words, channels_field, map->channels - 1);
        put(words, pixels_field, map->pixels - 1);
        for (unsigned k = 0; k < map->rank - 2; k++) {
            put(words, corner_field(map->rank - 2, k, false), (uint64_t)(int64_t)map->lower[k]);
            put(words, corner_field(map->rank - 2, k, true), (uint64_t)(int64_t)map->upper[k]);
        }
    }
    put_notes(words, map);
    memcpy(bytes, words, TENSOR_MAP_BYTES);
    return NULL;
}

static int32_t corner(const uint64_t words[16], unsigned corners, unsigned k, bool upper)
{
    struct field field = corner_field(corners, k, upper);
    int32_t sign = (int32_t)1 << (field.bits - 1);

    return ((int32_t)get(words, field) ^ sign) - sign;
}

bool tensor_map_decode(const unsigned char bytes[TENSOR_MAP_BYTES], struct tensor_map *map)
{
    static const uint8_t types[16] = {
        TENSOR_MAP_U8, TENSOR_MAP_U16, TENSOR_MAP_U32, TENSOR_MAP_S32, TENSOR_MAP_U64,
        TENSOR_MAP_S64, TENSOR_MAP_F16, TENSOR_MAP_F32, TENSOR_MAP_F32_FTZ, TENSOR_MAP_F64,
        TENSOR_MAP_BF16, TENSOR_MAP_TYPES, TENSOR_MAP_TYPES, TENSOR_MAP_TYPES, TENSOR_MAP_TYPES,
        TENSOR_MAP_TYPES};
    uint64_t words[16];

    memcpy(words, bytes, TENSOR_MAP_BYTES);
    *map = (struct tensor_map){.address = words[0], .im2col = get(words, im2col_field),
                               .rank = (unsigned)get(words, rank_field) + 1,
                               .type = (enum tensor_element)types[get(words, type_field)],
                               .interleave = (enum tensor_interleave)get(words, interleave_field),
                               .swizzle = (enum tensor_swizzle)get(words, swizzle_field),
                               .nan_fill = get(words, fill_field),
                               .promotion = (unsigned)get(words, promotion_field)};
    if (map->rank > TENSOR_RANK || map->type == TENSOR_MAP_TYPES || map->interleave > 2 ||
        (map->im2col && map->rank < 3))
        return false;
    if (get(words, tf32_field)) {
        if (map->type != TENSOR_MAP_F32 && map->type != TENSOR_MAP_F32_FTZ)
            return false;
        map->type = map->type == TENSOR_MAP_F32 ? TENSOR_MAP_TF32 : TENSOR_MAP_TF32_FTZ;
    }
    for (unsigned k = 0; k < TENSOR_RANK; k++) {
        if (k + 1 < TENSOR_RANK)
            map->stride[k] = get(words, stride_field[k]) << 4 |
                             get(words, stride_high_field[k]) << 36;
        map->size[k] = k < map->rank ? get(words, size_field[k]) + 1 : 1;
        map->step[k] = k < map->rank ? (uint32_t)get(words, step_field[k]) + 1 : 1;
        map->box[k] = k < map->rank && !map->im2col ? (uint32_t)get(words, box_field[k]) + 1 : 1;
    }
    if (map->im2col) {
        map->channels = (uint32_t)get(words, channels_field) + 1;
        map->pixels = (uint32_t)get(words, pixels_field) + 1;
        for (unsigned k = 0; k < map->rank - 2; k++) {
            map->lower[k] = corner(words, map->rank - 2, k, false);
            map->upper[k] = corner(words, map->rank - 2, k, true);
        }
    }
    return true;
}

/* --- tensormap.replace ------------------------------------------------------------------- */

static void set(uint64_t words[16], struct field field, uint64_t value)
{
    words[field.word] &= ~(mask_of(field.bits) << field.bit);
    put(words, field, value);
}

/* Measured: sizes, boxes and steps less one, strides without their low 4 bits, the rank as
 * it is given; all cut to the field. */
void tensor_map_replace(unsigned char bytes[TENSOR_MAP_BYTES], enum tensor_field field,
                        uint64_t value)
{
    /* PTX ISA, "tensormap.replace", .elemtype: the order of f32, f64 and the rest. */
    bool tf32 = value == 11 || value == 12;
    uint64_t words[16];

    memcpy(words, bytes, TENSOR_MAP_BYTES);
    if (field == TENSOR_FIELD_ADDRESS) {
        words[0] = value;
    } else if (field == TENSOR_FIELD_RANK) {
        set(words, rank_field, value);
    } else if (field < TENSOR_FIELD_SIZE) {
        set(words, box_field[field - TENSOR_FIELD_BOX], value - 1);
    } else if (field < TENSOR_FIELD_STRIDE) {
        set(words, size_field[field - TENSOR_FIELD_SIZE], value - 1);
    } else if (field < TENSOR_FIELD_STEP) {
        set(words, stride_field[field - TENSOR_FIELD_STRIDE], value >> 4);
        set(words, stride_high_field[field - TENSOR_FIELD_STRIDE], value >> 36);
    } else if (field < TENSOR_FIELD_TYPE) {
        set(words, step_field[field - TENSOR_FIELD_STEP], value - 1);
    } else if (field == TENSOR_FIELD_TYPE) {
        set(words, type_field, tf32 ? value - 4 : value);
        set(words, tf32_field, tf32);
    } else {
        set(words, field == TENSOR_FIELD_INTERLEAVE ? interleave_field
                   : field == TENSOR_FIELD_SWIZZLE  ? swizzle_field
                                                    : fill_field,
            value);
    }
    memcpy(bytes, words, TENSOR_MAP_BYTES);
}
