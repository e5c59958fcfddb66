/* SPDX-License-Identifier: Apache-2.0
 *
 * place.h - what the checkers share when they report. */
#ifndef SIMTLAB_CHECK_PLACE_H
#define SIMTLAB_CHECK_PLACE_H

#include "emu/state.h"

/* The instruction in one lane of the warp, which runs in a function. */
struct finding_place place_of(const struct warp *warp, const struct ir_function *function,
                              const struct code *code, unsigned lane);

/* "lane 3", "lanes 0 to 15 and 20": the lanes of a mask, which is not empty. */
enum { LANES_TEXT = 256 };
void lanes_text(char text[LANES_TEXT], uint32_t mask);

/* The fragment of the warp whose registers these are and which stands at the
 * code; NULL when there is none. */
struct fragment *fragment_at(struct warp *warp, const unsigned char *registers,
                             const struct code *code);

#endif
