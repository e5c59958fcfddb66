/* SPDX-License-Identifier: Apache-2.0
 *
 * sreg.c - special registers. PTX ISA, "Special Registers".
 *
 * Clocks are deterministic: they count the instructions that the warp has
 * executed, so they move forward in every loop and never depend on the host. */
#include "emu/interp.h"

#include <string.h>

uint64_t sreg_read64(const struct warp *warp, enum ir_sreg sreg, uint64_t steps)
{
    const struct block *block = warp->block;
    const struct launch_state *state = block->state;
    const struct launch *launch = state->launch;
    const struct profile *profile = launch->profile;
    const uint32_t *shape = launch->cluster;
    uint32_t rank = block->cluster_rank;
    bool clusters = state->cluster_size > 1;
    uint32_t own_shared = state->shared_total - state->executable->shared_system;

    switch (sreg) {
    case IR_SREG_ntid_x: return launch->block[0];
    case IR_SREG_ntid_y: return launch->block[1];
    case IR_SREG_ntid_z: return launch->block[2];
    case IR_SREG_ctaid_x: return block->index[0];
    case IR_SREG_ctaid_y: return block->index[1];
    case IR_SREG_ctaid_z: return block->index[2];
    case IR_SREG_nctaid_x: return launch->grid[0];
    case IR_SREG_nctaid_y: return launch->grid[1];
    case IR_SREG_nctaid_z: return launch->grid[2];
    case IR_SREG_warpid: return warp->index;
    case IR_SREG_nwarpid: return profile->threads_per_multiprocessor / profile->warp_size;
    case IR_SREG_smid: return block->linear % profile->multiprocessors;
    case IR_SREG_nsmid: return profile->multiprocessors;
    case IR_SREG_gridid: return 1;
    case IR_SREG_clock: return (uint32_t)steps;
    case IR_SREG_clock_hi: return steps >> 32;
    case IR_SREG_clock64: return steps;
    case IR_SREG_globaltimer: return steps;
    case IR_SREG_globaltimer_lo: return (uint32_t)steps;
    case IR_SREG_globaltimer_hi: return steps >> 32;
    /* Measured on H200: the block's own part, in whole units; with the system's
     * part and unrounded for the aggregate. */
    case IR_SREG_total_smem_size:
        return (own_shared + profile->shared_unit - 1) / profile->shared_unit *
               profile->shared_unit;
    case IR_SREG_dynamic_smem_size: return launch->shared_bytes;
    case IR_SREG_aggr_smem_size: return own_shared + profile->shared_reserved;
    case IR_SREG_reserved_smem_offset_begin: return 0;
    case IR_SREG_reserved_smem_offset_end: return profile->shared_reserved ? 0x120 : 0;
    case IR_SREG_reserved_smem_offset_cap: return profile->shared_reserved;
    case IR_SREG_clusterid_x: return block->index[0] / (clusters ? shape[0] : 1);
    case IR_SREG_clusterid_y: return block->index[1] / (clusters ? shape[1] : 1);
    case IR_SREG_clusterid_z: return block->index[2] / (clusters ? shape[2] : 1);
    case IR_SREG_nclusterid_x: return launch->grid[0] / (clusters ? shape[0] : 1);
    case IR_SREG_nclusterid_y: return launch->grid[1] / (clusters ? shape[1] : 1);
    case IR_SREG_nclusterid_z: return launch->grid[2] / (clusters ? shape[2] : 1);
    case IR_SREG_cluster_ctaid_x: return clusters ? block->index[0] % shape[0] : 0;
    case IR_SREG_cluster_ctaid_y: return clusters ? block->index[1] % shape[1] : 0;
    case IR_SREG_cluster_ctaid_z: return clusters ? block->index[2] % shape[2] : 0;
    case IR_SREG_cluster_nctaid_x: return clusters ? shape[0] : 1;
    case IR_SREG_cluster_nctaid_y: return clusters ? shape[1] : 1;
    case IR_SREG_cluster_nctaid_z: return clusters ? shape[2] : 1;
    case IR_SREG_cluster_ctarank: return rank;
    case IR_SREG_cluster_nctarank: return state->cluster_size;
    case IR_SREG_is_explicit_cluster: return clusters;
    default: return 0; /* counters and environment registers nobody has set */
    }
}

void sreg_read32(const struct warp *warp, enum ir_sreg sreg, uint64_t steps,
                 uint32_t value[LANES])
{
    uint32_t same;

    switch (sreg) {
    case IR_SREG_tid_x:
    case IR_SREG_tid_y:
    case IR_SREG_tid_z:
        memcpy(value, warp->tid[sreg - IR_SREG_tid_x], LANES * sizeof *value);
        return;
    case IR_SREG_laneid:
        for (uint32_t lane = 0; lane < LANES; lane++)
            value[lane] = lane;
        return;
    case IR_SREG_lanemask_eq:
        for (uint32_t lane = 0; lane < LANES; lane++)
            value[lane] = UINT32_C(1) << lane;
        return;
    case IR_SREG_lanemask_lt:
        for (uint32_t lane = 0; lane < LANES; lane++)
            value[lane] = (UINT32_C(1) << lane) - 1;
        return;
    case IR_SREG_lanemask_le:
        for (uint32_t lane = 0; lane < LANES; lane++)
            value[lane] = (UINT32_C(2) << lane) - 1;
        return;
    case IR_SREG_lanemask_gt:
        for (uint32_t lane = 0; lane < LANES; lane++)
            value[lane] = ~((UINT32_C(2) << lane) - 1);
        return;
    case IR_SREG_lanemask_ge:
        for (uint32_t lane = 0; lane < LANES; lane++)
            value[lane] = ~((UINT32_C(1) << lane) - 1);
        return;
    default:
        same = (uint32_t)sreg_read64(warp, sreg, steps);
        for (uint32_t lane = 0; lane < LANES; lane++)
            value[lane] = same;
    }
}

/* What the driver puts there is not documented; as compiled code has it, 1 and 2 hold
 * the address of a cooperative grid's workspace, high and low word. */
void sreg_read_environment(const struct warp *warp, uint32_t number, uint32_t value[LANES])
{
    uint64_t workspace = warp->block->state->workspace;
    uint32_t same = number == 1 ? (uint32_t)(workspace >> 32)
                    : number == 2 ? (uint32_t)workspace : 0;

    for (uint32_t lane = 0; lane < LANES; lane++)
        value[lane] = same;
}
