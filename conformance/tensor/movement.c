/* SPDX-License-Identifier: Apache-2.0
 *
 * movement.c - the part of a kernel that is of ldmatrix, stmatrix, movmatrix.
 *
 * A tile of 32 rows of sixteen bytes is filled; lane l names row 5 l + 3 of it, modulo
 * 32, so that rows come in another order. What comes out, registers or the tile, is the
 * result. */
#include <string.h>

#include "conformance/tensor/kernel.h"

static void emit_tile(struct text *ptx)
{
    emit_row(ptx, MATRIX_A);
    text_puts(ptx, "shl.b32 %to, %lane, 2; add.u32 %to, %to, %tile;\n");
    for (unsigned w = 0; w < 4; w++) {
        text_printf(ptx, "add.u32 %%i, %%lane, %u;\n", 32 * w);
        emit_word_i(ptx, 0);
        text_printf(ptx, "st.shared.b32 [%%to+%u], %%v; mov.b32 %%a%u, %%h;\n", 128 * w, w);
    }
    text_puts(ptx, "bar.warp.sync -1;\n"
                   "mad.lo.u32 %x, %lane, 5, 3; and.b32 %x, %x, 31; shl.b32 %x, %x, 4;\n"
                   "add.u32 %to, %tile, %x; cvt.u64.u32 %wide, %to; cvta.shared.u64 %wide, %wide;\n");
}

void emit_movement(const struct variant *v, struct text *ptx)
{
    const char *trans = v->a_column ? ".trans" : "", *space = v->generic ? "" : ".shared";
    const char *at = v->generic ? "%wide" : "%to";
    bool load = !strcmp(v->modifier, "ldmatrix"), store = !strcmp(v->modifier, "stmatrix");

    emit_tile(ptx);
    if (load) {
        text_printf(ptx, "ldmatrix.sync.aligned.m8n8.x%u%s%s.b16 ", v->n, trans, space);
        emit_list(ptx, 'd', v->n);
        text_printf(ptx, ", [%s];\n", at);
    } else if (store) {
        text_printf(ptx, "stmatrix.sync.aligned.m8n8.x%u%s%s.b16 [%s], ", v->n, trans, space, at);
        emit_list(ptx, 'a', v->n);
        text_puts(ptx, ";\nbar.warp.sync -1;\nshl.b32 %to, %lane, 2; add.u32 %to, %to, %tile;\n");
        for (unsigned w = 0; w < 4; w++)
            text_printf(ptx, "ld.shared.b32 %%d%u, [%%to+%u];\n", w, 128 * w);
    } else {
        text_puts(ptx, "movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;\n");
    }
    text_puts(ptx, "mad.wide.u32 %out, %lane, 4, %out;\n");
    for (unsigned w = 0; w < v->output / 128; w++)
        text_printf(ptx, "st.global.b32 [%%out+%u], %%d%u;\n", 128 * w, w);
}
