/* SPDX-License-Identifier: Apache-2.0
 *
 * gradient.cu - texture fetches with gradients: of any direction, length and shape. */
#include "fetch.cuh"

/* Component k of the six: large and small ones, some of them 0 or multiples of 1/8. */
__device__ static inline float gradient(uint32_t i, unsigned k)
{
    uint32_t r = (uint32_t)(mix(i * 8ull + k + (1ull << 40)) >> 16);
    float size = __uint_as_float((127 - i / 4 % 12) << 23);

    if (i % 4 == 1 && k >= 3)
        return 0;
    if (i % 4 == 2)
        return __fmul_rn((float)((int32_t)(r % 17) - 8), __fmul_rn(size, 0.125f));
    return __fmul_rn((float)((int32_t)r >> 8), __fmul_rn(size, 0x1p-23f));
}
#define G(k) "f"(gradient(i, k))

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
