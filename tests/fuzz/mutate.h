/* SPDX-License-Identifier: Apache-2.0
 *
 * mutate.h - changes kernel text by whole words and statements. */
#ifndef SIMTLAB_TESTS_FUZZ_MUTATE_H
#define SIMTLAB_TESTS_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes the text in place, up to limit bytes; returns its new size. */
size_t mutate_kernel(uint8_t *data, size_t size, size_t limit, unsigned seed);

#endif
