/* SPDX-License-Identifier: Apache-2.0
 *
 * video.h - scalar and packed video instructions as PTX. */
#ifndef SIMTLAB_CODEGEN_VIDEO_H
#define SIMTLAB_CODEGEN_VIDEO_H

#include "codegen/gen.h"

void gen_video(struct gen *g);

#endif
