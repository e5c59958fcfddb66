/* SPDX-License-Identifier: Apache-2.0
 *
 * mode.h - how an operation rounds and what it does at the edges.
 *
 * Every numeric function takes the mode as an argument; nothing reads or sets
 * host floating-point state. A mode is a rounding direction ORed with flags,
 * so 0 is what most instructions use: nearest even, denormals kept. */
#ifndef SIMTLAB_NUMERIC_MODE_H
#define SIMTLAB_NUMERIC_MODE_H

#include <stdint.h>

enum mode {
    ROUND_NEAREST_EVEN = 0, /* .rn, .rni */
    ROUND_ZERO = 1,         /* .rz, .rzi */
    ROUND_DOWN = 2,         /* .rm, .rmi */
    ROUND_UP = 3,           /* .rp, .rpi */
    ROUND_NEAREST_AWAY = 4, /* .rna */
    ROUND_MASK = 7,

    MODE_FTZ = 1 << 3,         /* .ftz: denormal inputs and results are zero */
    MODE_SAT = 1 << 4,         /* .sat: clamp (float: to [0,1]; integer: to the type) */
    MODE_RELU = 1 << 5,        /* .relu: negative results are zero */
    MODE_NAN = 1 << 6,         /* .NaN: a NaN operand wins in min and max */
    MODE_XORSIGN_ABS = 1 << 7, /* .xorsign.abs */
    MODE_SATFINITE = 1 << 8,   /* .satfinite */
    MODE_INTEGRAL = 1 << 9,    /* cvt float to float: round to an integral value (.rni ...) */
    MODE_ALL = (1 << 10) - 1,
};

#endif
