/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor_map_ops.c - tensormap.replace and tensormap.cp_fenceproxy.
 *
 * PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy". */
#include "base/tensor_map.h"
#include "emu/memory_ops.h"

enum { ALIGN = 128 };

/* Sources: base, offset, new value. */
static void replace(const struct step *step)
{
    const struct code *code = step->code;
    struct access access = {.kind = FINDING_WRITE, .size = TENSOR_MAP_BYTES, .align = ALIGN};

    access_addresses(step->warp, step->fragment, code, step->base, step->mask, access.address);
    access_resolve(&access, step->warp, step->fragment, code, code->space, step->mask);
    access_report(&access, step->warp, code, ACCESS_WRITE, access.mask);
    FOR_LANES (lane, access.mask)
        tensor_map_replace(access.host[lane], (enum tensor_field)code->sub,
                           lane_read(step, source_operand(code, 2), 8, lane));
    if (access.mask)
        step_changed(step);
}

static bool find(const struct step *step, struct access *access, unsigned lane, unsigned source,
                 enum ir_space space, enum finding_access kind)
{
    *access = (struct access){.kind = kind, .size = TENSOR_MAP_BYTES, .align = ALIGN};
    access->address[lane] = lane_read(step, source_operand(step->code, source), 8, lane);
    access_resolve(access, step->warp, step->fragment, step->code, space, UINT32_C(1) << lane);
    return access->mask;
}

/* The lanes do it together, with the same addresses: the first one stands for all.
 * Sources: to, from. */
static void copy(const struct step *step)
{
    unsigned lane = lane_first(step->mask);
    struct access from, to;

    if (!find(step, &from, lane, 1, IR_SPACE_SHARED, FINDING_READ) ||
        !find(step, &to, lane, 0, IR_SPACE_GLOBAL, FINDING_WRITE))
        return;
    access_report(&from, step->warp, step->code, ACCESS_READ, from.mask);
    access_report(&to, step->warp, step->code, ACCESS_WRITE, to.mask);
    memcpy(to.host[lane], from.host[lane], TENSOR_MAP_BYTES);
    step_changed(step);
    OBSERVE(step->warp->block->state, fence, step->warp, step->code, step->mask);
}

void tensor_map_execute(const struct step *step)
{
    if (step->code->op == IR_OP_tensormap_replace)
        replace(step);
    else
        copy(step);
}
