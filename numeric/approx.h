/* SPDX-License-Identifier: Apache-2.0
 *
 * approx.h - the approximate instructions, exact to the bit as sm_90 computes
 * them: rcp, rsqrt, sqrt, ex2, lg2, sin, cos, tanh, div.approx and div.full.
 *
 * The unit evaluates A + B*l + C*s(l) on table segments in integers; s is a
 * squarer that truncates each partial product. Algorithm: Oberman and Siu,
 * ARITH-17, 2005; constants and tables measured on an H200, where the model
 * equalled the chip on all 2^32 inputs. What PTX calls .approx without .ftz is
 * a few ordinary instructions around the unit, the ones ptxas emits. */
#ifndef SIMTLAB_NUMERIC_APPROX_H
#define SIMTLAB_NUMERIC_APPROX_H

#include <stdint.h>

/* mode: 0 or MODE_FTZ. */
uint32_t f32_rcp_approx(uint32_t a, unsigned mode);
uint32_t f32_rsqrt_approx(uint32_t a, unsigned mode);
uint32_t f32_sqrt_approx(uint32_t a, unsigned mode);
uint32_t f32_ex2_approx(uint32_t a, unsigned mode);
uint32_t f32_lg2_approx(uint32_t a, unsigned mode);
uint32_t f32_sin_approx(uint32_t a);
uint32_t f32_cos_approx(uint32_t a);
uint32_t f32_tanh_approx(uint32_t a);
uint32_t f32_div_approx(uint32_t a, uint32_t b, unsigned mode);
uint32_t f32_div_full(uint32_t a, uint32_t b, unsigned mode);

uint16_t f16_ex2_approx(uint16_t a);
uint16_t f16_tanh_approx(uint16_t a);
uint16_t bf16_ex2_approx(uint16_t a);
uint16_t bf16_tanh_approx(uint16_t a);

uint64_t f64_rcp_approx(uint64_t a);                   /* .ftz: the only form */
uint64_t f64_rsqrt_approx(uint64_t a, unsigned mode);

#endif
