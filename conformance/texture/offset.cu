/* SPDX-License-Identifier: Apache-2.0
 *
 * offset.cu - texture fetches with offsets, of every shape that takes them: plain, with a
 * level, with gradients, by whole coordinates, and gathered. */
#include "gradient.cuh"

/* -16 to 15; the chip looks at four bits of it. */
#define O(K) "r"((int32_t)((i + (K) * 77) * 2654435761u) >> 27)
/* A level, about 0 to 4. */
#define L "f"(__fmul_rn((float)(i * 7 % 64), 0.0625f))

FETCH(tex_1d_shifted, "tex.1d.v4.f32.f32 " D "{%5}], {%6};", "f"(X), O(0))
FETCH(tex_2d_shifted, "tex.2d.v4.f32.f32 " D "{%5,%6}], {%7,%8};", "f"(X), "f"(Y), O(0), O(1))
FETCH(tex_3d_shifted, "tex.3d.v4.f32.f32 " D "{%5,%6,%7,%7}], {%8,%9,%10,%10};", "f"(X), "f"(Y),
      "f"(Z), O(0), O(1), O(2))
FETCH(tex_a1d_shifted, "tex.a1d.v4.f32.f32 " D "{%6,%5}], {%7};", "f"(X), "r"(LAYER), O(0))
FETCH(tex_a2d_shifted, "tex.a2d.v4.f32.f32 " D "{%7,%5,%6,%6}], {%8,%9};", "f"(X), "f"(Y),
      "r"(LAYER), O(0), O(1))

FETCH(tex_1d_shifted_at, "tex.1d.v4.f32.s32 " D "{%5}], {%6};", "r"(WHOLE(X)), O(0))
FETCH(tex_2d_shifted_at, "tex.2d.v4.f32.s32 " D "{%5,%6}], {%7,%8};", "r"(WHOLE(X)),
      "r"(WHOLE(Y)), O(0), O(1))
FETCH(tex_3d_shifted_at, "tex.3d.v4.f32.s32 " D "{%5,%6,%7,%7}], {%8,%9,%10,%10};",
      "r"(WHOLE(X)), "r"(WHOLE(Y)), "r"(WHOLE(Z)), O(0), O(1), O(2))
FETCH(tex_a1d_shifted_at, "tex.a1d.v4.f32.s32 " D "{%6,%5}], {%7};", "r"(WHOLE(X)),
      "r"(LAYER), O(0))
FETCH(tex_a2d_shifted_at, "tex.a2d.v4.f32.s32 " D "{%7,%5,%6,%6}], {%8,%9};", "r"(WHOLE(X)),
      "r"(WHOLE(Y)), "r"(LAYER), O(0), O(1))

FETCH(tex_1d_level_shifted, "tex.level.1d.v4.f32.f32 " D "{%5}], %6, {%7};", "f"(X), L, O(0))
FETCH(tex_2d_level_shifted, "tex.level.2d.v4.f32.f32 " D "{%5,%6}], %7, {%8,%9};", "f"(X),
      "f"(Y), L, O(0), O(1))
FETCH(tex_3d_level_shifted,
      "tex.level.3d.v4.f32.f32 " D "{%5,%6,%7,%7}], %8, {%9,%10,%11,%11};", "f"(X), "f"(Y),
      "f"(Z), L, O(0), O(1), O(2))
FETCH(tex_a1d_level_shifted, "tex.level.a1d.v4.f32.f32 " D "{%6,%5}], %7, {%8};", "f"(X),
      "r"(LAYER), L, O(0))
FETCH(tex_a2d_level_shifted, "tex.level.a2d.v4.f32.f32 " D "{%7,%5,%6,%6}], %8, {%9,%10};",
      "f"(X), "f"(Y), "r"(LAYER), L, O(0), O(1))

FETCH(tex_1d_gradient_shifted, "tex.grad.1d.v4.f32.f32 " D "{%5}], {%6}, {%7}, {%8};", "f"(X),
      G(0), G(3), O(0))
FETCH(tex_2d_gradient_shifted,
      "tex.grad.2d.v4.f32.f32 " D "{%5,%6}], {%7,%8}, {%9,%10}, {%11,%12};", "f"(X), "f"(Y),
      G(0), G(1), G(3), G(4), O(0), O(1))
FETCH(tex_3d_gradient_shifted,
      "tex.grad.3d.v4.f32.f32 " D "{%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13}, "
      "{%14,%15,%16,%16};", "f"(X), "f"(Y), "f"(Z), G(0), G(1), G(2), G(3), G(4), G(5), O(0),
      O(1), O(2))
FETCH(tex_a1d_gradient_shifted, "tex.grad.a1d.v4.f32.f32 " D "{%6,%5}], {%7}, {%8}, {%9};",
      "f"(X), "r"(LAYER), G(0), G(3), O(0))
FETCH(tex_a2d_gradient_shifted,
      "tex.grad.a2d.v4.f32.f32 " D "{%7,%5,%6,%6}], {%8,%9}, {%10,%11}, {%12,%13};", "f"(X),
      "f"(Y), "r"(LAYER), G(0), G(1), G(3), G(4), O(0), O(1))

/* Shapes that gradient.cu does not have, without offsets. */
FETCH(tex_a1d_gradient, "tex.grad.a1d.v4.f32.f32 " D "{%6,%5}], {%7}, {%8};", "f"(X),
      "r"(LAYER), G(0), G(3))
FETCH(tex_acube_gradient,
      "tex.grad.acube.v4.f32.f32 " D "{%8,%5,%6,%7}], {%9,%10,%11,%11}, {%12,%13,%14,%14};",
      "f"(X), "f"(Y), "f"(Z), "r"(LAYER), G(0), G(1), G(2), G(3), G(4), G(5))

FETCH(tld4_shifted, "tld4.r.2d.v4.f32.f32 " D "{%5,%6}], {%7,%8};", "f"(X), "f"(Y), O(0), O(1))
FETCH(tld4_layer_shifted, "tld4.r.a2d.v4.f32.f32 " D "{%7,%5,%6,%6}], {%8,%9};", "f"(X), "f"(Y),
      "r"(LAYER), O(0), O(1))
