/* SPDX-License-Identifier: Apache-2.0
 *
 * memory_ops.c - the MEMORY group: which file executes what; fences, and
 * operations on addresses that touch no memory. */
#include "emu/memory_ops.h"

static void fence(const struct step *step)
{
    const struct launch *launch = step->warp->block->state->launch;

    /* Lanes run one after the other on one memory: nothing is ever reordered,
     * and a fence matters to observers only. */
    for (uint32_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->fence)
            launch->observers[i]->fence(launch->observers[i], step->warp, step->code,
                                        step->mask);
}

/* PTX ISA, "cvta". Global and constant addresses are generic ones already; an
 * address outside of the space's window comes out as it is, to be reported when
 * it is used. */
static void convert_address(const struct step *step, bool to_generic)
{
    const struct code *code = step->code;
    unsigned bits = warp_address_bits(step->warp), bytes = ir_types[code->type].lane;
    uint64_t window = generic_window(bits, code->space);
    uint64_t address[LANES];

    /* Global addresses are generic ones: a copy. */
    if (!window && !(to_generic && code->space == IR_SPACE_CONST) &&
        code->address_kind == ADDRESS_REGISTER && code->address_bytes == 8 &&
        bytes == 8 && code->offset == 0 && code->o.d != OPERAND_ABSENT) {
        const uint64_t *from = operand_at(step->base, code->o.a);
        uint64_t *to = operand_at(step->base, code->o.d);
        for (unsigned i = 0; i < LANES; i++)
            to[i] = step->mask >> i & 1 ? from[i] : to[i];
        return;
    }
    access_addresses(step->warp, step->fragment, code, step->base, step->mask, address);
    FOR_LANES (lane, step->mask) {
        uint64_t value = address[lane];
        if (window && to_generic && value < generic_window_size(bits))
            value += window;
        else if (window && !to_generic && value - window < generic_window_size(bits))
            value -= window;
        else if (to_generic && code->space == IR_SPACE_CONST)
            value = image_from_bank(step->warp->block->state->executable->image, value);
        lane_write(step, code->o.d, bytes, lane, value);
    }
}

/* PTX ISA, "isspacep": .shared::cluster holds the shared memory of every block
 * of the cluster, .shared only the own one. */
static bool is_space(const struct warp *warp, uint64_t address, enum ir_space space)
{
    enum ir_space actual = generic_space(warp_address_bits(warp), &address);
    const struct allocation *found;

    switch (space) {
    case IR_SPACE_SHARED:
        return actual == IR_SPACE_SHARED &&
               (address >> SHARED_RANK_SHIFT == 0 ||
                (address >> SHARED_RANK_SHIFT) - 1 == warp->block->cluster_rank);
    case IR_SPACE_CLUSTER:
        return actual == IR_SPACE_SHARED;
    case IR_SPACE_LOCAL:
    case IR_SPACE_ARGUMENT:
        return actual == IR_SPACE_LOCAL;
    case IR_SPACE_PARAM:
        return actual == IR_SPACE_PARAM;
    case IR_SPACE_CONST:
        found = actual == IR_SPACE_GLOBAL
                    ? memory_find(warp->block->state->memory, address) : NULL;
        return found && found->kind == ALLOCATION_CONST;
    default:
        /* All that is in no window is global, constants excepted; the kernel's
         * parameters are both, and null is global (measured on H200). */
        found = memory_find(warp->block->state->memory, address);
        return actual == IR_SPACE_PARAM ||
               (actual == IR_SPACE_GLOBAL && !(found && found->kind == ALLOCATION_CONST));
    }
}

static void is_space_execute(const struct step *step)
{
    uint64_t address[LANES];
    uint32_t lanes = 0;

    access_addresses(step->warp, step->fragment, step->code, step->base, step->mask,
                     address);
    FOR_LANES (lane, step->mask)
        if (is_space(step->warp, address[lane], step->code->space))
            lanes |= UINT32_C(1) << lane;
    predicate_write(step, step->code->o.d, lanes);
}

/* A shared address, its window taken off when it is a generic one. */
static uint64_t shared_part(const struct step *step, uint64_t address, uint64_t *window)
{
    *window = 0;
    if (step->code->space == IR_SPACE_GENERIC) {
        uint64_t inner = address;
        if (generic_space(warp_address_bits(step->warp), &inner) == IR_SPACE_SHARED) {
            *window = address - inner;
            return inner;
        }
    }
    return address;
}

static const uint64_t shared_low = (UINT64_C(1) << SHARED_RANK_SHIFT) - 1;

/* PTX ISA, "mapa". */
static void map_address(const struct step *step)
{
    const struct code *code = step->code;
    unsigned bytes = ir_types[code->type].lane;
    uint64_t address[LANES];

    access_addresses(step->warp, step->fragment, code, step->base, step->mask, address);
    FOR_LANES (lane, step->mask) {
        uint64_t window, inner = shared_part(step, address[lane], &window);
        uint64_t rank = lane_read(step, source_operand(code, 1), 4, lane);
        lane_write(step, code->o.d, bytes, lane,
                   window + ((inner & shared_low) | (rank + 1) << SHARED_RANK_SHIFT));
    }
}

/* PTX ISA, "getctarank". */
static void get_rank(const struct step *step)
{
    const struct code *code = step->code;
    uint64_t address[LANES];

    access_addresses(step->warp, step->fragment, code, step->base, step->mask, address);
    FOR_LANES (lane, step->mask) {
        uint64_t window, inner = shared_part(step, address[lane], &window);
        uint64_t rank = inner >> SHARED_RANK_SHIFT;
        lane_write(step, code->o.d, 4, lane,
                   rank ? rank - 1 : step->warp->block->cluster_rank);
    }
}

void memory_execute(struct warp *warp, struct fragment *fragment,
                    const struct code *code, unsigned char *const base[2], uint32_t mask)
{
    if (!mask)
        return;
    const struct step step = {warp, fragment, code, base, mask};
    switch (code->op) {
    case IR_OP_ld:
        load_execute(&step);
        break;
    case IR_OP_st:
        store_execute(&step);
        break;
    case IR_OP_atom:
        atomic_execute(&step);
        break;
    case IR_OP_fence:
    case IR_OP_fence_proxy:
        fence(&step);
        break;
    case IR_OP_to_generic:
        convert_address(&step, true);
        break;
    case IR_OP_from_generic:
        convert_address(&step, false);
        break;
    case IR_OP_isspacep:
        is_space_execute(&step);
        break;
    case IR_OP_mapa:
        map_address(&step);
        break;
    case IR_OP_getctarank:
        get_rank(&step);
        break;
    case IR_OP_createpolicy:
        /* Caches are not modelled: every policy is the same word. */
        FOR_LANES (lane, mask)
            lane_write(&step, code->o.d, 8, lane, 0);
        break;
    case IR_OP_cp_async:
    case IR_OP_cp_async_commit:
    case IR_OP_cp_async_wait:
    case IR_OP_cp_async_mbarrier:
        async_execute(&step);
        break;
    case IR_OP_bulk:
    case IR_OP_bulk_reduce:
    case IR_OP_bulk_commit:
    case IR_OP_bulk_wait:
        bulk_execute(&step);
        break;
    case IR_OP_tensor:
        tensor_execute(&step);
        break;
    case IR_OP_tensormap_replace:
    case IR_OP_tensormap_copy:
        tensor_map_execute(&step);
        break;
    case IR_OP_st_async:
    case IR_OP_red_async:
        store_async_execute(&step);
        break;
    case IR_OP_tex:
    case IR_OP_txq:
    case IR_OP_suq:
        texture_execute(&step);
        break;
    case IR_OP_suld:
    case IR_OP_sust:
    case IR_OP_sured:
        surface_execute(&step);
        break;
    case IR_OP_mbarrier_init:
    case IR_OP_mbarrier_inval:
    case IR_OP_mbarrier_arrive:
    case IR_OP_mbarrier_expect_tx:
    case IR_OP_mbarrier_complete_tx:
    case IR_OP_mbarrier_test:
    case IR_OP_mbarrier_pending:
        mbarrier_execute(&step);
        break;
    default: /* prefetch: a hint */
        break;
    }
}
