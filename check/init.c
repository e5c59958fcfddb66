/* SPDX-License-Identifier: Apache-2.0
 *
 * init.c - the init checker: follows which bits nobody has defined.
 *
 * Undefined bits may be copied, stored and thrown away. They are reported when
 * something depends on them: a branch, an address, a lane, a mask, a barrier,
 * an atomic, or a value that reaches global memory after it came out of shared
 * or local memory or out of arithmetic. */
#include <stdlib.h>
#include <string.h>

#include "check/checker.h"
#include "base/arena.h"
#include "check/init.h"
#include "check/place.h"
#include "ir/texture.h"

static struct init *self_of(struct observer *observer)
{
    return (struct init *)observer;
}

/* --- beginnings -------------------------------------------------------------------------- */

static void launch_begin(struct observer *observer, struct launch_state *state)
{
    self_of(observer)->state = state;
}

static void block_begin(struct observer *observer, struct block *block)
{
    shared_begin(self_of(observer), block);
}

static struct shadow_frame *frame_new(const struct program *program)
{
    struct shadow_frame *frame = calloc(1, sizeof *frame);

    if (!frame)
        out_of_memory(0);
    frame->program = program;
    frame->entries = program->register_bytes / 8 + 1;
    frame->lanes = calloc(frame->entries, sizeof *frame->lanes);
    frame->registers = calloc(frame->entries, sizeof *frame->registers);
    if (!frame->lanes || !frame->registers)
        out_of_memory(0);
    return frame;
}

/* Only registers that some path reads before it writes can be read undefined;
 * the rest need not be marked. */
static void frame_enter(struct observer *observer, struct warp *warp, struct frame *frame,
                        uint32_t mask)
{
    struct init *init = self_of(observer);
    const struct program *program = frame->program;
    void **value = pointer_map_at(&init->frames, frame->registers);

    if (!*value)
        *value = frame_new(program);
    init->last_registers = NULL;
    struct shadow_frame *shadow = *value;
    shadow->frame = frame;
    shadow->any = false;
    memset(shadow->lanes, 0, shadow->entries * sizeof *shadow->lanes);
    for (uint32_t i = 0; i < program->zero_count; i++) {
        uint32_t operand = program->zero_offset[i], bytes = program->zero_bytes[i];
        uint64_t bits = bytes == 8 ? 1 : bytes >= 8 * LANES ? UINT64_MAX
                                       : (UINT64_C(1) << bytes / LANES * 8) - 1;
        origin_id origin = origin_of(init, warp, NULL, program->function, 0, ORIGIN_REGISTER,
                                     (const void *)((uintptr_t)program->function_index << 32 |
                                                    operand), "");
        FOR_LANES(lane, mask)
            undefined_set(shadow, operand, lane, bits, origin);
    }
    local_mark(init, warp, mask, frame->local_base, frame->local_top, true);
}

/* --- uses ------------------------------------------------------------------------------------- */

static void use(struct init *init, const struct warp *warp, const struct shadow_frame *frame,
                const struct code *code, uint32_t operand, uint32_t mask, const char *kind,
                const char *what)
{
    uint32_t lanes = undefined_lanes(frame, operand, mask);

    FOR_LANES(lane, lanes)
        report_use(init, warp, frame, code, lane, kind, what,
                   undefined_origin(frame, operand, lane), FINDING_NO_ACCESS);
}

static void guard(struct observer *observer, struct warp *warp, const struct code *code,
                  unsigned char *const base[2], uint32_t mask)
{
    struct init *init = self_of(observer);
    struct shadow_frame *frame = shadow_frame_of(init, base[0]);

    if (frame->any)
        use(init, warp, frame, code, code->guard, mask, "uninitialised-branch",
            "whether an instruction is executed");
}

static void use_address(struct init *init, const struct warp *warp,
                        const struct shadow_frame *frame, const struct code *code, uint32_t mask)
{
    switch (code->op) {
    case IR_OP_fence:
    case IR_OP_fence_proxy:
    case IR_OP_prefetch:
    case IR_OP_to_generic:
    case IR_OP_from_generic:
    case IR_OP_isspacep:
    case IR_OP_mapa:
    case IR_OP_getctarank:
    case IR_OP_createpolicy:
    case IR_OP_cp_async_commit:
    case IR_OP_cp_async_wait:
    case IR_OP_bulk_commit:
    case IR_OP_bulk_wait:
    case IR_OP_mbarrier_pending:
        return;
    case IR_OP_st_async:
    case IR_OP_red_async:
        for (unsigned i = 0; i < 2; i++)
            use(init, warp, frame, code, code->operands[i], mask, "uninitialised-address",
                "an address");
        return;
    case IR_OP_tensormap_copy:
    case IR_OP_tensor:
        for (unsigned i = 0; i < code->sources; i++)
            use(init, warp, frame, code, code->operands[i], mask, "uninitialised-address",
                "what a tensor copy moves");
        return;
    case IR_OP_bulk:
    case IR_OP_bulk_reduce:
        for (unsigned i = 0; i < code->sources; i++)
            use(init, warp, frame, code, code->operands[i], mask, "uninitialised-address",
                "what a bulk copy moves");
        return;
    default:
        break;
    }
    if (code->address_kind == ADDRESS_REGISTER)
        use(init, warp, frame, code, code->o.a, mask, "uninitialised-address", "an address");
    if (code->op == IR_OP_tex || (code->op >= IR_OP_suld && code->op <= IR_OP_sured))
        for (unsigned i = IR_TEXTURE_X; i < IR_TEXTURE_SOURCES; i++)
            use(init, warp, frame, code, code->operands[code->destinations + i], mask,
                "uninitialised-address", "a coordinate");
    if (code->op == IR_OP_cp_async)
        for (unsigned i = 2; i < code->sources; i++)
            use(init, warp, frame, code, code->operands[code->destinations + i], mask,
                "uninitialised-address", "what an asynchronous copy reads");
}

static void use_warp_operands(struct init *init, const struct warp *warp,
                              const struct shadow_frame *frame, const struct code *code,
                              uint32_t mask)
{
    if (!code->sources)
        return;
    use(init, warp, frame, code, code->operands[code->destinations + code->sources - 1], mask,
        "uninitialised-mask", "a member mask");
    if (code->op == IR_OP_ldmatrix || code->op == IR_OP_stmatrix) {
        if (code->address_kind == ADDRESS_REGISTER)
            use(init, warp, frame, code, code->o.a, mask, "uninitialised-address",
                "an address");
        return;
    }
    bool shuffles = code->op >= IR_OP_shfl_up && code->op <= IR_OP_shfl_idx;
    for (unsigned i = 1; shuffles && i < 3; i++)
        use(init, warp, frame, code, code->operands[code->destinations + i], mask,
            "uninitialised-lane", "which lane a shuffle reads");
}

static void use_control(struct init *init, const struct warp *warp,
                        const struct shadow_frame *frame, const struct code *code, uint32_t mask)
{
    switch (code->op) {
    case IR_OP_br:
    case IR_OP_brx:
        use(init, warp, frame, code, code->o.a, mask, "uninitialised-branch", "a branch");
        break;
    case IR_OP_call_indirect:
        use(init, warp, frame, code, code->o.a, mask, "uninitialised-branch",
            "which function is called");
        break;
    case IR_OP_barrier_sync:
    case IR_OP_barrier_arrive:
    case IR_OP_barrier_red:
        for (unsigned i = 0; i < code->sources; i++)
            use(init, warp, frame, code, code->operands[code->destinations + i], mask,
                "uninitialised-barrier", "a barrier");
        break;
    case IR_OP_alloca:
        use(init, warp, frame, code, code->o.a, mask, "uninitialised-address",
            "the size of local memory");
        break;
    default:
        break;
    }
}

/* --- results ------------------------------------------------------------------------------------ */

static uint64_t value_of(unsigned char *const base[2], uint32_t operand, enum ir_type type,
                         unsigned lane)
{
    const unsigned char *at = operand_at(base, operand);
    uint64_t value = 0;

    if (type == IR_pred) {
        memcpy(&value, at, 8);
        return value >> lane & 1;
    }
    unsigned bytes = ir_types[type].lane;
    memcpy(&value, at + lane * bytes, bytes < 8 ? bytes : 8);
    return value;
}

static void lane_operation(struct shadow_frame *frame, const struct code *code,
                           unsigned char *const base[2], uint32_t mask)
{
    const uint32_t operand[IR_ROW_SOURCES] = {code->o.a, code->o.b, code->o.c, code->o.e};
    unsigned count = code->sources < IR_ROW_SOURCES ? code->sources : IR_ROW_SOURCES;
    uint32_t lanes = 0;

    for (unsigned i = 0; i < count; i++)
        lanes |= undefined_lanes(frame, operand[i], mask);
    if (!lanes) {
        undefined_clear(frame, code->o.d, mask);
        return;
    }
    enum ir_row row = ir_row_find(code->op, code->type, code->type2);
    bool moves = op_moves_bits(code, row);
    /* The result may share a register with a source. */
    uint64_t result[LANES];
    origin_id origin[LANES];
    FOR_LANES(lane, lanes)
    {
        uint64_t value[IR_ROW_SOURCES] = {0}, undefined[IR_ROW_SOURCES] = {0};
        origin[lane] = 0;
        for (unsigned i = 0; i < count; i++) {
            value[i] = value_of(base, operand[i], ir_rows[row].source[i], lane);
            undefined[i] = undefined_bits(frame, operand[i], lane);
            if (undefined[i] && !origin[lane])
                origin[lane] = undefined_origin(frame, operand[i], lane);
        }
        if (!moves || op_cuts_bytes(code->op, value))
            origin[lane] &= ~(origin_id)ORIGIN_PLAIN;
        result[lane] = undefined_result(code, row, value, undefined, code->ir->mode);
    }
    undefined_clear(frame, code->o.d, mask);
    FOR_LANES(lane, lanes)
        undefined_set(frame, code->o.d, lane, result[lane], origin[lane]);
}

/* Addresses converted from space to space, and 128-bit moves. */
static void copied_operation(struct shadow_frame *frame, const struct code *code, uint32_t mask)
{
    uint32_t lanes = undefined_lanes(frame, code->o.a, mask);

    undefined_clear(frame, code->o.d, mask & ~lanes);
    FOR_LANES(lane, lanes)
    {
        uint64_t bits = code->op == IR_OP_isspacep ? 1
                        : code->op == IR_OP_mov    ? undefined_bits(frame, code->o.a, lane)
                                                   : UINT64_MAX;
        undefined_set(frame, code->o.d, lane, bits, undefined_origin(frame, code->o.a, lane));
    }
}

static void clear_destinations(struct shadow_frame *frame, const struct code *code,
                               uint32_t mask)
{
    if (code->operands)
        for (unsigned i = 0; i < code->destinations; i++)
            undefined_clear(frame, code->operands[i], mask);
    else
        undefined_clear(frame, code->o.d, mask);
}

/* Results come from the callee, or from a host function. */
static void call_results(struct init *init, struct warp *warp, const struct code *code,
                         unsigned char *const base[2], uint32_t mask)
{
    const struct fragment *fragment = fragment_at(warp, base[0], code);
    const struct ir_function *function = fragment ? fragment->frame->program->function : NULL;

    for (unsigned i = 0; fragment && i < code->destinations; i++) {
        ir_operand result = ir_destinations(function, code->ir)[i];
        if (ir_operand_kind(result) != IR_OPERAND_VARIABLE)
            continue;
        const struct ir_variable *variable = &function->variables[ir_operand_index(result)];
        uint64_t at = fragment->frame->local_base + variable->offset;
        local_mark(init, warp, mask, at, at + variable->size, false);
    }
}

static void instruction(struct observer *observer, struct warp *warp, const struct code *code,
                        unsigned char *const base[2], uint32_t mask)
{
    struct init *init = self_of(observer);
    struct shadow_frame *frame = shadow_frame_of(init, base[0]);
    unsigned group = ir_ops[code->op].group;

    if (code->lane) {
        if (frame->any && (code->op == IR_OP_to_generic || code->op == IR_OP_from_generic))
            copied_operation(frame, code, mask);
        else if (frame->any)
            lane_operation(frame, code, base, mask);
        return;
    }
    init->base[0] = base[0];
    init->base[1] = base[1];
    if (frame->any) {
        if (group == IR_GROUP_MEMORY)
            use_address(init, warp, frame, code, mask);
        else if (group == IR_GROUP_WARP)
            use_warp_operands(init, warp, frame, code, mask);
        else if (group == IR_GROUP_CONTROL)
            use_control(init, warp, frame, code, mask);
        switch (code->op) {
        case IR_OP_to_generic:
        case IR_OP_from_generic:
        case IR_OP_isspacep:
        case IR_OP_mapa:
        case IR_OP_getctarank:
            copied_operation(frame, code, mask);
            break;
        case IR_OP_mov:
            if (code->type == IR_b128) {
                copied_operation(frame, code, mask);
                break;
            }
            /* fallthrough */
        default:
            /* The results of meetings are set when lanes meet. */
            if (group != IR_GROUP_WARP || !code->sources)
                clear_destinations(frame, code, mask);
        }
    }
    if (ir_ops[code->op].flags & IR_FLAG_CALL)
        call_results(init, warp, code, base, mask);
    if (code->op == IR_OP_alloca) {
        /* What a function that has returned left above is nobody's any more. */
        const struct fragment *fragment = fragment_at(warp, base[0], code);
        const struct shadow_bytes *local = pointer_map_get(&init->locals, warp);
        if (fragment && local)
            local_mark(init, warp, mask, fragment->frame->local_top, local->size, true);
    }
}

/* --- making --------------------------------------------------------------------------------------- */

struct observer *init_checker_new(bool report_init, bool report_sync)
{
    struct init *init = calloc(1, sizeof *init);

    if (!init)
        out_of_memory(0);
    init->report_init = report_init;
    init->report_sync = report_sync;
    init->observer = (struct observer){
        .knows_constants = true,
        .launch_begin = launch_begin,
        .block_begin = block_begin,
        .frame_enter = frame_enter,
        .guard = guard,
        .instruction = instruction,
        .access = init_access,
        .row = init_row,
        .copy = init_copy,
        .local_copy = init_local_copy,
        .warp_sync = init_warp_sync,
    };
    return &init->observer;
}

void init_checker_free(struct observer *observer)
{
    struct init *init = self_of(observer);

    pointer_map_free(&init->frames, shadow_frame_free);
    pointer_map_free(&init->locals, shadow_bytes_free);
    pointer_map_free(&init->shareds, shadow_bytes_free);
    pointer_map_free(&init->globals, shadow_bytes_free);
    arena_free(&init->arena);
    free(init);
}
