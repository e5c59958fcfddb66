/* SPDX-License-Identifier: Apache-2.0
 *
 * rows.h - includes ops.def for its rows, all in one shape; define
 *     ROW(n, moded, op, D, A, B, C, E, expression)
 * first. Absent source types are none. No include guard: it is meant to be
 * included many times. */
#define OP(...)
#define ON1(op, D, A, x) ROW(1, 0, op, D, A, none, none, none, x)
#define ON2(op, D, A, B, x) ROW(2, 0, op, D, A, B, none, none, x)
#define ON3(op, D, A, B, C, x) ROW(3, 0, op, D, A, B, C, none, x)
#define ON4(op, D, A, B, C, E, x) ROW(4, 0, op, D, A, B, C, E, x)
#define ONM1(op, D, A, x) ROW(1, 1, op, D, A, none, none, none, x)
#define ONM2(op, D, A, B, x) ROW(2, 1, op, D, A, B, none, none, x)
#define ONM3(op, D, A, B, C, x) ROW(3, 1, op, D, A, B, C, none, x)
#define ONM4(op, D, A, B, C, E, x) ROW(4, 1, op, D, A, B, C, E, x)
#define ONZ1(op, D, A, x) ROW(1, 2, op, D, A, none, none, none, x)
#include "ir/ops.def"
#undef OP
#undef ON1
#undef ON2
#undef ON3
#undef ON4
#undef ONM1
#undef ONM2
#undef ONM3
#undef ONM4
#undef ONZ1
#undef ROW
