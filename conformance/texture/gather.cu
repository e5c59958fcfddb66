/* SPDX-License-Identifier: Apache-2.0
 *
 * gather.cu - tld4: one channel of four texels. */
#include "fetch.cuh"

FETCH(tld4_r, "tld4.r.2d.v4.f32.f32 " D "{%5,%6}];", "f"(X), "f"(Y))
FETCH(tld4_g, "tld4.g.2d.v4.f32.f32 " D "{%5,%6}];", "f"(X), "f"(Y))
FETCH(tld4_b, "tld4.b.2d.v4.u32.f32 " D "{%5,%6}];", "f"(X), "f"(Y))
FETCH(tld4_a, "tld4.a.2d.v4.s32.f32 " D "{%5,%6}];", "f"(X), "f"(Y))
FETCH(tld4_layer, "tld4.r.a2d.v4.f32.f32 " D "{%7,%5,%6,%6}];", "f"(X), "f"(Y), "r"(LAYER))
FETCH(tld4_cube, "tld4.r.cube.v4.f32.f32 " D "{%5,%6,%7,%7}];", "f"(X), "f"(Y), "f"(Z))
