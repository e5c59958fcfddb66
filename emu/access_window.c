/* SPDX-License-Identifier: Apache-2.0
 *
 * access_window.c - the stretch of memory that an address lies in, and the loops
 * over lanes that suit this host. */
#include "config.h"

#include "emu/access.h"
#include "emu/host.h"

struct block *access_shared_owner(const struct warp *warp, uint64_t address)
{
    struct block *block = warp->block;
    uint64_t rank = address >> SHARED_RANK_SHIFT;

    if (rank == 0 || rank - 1 == block->cluster_rank)
        return block;
    return block->cluster && rank - 1 < block->cluster->count
               ? block->cluster->blocks[rank - 1] : NULL;
}

bool access_window(struct warp *warp, const struct fragment *fragment,
                   const struct code *code, enum ir_space space,
                   enum finding_access access, uint64_t address, struct window *window)
{
    struct launch_state *state = warp->block->state;
    uint64_t origin = 0;

    if (space == IR_SPACE_GENERIC) {
        uint64_t inner = address;
        space = generic_space(warp_address_bits(warp), &inner);
        origin = address - inner;
        address = inner;
        if (space == IR_SPACE_SHARED)
            space = IR_SPACE_CLUSTER;
    }
    switch (space) {
    case IR_SPACE_SHARED:
    case IR_SPACE_CLUSTER: {
        struct block *block =
            address >> 32 ? NULL : access_shared_owner(warp, address);
        if (!block || !block->shared || block->finished ||
            (space == IR_SPACE_SHARED && block != warp->block))
            return false;
        origin += address >> SHARED_RANK_SHIFT << SHARED_RANK_SHIFT;
        uint64_t start = state->executable->shared_base;
        *window = (struct window){
            .base = origin + start, .size = block->shared_bytes, .host = block->shared,
            .space = IR_SPACE_SHARED, .start = start, .owner = block->cluster_rank};
        return true;
    }
    case IR_SPACE_LOCAL:
    case IR_SPACE_ARGUMENT: {
        uint64_t top = fragment->frame->local_top;
        if (top == 0 || access == FINDING_ATOMIC || !local_bytes(warp, 0, 0, top))
            return false;
        *window = (struct window){.base = origin, .size = top, .host = warp->local,
                                  .stride = warp->local_capacity,
                                  .space = IR_SPACE_LOCAL};
        return true;
    }
    case IR_SPACE_PARAM:
        if (access != FINDING_READ)
            return false;
        *window = (struct window){
            .base = origin, .size = state->launch->parameter_bytes,
            .host = (unsigned char *)(uintptr_t)state->launch->parameters,
            .space = IR_SPACE_PARAM};
        return true;
    default: {
        uint64_t place = space == IR_SPACE_CONST
                             ? image_from_bank(state->executable->image, address) : address;
        struct allocation *found = memory_find(state->memory, place);
        if (!found || found->freed ||
            (found->kind == ALLOCATION_CONST ? access != FINDING_READ
                                             : space == IR_SPACE_CONST))
            return false;
        if (code->recent && place == address)
            *code->recent = found;
        *window = (struct window){
            .base = found->address - (place - address), .size = found->size, .host = found->host,
            .space = IR_SPACE_GLOBAL, .start = found->address, .allocation = found};
        return true;
    }
    }
}

/* --- whole words ------------------------------------------------------------------------- */

words_function *access_words(const struct code *code)
{
    const struct access_table *loops = access_loops();
    unsigned bytes = code->value_bytes, first = code->op == IR_OP_st ? 2 : 0;

    if ((code->op != IR_OP_ld && code->op != IR_OP_st) ||
        (code->space != IR_SPACE_SHARED && code->space != IR_SPACE_GLOBAL &&
         code->space != IR_SPACE_GENERIC && code->space != IR_SPACE_CONST) ||
        code->address_kind != ADDRESS_REGISTER || bytes != ir_type_bytes(code->type) ||
        (bytes != 4 && bytes != 8) || (code->vector & (code->vector - 1)) || code->vector > 4)
        return NULL;
    /* An element must not overwrite the addresses of the next one. */
    for (unsigned e = 0; code->op == IR_OP_ld && e + 1 < code->vector; e++)
        if (code->operands[first + e] == code->o.a)
            return NULL;
    unsigned count = (unsigned)__builtin_ctz(code->vector);
    return (code->op == IR_OP_ld ? loops->load_words : loops->store_words)
        [bytes == 8][code->address_bytes == 8][count];
}

/* --- the loops for this host ------------------------------------------------------------ */

extern const struct access_table access_table_generic;
#ifdef HAVE_X86_VECTORS
extern const struct access_table access_table_avx2;
extern const struct access_table access_table_avx512;
#endif

const struct access_table *access_loops(void)
{
    switch (host_vectors()) {
#ifdef HAVE_X86_VECTORS
    case HOST_AVX512:
        return &access_table_avx512;
    case HOST_AVX2:
        return &access_table_avx2;
#endif
    default:
        return &access_table_generic;
    }
}
