/* SPDX-License-Identifier: Apache-2.0
 *
 * store_async.c - st.async and red.async.
 *
 * Each lane stores into the shared memory of a block of the cluster, or combines with
 * what is there, and tells an mbarrier of that block how many bytes came. It happens at
 * issue; to observers it is beside its thread, which only the mbarrier can wait for.
 * PTX ISA, "st.async", "red.async". */
#include "emu/memory_ops.h"

static void tell(const struct step *step, uint32_t lanes, uint64_t number, bool done)
{
    OBSERVE(step->warp->block->state, copy,
            &(struct copy_event){.warp = step->warp, .code = step->code, .mask = lanes,
                                 .number = number, .done = done});
}

static void refuse_space(const struct step *step, const struct access *access, uint32_t lanes)
{
    FOR_LANES (lane, lanes) {
        struct finding finding = {
            .category = FINDING_MEMORY,
            .kind = "out-of-bounds",
            .severity = FINDING_ERROR,
            .space = IR_SPACE_SHARED,
            .has_address = true,
            .address = access->address[lane],
            .size = access->size,
        };
        finding.where[0].access = access->kind;
        report_at(step->warp, step->code, step->fragment, lane, finding,
                  "'%s' to memory that is not shared", ir_ops[step->code->op].name);
    }
}

/* True when memory has changed. */
static bool put(const struct step *step, unsigned lane, unsigned char *host)
{
    const struct code *code = step->code;
    unsigned bytes = ir_type_bytes(code->type);
    bool changed = false;

    for (unsigned e = 0; e < code->vector; e++) {
        uint64_t value = lane_read(step, source_operand(code, 2 + e), code->value_bytes, lane);
        unsigned char *to = host + e * bytes, word[8];
        memcpy(word, &value, sizeof word);
        if (code->op == IR_OP_red_async) {
            changed |= atomic_element(code, IR_SPACE_SHARED, to, word);
        } else {
            changed |= memcmp(to, word, bytes) != 0;
            memcpy(to, word, bytes);
        }
    }
    return changed;
}

/* Sources: to, mbarrier, values. */
void store_async_execute(const struct step *step)
{
    const struct code *code = step->code;
    bool reduces = code->op == IR_OP_red_async;
    struct access access = {.kind = reduces ? FINDING_ATOMIC : FINDING_WRITE,
                            .size = code->vector * ir_type_bytes(code->type)};

    FOR_LANES (lane, step->mask)
        access.address[lane] = lane_read(step, source_operand(code, 0), 8, lane);
    access_resolve(&access, step->warp, step->fragment, code, code->space, step->mask);
    refuse_space(step, &access, access.mask & ~access.in[IR_SPACE_SHARED]);
    access.mask &= access.in[IR_SPACE_SHARED];
    if (!access.mask)
        return;
    uint64_t number = async_next(step->warp);
    tell(step, access.mask, number, false);
    tell(step, access.mask, number, true);
    access.base = step->base;
    access.frame = step->fragment->frame;
    access_report(&access, step->warp, code, reduces ? ACCESS_ATOMIC : ACCESS_WRITE, access.mask);
    FOR_LANES (lane, access.mask) {
        if (put(step, lane, access.host[lane]))
            step_changed(step);
        mbarrier_complete_bytes(step, lane, code->space,
                                lane_read(step, source_operand(code, 1), 8, lane), access.size);
    }
}
