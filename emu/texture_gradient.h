/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_gradient.h - which mipmap level the gradients of a fetch mean. */
#ifndef SIMTLAB_EMU_TEXTURE_GRADIENT_H
#define SIMTLAB_EMU_TEXTURE_GRADIENT_H

#include "emu/texture.h"

/* In 256ths of a level, before bias and limits; far below 0 for gradients that are 0. */
int32_t texture_gradient_level(const struct texture *what, const struct texture_query *query);

#endif
