/* SPDX-License-Identifier: Apache-2.0
 *
 * init_matrix.c - undefined bits in matrix instructions.
 *
 * An element of D depends on a row of A, a column of B and an element of C, and
 * on nothing else. What ldmatrix loads counts as defined; so does the memory
 * that stmatrix has written. */
#include <string.h>

#include "check/init.h"
#include "ir/matrix.h"

/* Elements with undefined bits: an origin, or 0. */
struct undefined_matrices {
    origin_id a[32], b[32]; /* by row of A, by column of B, products side by side */
    origin_id c[32][8];
};

static bool takes_part(const struct fragment *fragment, const struct code *code, uint32_t mask)
{
    return fragment->state == FRAGMENT_SYNC && (fragment->mask & mask) &&
           &fragment->frame->program->code[fragment->pc] == code;
}

static void collect(struct undefined_matrices *u, const struct shadow_frame *frame,
                    const struct ir_mma *mma, enum ir_mma_matrix matrix, uint32_t operand,
                    unsigned reg, uint32_t mask)
{
    unsigned elements = matrix == IR_MMA_C ? mma->c_elements : mma->a_elements;

    FOR_LANES(lane, undefined_lanes(frame, operand, mask))
    {
        uint64_t bits = undefined_bits(frame, operand, lane);
        origin_id origin = undefined_origin(frame, operand, lane) & ~(origin_id)ORIGIN_PLAIN;
        unsigned width = mma->d == TENSOR_F64 ? 64 : 32 / elements;
        for (unsigned e = 0; e < elements; e++) {
            if (!(bits >> e * width & (UINT64_MAX >> (64 - width))))
                continue;
            struct ir_mma_place place = ir_mma_place(mma, matrix, lane, reg, e);
            origin_id *to = matrix == IR_MMA_A   ? &u->a[place.part * mma->m + place.row]
                            : matrix == IR_MMA_B ? &u->b[place.part * mma->n + place.column]
                                                 : &u->c[place.part * mma->m + place.row]
                                                        [place.column];
            *to = origin;
        }
    }
}

static void multiplied(struct init *init, struct warp *warp, const struct code *code,
                       uint32_t mask)
{
    struct undefined_matrices u;
    struct ir_mma mma;
    bool sparse = code->op == IR_OP_mma_sp;

    if (!(sparse ? ir_mma_sp_read : ir_mma_read)(code->sub, code->type, code->type2, &mma))
        return;
    memset(&u, 0, sizeof u);
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (!takes_part(fragment, code, mask))
            continue;
        const struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
        const uint32_t *operands = code->operands + code->destinations;
        for (unsigned r = 0; r < mma.a_registers; r++)
            collect(&u, frame, &mma, IR_MMA_A, *operands++, r, fragment->mask);
        for (unsigned r = 0; r < mma.b_registers; r++)
            collect(&u, frame, &mma, IR_MMA_B, *operands++, r, fragment->mask);
        for (unsigned r = 0; r < mma.c_registers; r++)
            collect(&u, frame, &mma, IR_MMA_C, *operands++, r, fragment->mask);
        if (sparse) /* metadata: of rows g and g + 8 */
            FOR_LANES(lane, undefined_lanes(frame, *operands, fragment->mask))
                u.a[lane / 4] = u.a[lane / 4 + 8] =
                    undefined_origin(frame, *operands, lane) & ~(origin_id)ORIGIN_PLAIN;
    }
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (!takes_part(fragment, code, mask))
            continue;
        struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
        for (unsigned r = 0; r < mma.d_registers; r++)
            FOR_LANES(lane, fragment->mask)
            {
                unsigned width = mma.d == TENSOR_F64 ? 64 : 32 / mma.d_elements;
                uint64_t bits = 0;
                origin_id origin = 0;
                for (unsigned e = 0; e < mma.d_elements; e++) {
                    struct ir_mma_place place = ir_mma_place(&mma, IR_MMA_D, lane, r, e);
                    unsigned row = place.part * mma.m + place.row;
                    origin_id from = u.a[row];
                    from = from ? from : u.b[place.part * mma.n + place.column];
                    from = from ? from : u.c[row][place.column];
                    if (!from)
                        continue;
                    origin = from;
                    bits |= (UINT64_MAX >> (64 - width)) << e * width;
                }
                undefined_set(frame, code->operands[r], lane, bits, origin);
            }
    }
}

/* movmatrix: the bits of an element are undefined where those it comes from are. */
static void moved(struct init *init, struct warp *warp, const struct code *code, uint32_t mask)
{
    uint64_t bits[LANES] = {0};
    origin_id origin[LANES] = {0};

    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (!takes_part(fragment, code, mask))
            continue;
        const struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
        FOR_LANES(lane, undefined_lanes(frame, code->operands[1], fragment->mask))
        {
            bits[lane] = undefined_bits(frame, code->operands[1], lane);
            origin[lane] = undefined_origin(frame, code->operands[1], lane);
        }
    }
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (!takes_part(fragment, code, mask))
            continue;
        struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
        FOR_LANES(lane, fragment->mask)
        {
            uint64_t result = 0;
            origin_id from = 0;
            for (unsigned e = 0; e < 2; e++) {
                unsigned row = 2 * (lane % 4) + e, column = lane / 4;
                unsigned source = row * 4 + column / 2;
                uint64_t half = bits[source] >> 16 * (column & 1) & 0xffff;
                result |= half << 16 * e;
                from = half ? origin[source] : from;
            }
            undefined_set(frame, code->operands[0], lane, result, from);
        }
    }
}

void init_matrix_sync(struct init *init, struct warp *warp, const struct code *code,
                      uint32_t mask)
{
    if (code->op == IR_OP_mma || code->op == IR_OP_mma_sp) {
        multiplied(init, warp, code, mask);
        return;
    }
    if (code->op == IR_OP_movmatrix) {
        moved(init, warp, code, mask);
        return;
    }
    FOR_FRAGMENTS(i, warp)
    {
        const struct fragment *fragment = &warp->fragments[i];
        if (!takes_part(fragment, code, mask))
            continue;
        if (is_wgmma(code->op)) {
            init_wgmma_issue(init, warp, fragment, code);
            continue;
        }
        struct shadow_frame *frame = shadow_frame_of(init, fragment->frame->registers);
        for (unsigned d = 0; d < code->destinations; d++)
            undefined_clear(frame, code->operands[d], fragment->mask);
    }
}
