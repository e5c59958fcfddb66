/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_filter.h - weights and weighted sums of texels, as measured on an H200. */
#ifndef SIMTLAB_EMU_TEXTURE_FILTER_H
#define SIMTLAB_EMU_TEXTURE_FILTER_H

#include "base/texture.h"

enum { FILTER_TEXELS = 8 };

/* The weights, in 256ths, of the texels at (x, y, z), x in bit 0 of the index, y in bit 1,
 * z in bit 2, for fractions 0 to 255 along each direction. Their sum is 256. */
void filter_weights(const uint32_t fraction[3], uint32_t weight[FILTER_TEXELS]);

/* The weighted sum of one channel. Texels and result are f32 bits, exact ones of f16 for
 * an f16 texture; raw integers for an integer one, whose result is a fraction. */
uint32_t filter_sum(enum element element, const uint32_t weight[FILTER_TEXELS],
                    const uint32_t texel[FILTER_TEXELS]);

/* An integer texel as the fraction that it stands for, f32 bits. */
uint32_t filter_fraction(enum element element, uint32_t texel);

#endif
