/* SPDX-License-Identifier: Apache-2.0
 *
 * level.cu - texture fetches with a level, gradients or offsets. */
#include "fetch.cuh"

FETCH(tex_1d_level, "tex.level.1d.v4.f32.f32 " D "{%5}], %6;", "f"(X), "f"(Z))
FETCH(tex_2d_level, "tex.level.2d.v4.f32.f32 " D "{%5,%6}], %7;", "f"(X), "f"(Y), "f"(Z))
FETCH(tex_2d_level_at, "tex.level.2d.v4.f32.s32 " D "{%5,%6}], %7;", "r"(WHOLE(X)),
      "r"(WHOLE(Y)), "r"(WHOLE(Z)))
FETCH(tex_2d_grad, "tex.grad.2d.v4.f32.f32 " D "{%5,%6}], {%7,%7}, {%7,%7};", "f"(X), "f"(Y),
      "f"(Z))
FETCH(tex_2d_offset, "tex.2d.v4.f32.f32 " D "{%5,%6}], {%7,%7};", "f"(X), "f"(Y),
      "r"(WHOLE(Z)))
