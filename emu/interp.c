/* SPDX-License-Identifier: Apache-2.0
 *
 * interp.c - the interpreter's loop.
 *
 * One dispatch serves 32 lanes. Per-lane operations go straight to their lane
 * function; the rest is flow, handled here, or a call into the part that knows.
 * The loop exists twice, with and without observers. */
#include "emu/interp.h"

#include <string.h>

#include "emu/barrier.h"
#include "emu/block.h"
#include "emu/control.h"
#include "emu/matrix.h"
#include "emu/memory_ops.h"
#include "emu/warp.h"

/* A fragment that has looked at others' memory this often without any change of
 * its own lets others run. */
enum { POLL_LIMIT = 32 };

static unsigned char *register_at(struct fragment *fragment, uint32_t operand)
{
    return fragment->frame->registers + operand;
}

/* Writes per-lane values into a destination register of 0, 2, 4 or 8 bytes. */
static void write_lanes(struct fragment *fragment, uint32_t operand, unsigned bytes,
                        const uint64_t value[LANES], uint32_t mask)
{
    if (operand == OPERAND_ABSENT)
        return;
    unsigned char *at = register_at(fragment, operand);
    if (bytes == 0) {
        uint64_t word;
        memcpy(&word, at, 8);
        FOR_LANES(lane, mask)
        word = (word & ~(UINT64_C(1) << lane)) | (value[lane] & 1) << lane;
        memcpy(at, &word, 8);
        return;
    }
    FOR_LANES(lane, mask)
    memcpy(at + lane * bytes, &value[lane], bytes);
}

static uint64_t lane_value(const struct warp *warp, const struct fragment *fragment,
                           uint32_t operand, unsigned bytes, unsigned lane)
{
    unsigned char *const base[2] = {fragment->frame->registers,
                                    warp->block->state->executable->constants};
    uint64_t value = 0;

    memcpy(&value, (unsigned char *)operand_at(base, operand) + lane * bytes, bytes);
    return value;
}

/* --- flow ----------------------------------------------------------------------- */

static void branch(struct warp *warp, struct fragment *fragment, const struct code *code,
                   uint64_t predicate)
{
    uint32_t taken = fragment->mask & (uint32_t)predicate;

    if (taken == fragment->mask) {
        fragment->pc = code->target[0];
    } else if (!taken) {
        fragment->pc = code->target[1];
    } else {
        /* Measured on H200: the side that falls through runs first. */
        bool first = code->target[0] != fragment->pc + 1;
        join_begin(warp, fragment, code->join);
        uint32_t later = first ? taken : fragment->mask & ~taken;
        fragment_split(warp, fragment, later)->pc = code->target[!first];
        fragment->pc = code->target[first];
    }
}

/* PTX ISA, "brx.idx": an index outside the list is undefined behaviour. */
static bool branch_indexed(struct warp *warp, struct fragment *fragment,
                           const struct code *code)
{
    bool joined = false;

    for (;;) {
        uint32_t index =
            (uint32_t)lane_value(warp, fragment, code->o.a, 4, lane_first(fragment->mask));
        uint32_t alike = 0;
        FOR_LANES(lane, fragment->mask)
        if ((uint32_t)lane_value(warp, fragment, code->o.a, 4, lane) == index)
            alike |= 1u << lane;
        if (alike != fragment->mask && !joined) {
            join_begin(warp, fragment, code->join);
            joined = true;
        }
        if (index >= code->sources - 1u) {
            FOR_LANES(lane, alike)
            report_at(warp, code, fragment, lane,
                      (struct finding){.category = FINDING_MEMORY, .kind = "branch-index",
                                       .severity = FINDING_ERROR},
                      "brx.idx index %u, the list has %u targets", index,
                      code->sources - 1u);
            lanes_exit(warp, fragment, alike);
            if (!fragment->mask)
                return false;
            continue;
        }
        int32_t target = (int32_t)code->operands[1 + index];
        if (alike == fragment->mask) {
            fragment->pc = target;
            return true;
        }
        fragment_split(warp, fragment, alike)->pc = target;
    }
}

/* Whether each of count variables of caller has the size of its counterpart in callee. */
static bool sizes_fit(const struct ir_function *caller, const ir_operand *ours,
                      const struct ir_function *callee, const ir_operand *theirs,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (caller->variables[ir_operand_index(ours[i])].size !=
            callee->variables[ir_operand_index(theirs[i])].size)
            return false;
    return true;
}

/* The target of an indirect call must be a function of the prototype's shape
 * (PTX ISA, call): as many parameters and results, each of the same size. */
static bool prototype_fits(const struct ir_function *caller, const struct code *code,
                           const struct ir_function *callee)
{
    return callee->parameter_count == code->sources - 1u &&
           callee->result_count == code->destinations &&
           sizes_fit(caller, ir_sources(caller, code->ir) + 1, callee, callee->parameters,
                     callee->parameter_count) &&
           sizes_fit(caller, ir_destinations(caller, code->ir), callee, callee->results,
                     callee->result_count);
}

/* Calls through a function address, one target at a time. */
static bool call_indirect(struct warp *warp, struct fragment *fragment,
                          const struct code *code)
{
    const struct ir_module *module = warp->block->state->executable->image->module;
    unsigned bytes = module->address_bits / 8;
    uint32_t operand = code->operands[code->destinations];
    uint64_t address =
        lane_value(warp, fragment, operand, bytes, lane_first(fragment->mask));
    uint32_t alike = 0;

    FOR_LANES(lane, fragment->mask)
    if (lane_value(warp, fragment, operand, bytes, lane) == address)
        alike |= 1u << lane;
    if (alike != fragment->mask) {
        join_begin(warp, fragment, code->join);
        fragment_split(warp, fragment, fragment->mask & ~alike);
    }
    uint32_t index = function_from_address(module, address);
    const struct ir_function *callee =
        index == UINT32_MAX ? NULL : &module->functions[index];
    if (!callee || callee->is_kernel || !prototype_fits(fragment->frame->program->function, code, callee)) {
        FOR_LANES(lane, fragment->mask)
        report_at(warp, code, fragment, lane,
                  (struct finding){.category = FINDING_MEMORY, .kind = "bad-call",
                                   .severity = FINDING_ERROR, .has_address = true,
                                   .address = address},
                  "indirect call of 0x%llx, which is not %s%s",
                  (unsigned long long)address,
                  callee ? "a function with the parameters of this call: it is " :
                           "the address of a function",
                  callee ? callee->name : "");
        lanes_exit(warp, fragment, fragment->mask);
        return false;
    }
    if (!callee->block_count) {
        uint32_t ended = host_call_known(warp->block->state->executable->image, index)
                             ? host_call(warp, fragment, code, callee, index, fragment->mask)
                             : fragment->mask;
        fragment->pc++;
        if (ended)
            lanes_exit(warp, fragment, ended);
        return fragment->mask != 0;
    }
    struct program *program = executable_program(warp->block->state->executable, index);
    return program && call_enter(warp, fragment, code, program);
}

static bool call_direct(struct warp *warp, struct fragment *fragment, const struct code *code)
{
    struct executable *executable = warp->block->state->executable;
    uint32_t index = ir_operand_index(ir_sources(fragment->frame->program->function, code->ir)[0]);
    const struct ir_function *callee = &executable->image->module->functions[index];

    if (callee->block_count)
        return call_enter(warp, fragment, code, executable->programs[index]);
    uint32_t ended = host_call(warp, fragment, code, callee, index, fragment->mask);
    fragment->pc++;
    if (ended)
        lanes_exit(warp, fragment, ended);
    return fragment->mask != 0;
}

static void local_stack(struct warp *warp, struct fragment *fragment, const struct code *code,
                        uint32_t mask)
{
    struct frame *frame = fragment->frame;
    uint64_t value[LANES];

    switch (code->op) {
    case IR_OP_stacksave:
        for (unsigned lane = 0; lane < LANES; lane++)
            value[lane] = frame->local_top;
        break;
    case IR_OP_stackrestore:
        frame->local_top = lane_value(warp, fragment, code->o.a, code->value_bytes,
                                      lane_first(mask));
        return;
    default: { /* alloca: room for the largest request */
        uint64_t size = 0, align = 8;
        FOR_LANES(lane, mask)
        {
            uint64_t want = lane_value(warp, fragment, code->o.a, code->value_bytes, lane);
            size = want > size ? want : size;
        }
        if (code->o.b != OPERAND_ABSENT && code->sources > 1)
            align = lane_value(warp, fragment, code->o.b, code->value_bytes, lane_first(mask));
        if (align < 1 || align & (align - 1))
            align = 8;
        uint64_t at = (frame->local_top + align - 1) & ~(align - 1);
        if (size > warp->block->state->launch->profile->local_limit ||
            !local_bytes(warp, lane_first(mask), at, size)) {
            report_at(warp, code, fragment, lane_first(mask),
                      (struct finding){.category = FINDING_MEMORY, .kind = "stack-overflow",
                                       .severity = FINDING_ERROR, .space = IR_SPACE_LOCAL},
                      "alloca of %llu bytes exceeds local memory", (unsigned long long)size);
            size = 0;
        }
        frame->local_top = at + size;
        for (unsigned lane = 0; lane < LANES; lane++)
            value[lane] = at;
    }
    }
    write_lanes(fragment, code->o.d, code->value_bytes, value, mask);
}

static void report_trap(struct warp *warp, struct fragment *fragment, const struct code *code,
                        uint32_t mask)
{
    FOR_LANES(lane, mask)
    report_at(warp, code, fragment, lane,
              (struct finding){.category = FINDING_TRAP, .kind = "trap",
                               .severity = FINDING_ERROR},
              "the kernel executed trap");
}

/* Lanes ended: others of the warp and block may have waited for just that. */
static void after_exit(struct warp *warp)
{
    warp_recheck(warp);
    barrier_recheck(warp);
}

static void read_special(struct warp *warp, struct fragment *fragment,
                         const struct code *code, uint32_t mask, uint64_t steps)
{
    enum ir_sreg sreg = code->extra;
    uint32_t width = code->type == IR_pred ? 0 : code->value_bytes;

    if (width == 4 && code->o.d != OPERAND_ABSENT) {
        uint32_t value[LANES];
        uint32_t *d = (uint32_t *)register_at(fragment, code->o.d);
        if (sreg == IR_SREG_envreg)
            sreg_read_environment(warp, code->sub, value);
        else
            sreg_read32(warp, sreg, steps, value);
        if (mask == LANES_ALL)
            memcpy(d, value, sizeof value);
        else
            for (unsigned lane = 0; lane < LANES; lane++)
                d[lane] = mask >> lane & 1 ? value[lane] : d[lane];
        return;
    }
    uint64_t wide[LANES];
    uint64_t all = sreg_read64(warp, sreg, steps);
    for (unsigned lane = 0; lane < LANES; lane++)
        wide[lane] = all;
    write_lanes(fragment, code->o.d, width, wide, mask);
}

/* Executes a CONTROL-group instruction. True when the fragment goes on here. */
static bool control(struct warp *warp, struct fragment *fragment, const struct code *code,
                    uint32_t mask, uint64_t steps, bool *yield)
{
    bool on = true;
    uint32_t live = warp->live;

    switch (code->op) {
    case IR_OP_bra:
        fragment->pc = code->target[0];
        return true;
    case IR_OP_brx:
        on = branch_indexed(warp, fragment, code);
        break;
    case IR_OP_call:
        on = call_direct(warp, fragment, code);
        break;
    case IR_OP_call_indirect:
        on = call_indirect(warp, fragment, code);
        break;
    case IR_OP_ret:
        on = call_return(warp, fragment);
        break;
    case IR_OP_trap:
        report_trap(warp, fragment, code, mask);
        fragment->pc++;
        lanes_exit(warp, fragment, mask);
        on = fragment->mask != 0;
        break;
    case IR_OP_exit:
        lanes_exit(warp, fragment, mask);
        on = false;
        break;
    case IR_OP_barrier_sync:
    case IR_OP_barrier_arrive:
    case IR_OP_barrier_red:
        on = barrier_execute(warp, fragment, code, mask);
        break;
    case IR_OP_cluster_arrive:
    case IR_OP_cluster_wait:
        on = cluster_execute(warp, fragment, code, mask);
        break;
    case IR_OP_sreg:
        read_special(warp, fragment, code, mask, steps);
        fragment->pc++;
        return true;
    case IR_OP_nanosleep:
        *yield = true;
        fragment->pc++;
        return true;
    case IR_OP_alloca:
    case IR_OP_stacksave:
    case IR_OP_stackrestore:
        local_stack(warp, fragment, code, mask);
        fragment->pc++;
        return true;
    default: /* brkpt, pmevent, griddep, setmaxnreg: nothing to do */
        fragment->pc++;
        return true;
    }
    if (warp->live != live)
        after_exit(warp);
    return on;
}

/* mov of a stack variable's address, and of 128-bit values. */
static void move_special(struct fragment *fragment, const struct code *code,
                         unsigned char *const base[2], uint32_t mask)
{
    uint64_t value[LANES];

    if (code->type == IR_b128) {
        unsigned char *d = operand_at(base, code->o.d);
        const unsigned char *a = operand_at(base, code->o.a);
        FOR_LANES(lane, mask)
        memmove(d + 16 * lane, a + 16 * lane, 16);
        return;
    }
    for (unsigned lane = 0; lane < LANES; lane++)
        value[lane] = fragment->frame->local_base + (uint64_t)code->offset;
    write_lanes(fragment, code->o.d, ir_types[code->type].lane, value, mask);
}

static void notify(struct warp *warp, const struct code *code, unsigned char *const base[2],
                   uint32_t mask)
{
    const struct launch *launch = warp->block->state->launch;

    for (uint32_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->instruction)
            launch->observers[i]->instruction(launch->observers[i], warp, code, base, mask);
}

static void notify_guard(struct warp *warp, const struct code *code,
                         unsigned char *const base[2], uint32_t mask)
{
    const struct launch *launch = warp->block->state->launch;

    for (uint32_t i = 0; i < launch->observer_count; i++)
        if (launch->observers[i]->guard)
            launch->observers[i]->guard(launch->observers[i], warp, code, base, mask);
}

static uint32_t guarded(const struct code *code, unsigned char *const base[2], uint32_t mask)
{
    uint64_t holds = *(const uint64_t *)operand_at(base, code->guard);

    return mask & (uint32_t)(code->guard_not ? ~holds : holds);
}

/* Runs straight through per-lane ops, plain accesses and branches on which all
 * lanes agree, up to the next instruction that needs care or until *done is the
 * budget. */
static inline void stride(struct warp *warp, struct fragment *fragment,
                          unsigned char *const base[2], uint64_t *done, uint64_t budget,
                          const bool observed)
{
    const struct code *codes = fragment->frame->program->code;
    const struct code *code = codes + fragment->pc;
    const uint32_t mask = fragment->mask;
    const bool meets = fragment->join || (warp->used & (warp->used - 1));
    bool followed = observed && fragment->frame->followed;
    struct block *block = warp->block;
    struct launch_state *state = block->state;
    uint64_t count = *done;

    for (; count < budget; count++) {
        if (code->joins && meets)
            break;
        if (code->pace == PACE_LANE) {
            if (followed)
                notify(warp, code, base, mask);
            code->lane(&code->o, base, mask);
            code++;
        } else if (code->pace == PACE_WORDS) {
            if (observed ? followed || !words_observed(warp, fragment, code, base, mask)
                         : !words_execute(state, block, fragment, code, base, mask))
                break;
            followed = observed && fragment->frame->followed;
            code++;
        } else if (code->pace == PACE_BRANCH) {
            uint32_t taken = mask & (uint32_t)*(const uint64_t *)operand_at(base, code->o.a);
            if (taken != mask && taken)
                break;
            if (followed)
                notify(warp, code, base, mask);
            code = codes + code->target[!taken];
        } else if (code->pace == PACE_JUMP) {
            if (followed)
                notify(warp, code, base, mask);
            code = codes + code->target[0];
        } else if (code->pace == PACE_NOTHING) {
            uint64_t idle = code->idle < budget - count ? code->idle : budget - count;
            code += idle;
            count += idle - 1;
        } else if (code->pace == PACE_GUARDED && !followed) {
            uint32_t holds = guarded(code, base, mask);
            if (!holds)
                ;
            else if (code->lane)
                code->lane(&code->o, base, holds);
            else if (observed ? !words_observed(warp, fragment, code, base, holds)
                              : !words_execute(state, block, fragment, code, base, holds))
                break;
            followed = observed && fragment->frame->followed;
            code++;
        } else if (code->pace == PACE_SPECIAL && !followed) {
            read_special(warp, fragment, code, mask, warp->steps + count + 1);
            code++;
        } else {
            break;
        }
    }
    fragment->pc = (int32_t)(code - codes);
    *done = count;
}

static inline enum run_stop run(struct warp *warp, struct fragment *fragment,
                                uint64_t budget, const bool observed)
{
    unsigned char *constants = warp->block->state->executable->constants;
    enum run_stop stop = RUN_BUDGET;
    uint64_t done = 0, lane_steps = 0, counted_from = 0;
    uint32_t counted = fragment->mask; /* lanes of the steps since counted_from */

    if (fragment->pc == PC_EXIT && !call_return(warp, fragment)) {
        after_exit(warp);
        return RUN_STOPPED;
    }
    while (done < budget) {
        unsigned char *const base[2] = {fragment->frame->registers, constants};

        if (fragment->mask != counted) {
            lane_steps += (done - counted_from) * (uint64_t)__builtin_popcount(counted);
            counted = fragment->mask;
            counted_from = done;
        }
        stride(warp, fragment, base, &done, budget, observed);
        if (done >= budget)
            break;
        const struct code *code = &fragment->frame->program->code[fragment->pc];
        uint32_t mask = fragment->mask;
        if (code->joins) {
            if (join_here(fragment)) {
                if (!join_arrive(warp, fragment)) {
                    stop = RUN_STOPPED;
                    break;
                }
                continue;
            }
            if (fragments_behind(warp, fragment)) {
                stop = RUN_BEHIND;
                break;
            }
            mask = fragment->mask;
        }
        done++;
        if (code->pace == PACE_NOTHING) {
            fragment->pc++;
            continue;
        }
        if (code->guard != OPERAND_ABSENT) {
            if (observed && fragment->frame->followed)
                notify_guard(warp, code, base, mask);
            mask = guarded(code, base, mask);
            if (!mask) {
                fragment->pc++;
                continue;
            }
        }
        if (code->op == IR_OP_wgmma_wait && wgmma_unfinished(warp, code, base)) {
            done--;
            stop = RUN_YIELD;
            break;
        }
        if (observed && (!code->words || fragment->frame->followed))
            notify(warp, code, base, mask);
        unsigned group = ir_ops[code->op].group;
        if (code->lane) {
            code->lane(&code->o, base, mask);
            fragment->pc++;
        } else if (group == IR_GROUP_MEMORY) {
            memory_execute(warp, fragment, code, base, mask);
            fragment->pc++;
            if (fragment->polls > POLL_LIMIT) {
                stop = RUN_YIELD;
                break;
            }
        } else if (code->op == IR_OP_br) {
            branch(warp, fragment, code, *(const uint64_t *)operand_at(base, code->o.a));
            if (fragment->mask != mask && schedule_is_free(warp->block->state)) {
                stop = RUN_PARTED;
                break;
            }
        } else if (group == IR_GROUP_WARP) {
            if (!warp_execute(warp, fragment, code, mask)) {
                stop = RUN_STOPPED;
                break;
            }
        } else if (group == IR_GROUP_LANE) {
            move_special(fragment, code, base, mask);
            fragment->pc++;
        } else {
            bool yield = false;
            if (!control(warp, fragment, code, mask, warp->steps + done, &yield)) {
                stop = RUN_STOPPED;
                break;
            }
            if (yield) {
                stop = RUN_YIELD;
                break;
            }
        }
    }
    lane_steps += (done - counted_from) * (uint64_t)__builtin_popcount(counted);
    warp->steps += done;
    warp->block->state->steps += done;
    warp->block->state->result->thread_instructions += lane_steps;
    return stop;
}

enum run_stop interp_run(struct warp *warp, struct fragment *fragment, uint64_t budget)
{
    return warp->block->state->observed ? run(warp, fragment, budget, true)
                                        : run(warp, fragment, budget, false);
}
