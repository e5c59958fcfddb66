/* SPDX-License-Identifier: Apache-2.0
 *
 * decimal.h - decimal floating-point text to bits, exactly.
 *
 * Independent of locale and of the host's rounding mode. */
#ifndef SIMTLAB_FRONTEND_PTX_DECIMAL_H
#define SIMTLAB_FRONTEND_PTX_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

/* text is DIGITS [. DIGITS] [e [+-] DIGITS]. The nearest f64, ties to even;
 * too large gives infinity, too small zero. */
uint64_t decimal_to_f64(const char *text, size_t size);
/* Rounds to nearest, ties to even. */
uint32_t f64_bits_to_f32(uint64_t bits);
/* Exact. */
uint64_t f32_bits_to_f64(uint32_t bits);

#endif
