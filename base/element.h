/* SPDX-License-Identifier: Apache-2.0
 *
 * element.h - the element types of buffers and scalar arguments.
 *
 * An element is carried as its bits in the low end of a uint64_t. */
#ifndef SIMTLAB_BASE_ELEMENT_H
#define SIMTLAB_BASE_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum element {
    ELEMENT_U8, ELEMENT_S8, ELEMENT_U16, ELEMENT_S16,
    ELEMENT_U32, ELEMENT_S32, ELEMENT_U64, ELEMENT_S64,
    ELEMENT_F16, ELEMENT_BF16, ELEMENT_F32, ELEMENT_F64,
    ELEMENT_COUNT
};

bool element_find(const char *name, size_t size, enum element *element);
const char *element_name(enum element element);
unsigned element_size(enum element element); /* bytes */
bool element_is_float(enum element element);

/* Reads one value. Integers: decimal or 0x hexadecimal with an optional minus;
 * unsigned types also take -1 down to the smallest value of their width, since
 * PTX calls every integer parameter unsigned. Floating point: decimal, inf,
 * nan, an integer in hexadecimal, or PTX's bit patterns 0fXXXXXXXX (f32) and
 * 0dXXXXXXXXXXXXXXXX (f64).
 * Returns NULL, or what is wrong as part of a sentence: "does not fit in u8". */
const char *element_parse(enum element element, const char *text, size_t size,
                          uint64_t *bits);

/* Element i of `=iota`: the number i; integers wrap, floating point rounds to
 * nearest even and ends at infinity. */
uint64_t element_iota(enum element element, uint64_t index);
/* Element i of `=rand:SEED`, see base/random.h. */
uint64_t element_random(enum element element, uint64_t seed, uint64_t index);

/* Little-endian, element_size bytes. */
void element_store(enum element element, void *place, uint64_t bits);
uint64_t element_load(enum element element, const void *place);

#endif
