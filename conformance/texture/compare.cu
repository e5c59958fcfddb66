/* SPDX-License-Identifier: Apache-2.0
 *
 * compare.cu - texture fetches with the operand of a depth comparison, of every shape that
 * takes one. */
#include "gradient.cuh"

/* Less than, equal to, and more than what the texels are. */
#define R "f"(__fmul_rn((float)((int32_t)(i % 13) - 6), 0.25f))
#define L "f"(__fmul_rn((float)(i * 7 % 64), 0.0625f))

FETCH(tex_1d_compare, "tex.1d.v4.f32.f32 " D "{%5}], %6;", "f"(X), R)
FETCH(tex_2d_compare, "tex.2d.v4.f32.f32 " D "{%5,%6}], %7;", "f"(X), "f"(Y), R)
FETCH(tex_2d_compare_s32, "tex.2d.v4.s32.f32 " D "{%5,%6}], %7;", "f"(X), "f"(Y), R)
FETCH(tex_2d_compare_shifted, "tex.2d.v4.f32.f32 " D "{%5,%6}], {%7,%8}, %9;", "f"(X), "f"(Y),
      "r"((int32_t)(i % 16) - 8), "r"((int32_t)(i / 2 % 16) - 8), R)
FETCH(tex_a1d_compare, "tex.a1d.v4.f32.f32 " D "{%6,%5}], %7;", "f"(X), "r"(LAYER), R)
FETCH(tex_a2d_compare, "tex.a2d.v4.f32.f32 " D "{%7,%5,%6,%6}], %8;", "f"(X), "f"(Y), "r"(LAYER),
      R)
FETCH(tex_cube_compare, "tex.cube.v4.f32.f32 " D "{%5,%6,%7,%7}], %8;", "f"(X), "f"(Y), "f"(Z),
      R)
FETCH(tex_acube_compare, "tex.acube.v4.f32.f32 " D "{%8,%5,%6,%7}], %9;", "f"(X), "f"(Y), "f"(Z),
      "r"(LAYER), R)
FETCH(tex_2d_compare_base, "tex.base.2d.v4.f32.f32 " D "{%5,%6}], %7;", "f"(X), "f"(Y), R)
FETCH(tex_2d_compare_level, "tex.level.2d.v4.f32.f32 " D "{%5,%6}], %7, %8;", "f"(X), "f"(Y), L,
      R)
FETCH(tex_2d_compare_gradient, "tex.grad.2d.v4.f32.f32 " D "{%5,%6}], {%7,%8}, {%9,%10}, %11;",
      "f"(X), "f"(Y), G(0), G(1), G(3), G(4), R)
FETCH(tex_cube_compare_gradient,
      "tex.grad.cube.v4.f32.f32 " D "{%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13}, %14;",
      "f"(X), "f"(Y), "f"(Z), G(0), G(1), G(2), G(3), G(4), G(5), R)
FETCH(tld4_compare, "tld4.r.2d.v4.f32.f32 " D "{%5,%6}], %7;", "f"(X), "f"(Y), R)
FETCH(tld4_cube_compare, "tld4.r.cube.v4.f32.f32 " D "{%5,%6,%7,%7}], %8;", "f"(X), "f"(Y),
      "f"(Z), R)
