/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_filter.h - weights and weighted sums of texels, as measured on an H200. */
#ifndef SIMTLAB_EMU_TEXTURE_FILTER_H
#define SIMTLAB_EMU_TEXTURE_FILTER_H

#include "base/texture.h"

enum { FILTER_TEXELS = 8 };

/* The weights, in 256ths, of the texels at (x, y, z), x in bit 0 of the index, y in bit 1,
 * z in bit 2, for fractions 0 to 255 along each direction. Their sum is `whole`: 256, or
 * what a mipmap level has of it. */
void filter_weights(const uint32_t fraction[3], uint32_t whole, uint32_t weight[FILTER_TEXELS]);

/* The weighted sum of one channel, of two levels' texels. Texels and result are f32 bits, exact ones of f16 for
 * an f16 texture; raw integers for an integer one, whose result is a fraction. */
uint32_t filter_sum(enum element element, const uint32_t weight[2 * FILTER_TEXELS],
                    const uint32_t texel[2 * FILTER_TEXELS]);

/* The same for sRGB that has become f16. */
uint32_t filter_srgb_sum(const uint32_t weight[2 * FILTER_TEXELS],
                         const uint32_t texel[2 * FILTER_TEXELS]);

/* An sRGB code as a linear fraction, f32 bits; back; and the exponent that filtering takes of
 * such a fraction. */
uint32_t texture_srgb(uint8_t code);
uint8_t texture_srgb_code(uint32_t bits);
int texture_srgb_exponent(uint32_t bits);

/* An integer texel as the fraction that it stands for, f32 bits. */
uint32_t filter_fraction(enum element element, uint32_t texel);

#endif
