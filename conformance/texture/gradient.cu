/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.cu - texture fetches with gradients: of any direction, length and shape. */
#include "gradient.cuh"

FETCH(tex_1d_gradient, "tex.grad.1d.v4.f32.f32 " D "{%5}], {%6}, {%7};", "f"(X), G(0), G(3))
FETCH(tex_2d_gradient, "tex.grad.2d.v4.f32.f32 " D "{%5,%6}], {%7,%8}, {%9,%10};", "f"(X),
      "f"(Y), G(0), G(1), G(3), G(4))
FETCH(tex_2d_gradient_offset,
      "tex.grad.2d.v4.f32.f32 " D "{%5,%6}], {%7,%8}, {%9,%10}, {%11,%11};", "f"(X), "f"(Y),
      G(0), G(1), G(3), G(4), "r"(WHOLE(Z)))
FETCH(tex_a2d_gradient, "tex.grad.a2d.v4.f32.f32 " D "{%11,%5,%6,%6}], {%7,%8}, {%9,%10};",
      "f"(X), "f"(Y), G(0), G(1), G(3), G(4), "r"(LAYER))
FETCH(tex_3d_gradient,
      "tex.grad.3d.v4.f32.f32 " D "{%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13};",
      "f"(X), "f"(Y), "f"(Z), G(0), G(1), G(2), G(3), G(4), G(5))
FETCH(tex_cube_gradient,
      "tex.grad.cube.v4.f32.f32 " D "{%5,%6,%7,%7}], {%8,%9,%10,%10}, {%11,%12,%13,%13};",
      "f"(X), "f"(Y), "f"(Z), G(0), G(1), G(2), G(3), G(4), G(5))
