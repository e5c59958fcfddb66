/* SPDX-License-Identifier: Apache-2.0
 *
 * argument.h - the text form of a kernel argument.
 *
 *     42  -1  2.5  0x10        scalar; its type comes from the parameter
 *     f32[1024]                buffer, contents unspecified
 *     f32[1024]=0              buffer, every element this value
 *     f32[3]=1,2,3             buffer, one value for each element
 *     f32[1024]=iota           0, 1, 2, ...
 *     f32[1024]=rand:SEED      see base/random.h
 *     @x.npy  @raw.bin         buffer with the contents of a file
 *     hex:0102ff               bytes of a by-value struct
 *     null                     the null pointer
 *     tex2d:f32[64x64],linear=rand:1   texture or surface, see base/texture.h
 *     tensor:f16[64x32],box:64x8=iota  tensor and its map, see base/tensor_text.h
 *     {f32[64]; u32:7; null}   by-value struct of arguments; scalars say their type
 *     *{f32[16]; f32[16]}      pointer to memory that holds such a struct
 *     &0  &0+64                the buffer of an argument before this one, or so many
 *                              bytes into it */
#ifndef SIMTLAB_BASE_ARGUMENT_H
#define SIMTLAB_BASE_ARGUMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/element.h"
#include "base/tensor_map.h"
#include "base/texture.h"

enum argument_kind {
    ARGUMENT_SCALAR, ARGUMENT_BUFFER, ARGUMENT_FILE, ARGUMENT_BYTES, ARGUMENT_NULL,
    ARGUMENT_TEXTURE, ARGUMENT_TENSOR, ARGUMENT_STRUCT, ARGUMENT_SAME
};

enum argument_fill { FILL_NOTHING, FILL_VALUE, FILL_LIST, FILL_IOTA, FILL_RANDOM };

struct argument {
    enum argument_kind kind;
    const char *text;   /* SCALAR: the number as written; FILE: the name; TEXTURE and TENSOR:
                           the name of the file with the contents, or NULL; SAME: which
                           argument, as in "0" or "2.1" */
    unsigned char *bytes; /* BYTES */
    size_t byte_count;
    enum element element; /* BUFFER, TEXTURE and TENSOR, as all below */
    uint64_t count;       /* elements, at least 1 */
    enum argument_fill fill;
    uint64_t seed;
    const uint64_t *values; /* FILL_VALUE: one; FILL_LIST: count of them */
    struct texture texture; /* TEXTURE */
    struct tensor_map tensor; /* TENSOR: without its address */
    const char *const *members; /* STRUCT: the text of each */
    size_t member_count;
    bool pointer;           /* STRUCT: a pointer to one */
    uint64_t offset;        /* SAME: bytes */
};

/* Reads one argument. Everything kept is in the arena. Returns NULL, or one
 * sentence that says what is wrong. */
const char *argument_parse(struct arena *arena, const char *text, size_t size,
                           struct argument *argument);

/* Bytes of a BUFFER, TEXTURE or TENSOR: count times the element's size; it does not overflow. */
uint64_t argument_buffer_size(const struct argument *argument);
/* Writes the initial contents of a BUFFER or TEXTURE; FILL_NOTHING leaves them alone. */
void argument_fill(const struct argument *argument, void *bytes);

#endif
