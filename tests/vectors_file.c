/* SPDX-License-Identifier: Apache-2.0
 *
 * vectors_file.c - reads tests/data for the test programs. */
#include <check.h>
#include <stdio.h>
#include <zstd.h>

#include "tests/vectors.h"

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
    size_t index_size, size;
    char *index = (char *)read_file(arena, "golden.idx", &index_size);
    const unsigned char *words = unpack(arena, "golden.bin.zst", &size);
    struct vectors *all = vectors_parse(arena, index, words, size);

    ck_assert_msg(all != NULL, "tests/data is not as tests/vectors.h describes it");
    return all;
}
