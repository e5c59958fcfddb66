/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_text.h - the text form of a tensor and its map.
 *
 *     tensor : TYPE [ SIZE {x SIZE} ] {, OPTION} [= CONTENTS]
 *
 *     tensor:f16[64x32],box:64x8,swizzle:128=rand:1
 *
 * TYPE      u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32ftz tf32 tf32ftz
 * SIZE      elements in each of 1 to 5 dimensions, the innermost first
 * OPTION    box:64x8            what one copy moves; the whole tensor when not given
 *           strides:512x4096    bytes from one to the next in each dimension but the
 *                               first; when not given, rows are padded to 16 bytes
 *           steps:1x2           element strides
 *           swizzle:32 64 128   interleave:16 32   l2:64 128 256     in bytes
 *           nan                 what lies outside is NaN, not zero
 *           lower:-1x-1 upper:1x1 channels:64 pixels:16      for im2col, instead of box
 * CONTENTS  as of a buffer: all the memory, what pads rows too */
#ifndef SIMTLAB_BASE_TENSOR_TEXT_H
#define SIMTLAB_BASE_TENSOR_TEXT_H

#include "base/arena.h"
#include "base/element.h"
#include "base/tensor_map.h"

/* True when text begins as a tensor does. */
bool tensor_begins(const char *text, size_t size);
/* Reads all up to the contents; *rest is where the '=' stands, or the end. The map has no
 * address yet. *element: how its memory is shown; *count: elements of that. Returns NULL,
 * or one sentence that says what is wrong; it is in the arena. */
const char *tensor_parse(struct arena *arena, const char *text, size_t size,
                         struct tensor_map *map, enum element *element, uint64_t *count,
                         const char **rest);

#endif
