/* SPDX-License-Identifier: Apache-2.0
 *
 * video.h - scalar and packed video instructions.
 *
 * PTX ISA "Scalar Video Instructions" and "SIMD Video Instructions". These
 * are short programs on the device; where the programs differ from the
 * manual's pseudo-code the device is right (measured on H200, see video.c).
 *
 * Selectors, signs and the secondary operation come in one 64-bit word e, an
 * OR of the constants below; .sat is MODE_SAT. */
#ifndef SIMTLAB_NUMERIC_VIDEO_H
#define SIMTLAB_NUMERIC_VIDEO_H

#include <stdint.h>

#include "numeric/mode.h"
#include "numeric/order.h"

enum video {
    VIDEO_ADD,
    VIDEO_SUB,
    VIDEO_ABSDIFF,
    VIDEO_MIN,
    VIDEO_MAX,
    VIDEO_SET,   /* compare, see VIDEO_CONDITION */
    VIDEO_SHL,   /* scalar only */
    VIDEO_SHR,   /* scalar only */
    VIDEO_AVERAGE, /* packed only */
};

/* dtype, atype, btype are signed. The result of vset has no sign. */
#define VIDEO_D_SIGNED ((uint64_t)1 << 0)
#define VIDEO_A_SIGNED ((uint64_t)1 << 1)
#define VIDEO_B_SIGNED ((uint64_t)1 << 2)
/* vmad: -a, -b, -c and .po */
#define VIDEO_A_NEGATED ((uint64_t)1 << 3)
#define VIDEO_B_NEGATED ((uint64_t)1 << 4)
#define VIDEO_C_NEGATED ((uint64_t)1 << 5)
#define VIDEO_PLUS_ONE ((uint64_t)1 << 6)
/* vshl, vshr: .wrap instead of .clamp */
#define VIDEO_WRAP ((uint64_t)1 << 7)
/* The secondary operation with c; packed forms have only .add. */
#define VIDEO_THEN_ADD ((uint64_t)1 << 8)
#define VIDEO_THEN_MIN ((uint64_t)2 << 8)
#define VIDEO_THEN_MAX ((uint64_t)3 << 8)
/* vset: COMPARE_EQ to COMPARE_GE of order.h. */
#define VIDEO_CONDITION(condition) ((uint64_t)(condition) << 11)
/* vmad: .shr7, .shr15 */
#define VIDEO_SCALE(shift) ((uint64_t)(shift) << 14)
/* Scalar selectors. With a destination selector the result replaces that part
 * of c. */
enum video_part {
    VIDEO_WORD,
    VIDEO_B0,
    VIDEO_B1,
    VIDEO_B2,
    VIDEO_B3,
    VIDEO_H0,
    VIDEO_H1,
};
#define VIDEO_A_PART(part) ((uint64_t)(part) << 20)
#define VIDEO_B_PART(part) ((uint64_t)(part) << 24)
#define VIDEO_D_PART(part) ((uint64_t)(part) << 28)
/* Packed selectors. Mask bit i: part i of the result is computed (else it is
 * c's, or not added). Nibble i of a selection: which part of {b,a} goes to
 * part i; a supplies 0 and 1 (2 of halves) or 0 to 3 (of bytes). */
#define VIDEO_MASK(mask) ((uint64_t)(mask) << 20)
#define VIDEO_A_PARTS(nibbles) ((uint64_t)(nibbles) << 32)
#define VIDEO_B_PARTS(nibbles) ((uint64_t)(nibbles) << 48)
/* What PTX means when it says nothing. */
#define VIDEO2_DEFAULT (VIDEO_MASK(0x3) | VIDEO_A_PARTS(0x10) | VIDEO_B_PARTS(0x32))
#define VIDEO4_DEFAULT (VIDEO_MASK(0xf) | VIDEO_A_PARTS(0x3210) | VIDEO_B_PARTS(0x7654))

uint32_t video_scalar(enum video video, uint32_t a, uint32_t b, uint32_t c, uint64_t e,
                      unsigned mode);
uint32_t video_mad(uint32_t a, uint32_t b, uint32_t c, uint64_t e, unsigned mode);
/* Two halves, four bytes. */
uint32_t video_halves(enum video video, uint32_t a, uint32_t b, uint32_t c, uint64_t e,
                      unsigned mode);
uint32_t video_bytes(enum video video, uint32_t a, uint32_t b, uint32_t c, uint64_t e,
                     unsigned mode);

#endif
