/* SPDX-License-Identifier: Apache-2.0
 *
 * npy.h - arrays in NumPy's .npy files.
 *
 * Versions 1 to 3, little-endian, C order (or one dimension), the integer and
 * floating-point types that are elements here; bool reads as u8. NPY has no
 * bf16: '<V2', as ml_dtypes writes it, reads as bf16; bf16 is written as '<u2',
 * its bits. Source: numpy.lib.format. */
#ifndef SIMTLAB_API_NPY_H
#define SIMTLAB_API_NPY_H

#include "base/arena.h"
#include "base/element.h"
#include "base/text.h"

enum { NPY_DIMENSIONS = 32 };

struct npy {
    enum element element;
    uint64_t shape[NPY_DIMENSIONS];
    unsigned dimensions;
    const unsigned char *data; /* in the file's bytes */
    uint64_t size;             /* bytes of data */
};

/* Reads a whole file's bytes, which are lent. Returns NULL, or one sentence in
 * the arena that says what is wrong. */
const char *npy_read(struct arena *arena, const unsigned char *bytes, size_t size,
                     struct npy *npy);
/* The header, padded to a multiple of 64 bytes; npy->data follows it in a file. */
void npy_write_header(struct text *out, const struct npy *npy);

#endif
