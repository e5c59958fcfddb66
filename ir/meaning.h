/* SPDX-License-Identifier: Apache-2.0
 *
 * meaning.h - what the expressions of ops.def are written in: lane types and
 * the numeric functions. Included by each file that compiles the rows. */
#ifndef SIMTLAB_IR_MEANING_H
#define SIMTLAB_IR_MEANING_H

#include "ir/types.h"
#include "numeric/approx.h"
#include "numeric/convert.h"
#include "numeric/float.h"
#include "numeric/half.h"
#include "numeric/integer.h"
#include "numeric/mode.h"
#include "numeric/order.h"
#include "numeric/video.h"

#define TYPE(name, bits, kind, lane) typedef lane lane_##name;
#include "ir/types.def"
#undef TYPE

#endif
