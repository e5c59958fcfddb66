/* SPDX-License-Identifier: Apache-2.0
 *
 * ops_only.h - includes ops.def for its OP lines; define OP first. No include
 * guard: it is meant to be included many times. */
#define ON1(...)
#define ON2(...)
#define ON3(...)
#define ON4(...)
#define ONM1(...)
#define ONM2(...)
#define ONM3(...)
#define ONM4(...)
#define ONZ1(...)
#include "ir/ops.def"
#undef ON1
#undef ON2
#undef ON3
#undef ON4
#undef ONM1
#undef ONM2
#undef ONM3
#undef ONM4
#undef ONZ1
#undef OP
