/* SPDX-License-Identifier: Apache-2.0
 *
 * fetch.cu - texture fetches of every geometry and type. */
#include "fetch.cuh"

TYPES(tex_1d, "tex.1d", "{%5}", "f"(X))
TYPES(tex_2d, "tex.2d", "{%5,%6}", "f"(X), "f"(Y))
TYPES(tex_3d, "tex.3d", "{%5,%6,%7,%7}", "f"(X), "f"(Y), "f"(Z))
TYPES(tex_a1d, "tex.a1d", "{%6,%5}", "f"(X), "r"(LAYER))
TYPES(tex_a2d, "tex.a2d", "{%7,%5,%6,%6}", "f"(X), "f"(Y), "r"(LAYER))
TYPES(tex_cube, "tex.cube", "{%5,%6,%7,%7}", "f"(X), "f"(Y), "f"(Z))
TYPES(tex_acube, "tex.acube", "{%8,%5,%6,%7}", "f"(X), "f"(Y), "f"(Z), "r"(LAYER))

FETCH(tex_1d_at, "tex.1d.v4.f32.s32 " D "{%5}];", "r"(WHOLE(X)))
FETCH(tex_1d_at_u32, "tex.1d.v4.u32.s32 " D "{%5}];", "r"(WHOLE(X)))
FETCH(tex_2d_at, "tex.2d.v4.f32.s32 " D "{%5,%6}];", "r"(WHOLE(X)), "r"(WHOLE(Y)))
FETCH(tex_3d_at, "tex.3d.v4.f32.s32 " D "{%5,%6,%7,%7}];", "r"(WHOLE(X)), "r"(WHOLE(Y)),
      "r"(WHOLE(Z)))
FETCH(tex_a1d_at, "tex.a1d.v4.f32.s32 " D "{%6,%5}];", "r"(WHOLE(X)), "r"(LAYER))
FETCH(tex_a2d_at, "tex.a2d.v4.f32.s32 " D "{%7,%5,%6,%6}];", "r"(WHOLE(X)), "r"(WHOLE(Y)),
      "r"(LAYER))
