/* SPDX-License-Identifier: Apache-2.0
 *
 * vectors.c - reads the recorded instructions of tests/data. */
#include "tests/vectors.h"

#include <check.h>
#include <stdio.h>
#include <string.h>
#include <zstd.h>

static unsigned char *read_file(struct arena *arena, const char *name, size_t *size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/%s", SIMTLAB_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = arena_alloc(arena, *size + 1);
    ck_assert_uint_eq(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static unsigned char *unpack(struct arena *arena, const char *name, size_t *size)
{
    size_t packed_size;
    unsigned char *packed = read_file(arena, name, &packed_size);

    *size = (size_t)ZSTD_getFrameContentSize(packed, packed_size);
    ck_assert_uint_lt(*size, 100u << 20);
    unsigned char *bytes = arena_alloc(arena, *size);
    ck_assert_uint_eq(ZSTD_decompress(bytes, *size, packed, packed_size), *size);
    return bytes;
}

struct vectors *vectors_read(struct arena *arena)
{
    struct vectors *all = ARENA_NEW_ARRAY(arena, VECTOR_COUNT, struct vectors);
    struct vectors inputs[256]; /* what the IN lines say */
    size_t index_size, size;
    int input_count = 0, count = 0;
    char *rest = (char *)read_file(arena, "golden.idx", &index_size);
    const unsigned char *next = unpack(arena, "golden.bin.zst", &size), *end = next + size;

    for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        struct vectors one = {.words = next};
        int at = 0;

        if (sscanf(line, "IN %63s %d", one.signature, &one.sources) == 2) {
            ck_assert_int_lt(input_count, 256);
            inputs[input_count++] = one;
            next += (size_t)8 * VECTORS * (size_t)one.sources;
            continue;
        }
        ck_assert_int_eq(sscanf(line, "OP %63[^>]>%63s %63s %d", one.signature, one.result,
                                one.name, &one.width), 4);
        while (at < input_count && strcmp(inputs[at].signature, one.signature) != 0)
            at++;
        ck_assert_int_lt(at, input_count);
        one.sources = inputs[at].sources;
        one.words = inputs[at].words;
        one.recorded = next;
        next += (size_t)VECTORS * (size_t)one.width;
        ck_assert(next <= end);
        ck_assert_int_lt(count, VECTOR_COUNT);
        all[count++] = one;
    }
    ck_assert_int_eq(count, VECTOR_COUNT);
    return all;
}

uint64_t vector_word(const unsigned char *bytes, int width)
{
    uint64_t word = 0;

    for (int i = 0; i < width; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}
