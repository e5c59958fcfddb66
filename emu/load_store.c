/* SPDX-License-Identifier: Apache-2.0
 *
 * load_store.c - ld and st.
 *
 * Accesses take the loops of access_loops.h, first against the allocation that this
 * instruction hit last; whatever they decline goes lane by lane. A load that faults
 * gives 0, a store that faults does nothing. */
#include "emu/memory_ops.h"
#include "emu/weak.h"

static bool is_strong(const struct code *code)
{
    return code->order != IR_ORDER_WEAK;
}

static uint32_t access_size(const struct code *code)
{
    return ir_type_bytes(code->type) * code->vector;
}

/* In other frames the interpreter has tried already. */
static bool step_row(const struct step *step)
{
    const struct code *code = step->code;

    return step->fragment->frame->followed && code->words &&
           (code->op == IR_OP_st || code->order == IR_ORDER_WEAK) &&
           words_observed(step->warp, step->fragment, code, step->base, step->mask);
}

static bool step_words(const struct step *step)
{
    struct block *block = step->warp->block;

    return step->code->words && words_execute(block->state, block, step->fragment, step->code,
                                              step->base, step->mask);
}

/* --- ld ------------------------------------------------------------------------------ */

static bool load_fast(const struct step *step)
{
    const struct access_table *loops = step->warp->block->state->access_loops;
    const struct code *code = step->code;
    uint64_t fixed = fixed_address(step);
    struct window window;

    if (recent_window(step, FINDING_READ, &window) &&
        loops->load(code, &window, fixed, step->base, step->mask))
        return true;
    return access_window(step->warp, step->fragment, code, code->space, FINDING_READ,
                         first_address(step), &window) &&
           loops->load(code, &window, fixed, step->base, step->mask);
}

static uint64_t extend(uint64_t value, enum ir_type type)
{
    unsigned unused = 64 - ir_types[type].bits;

    return ir_types[type].kind == IR_KIND_S && unused < 64
               ? (uint64_t)((int64_t)(value << unused) >> unused)
               : value;
}

/* With a weak memory: which lanes are given something older, and what. */
static bool choose_older(const struct step *step, struct access *access,
                         struct weak_choice *choice)
{
    static const enum ir_space spaces[] = {IR_SPACE_GLOBAL, IR_SPACE_SHARED};
    struct weak_memory *weak = step->warp->block->state->launch->weak;

    if (access->size > WEAK_BYTES || step->code->vector > WEAK_ELEMENTS)
        return false;
    memset(choice->moment, 0, sizeof choice->moment);
    choice->lanes = 0;
    FOR_LANES (lane, access->mask)
        memcpy(choice->value[lane], access->host[lane], access->size);
    for (unsigned i = 0; i < 2; i++)
        if (access->in[spaces[i]])
            weak->choose(weak, &(struct access_event){
                .warp = step->warp, .code = step->code, .mask = access->in[spaces[i]],
                .space = spaces[i], .kind = ACCESS_READ, .address = access->address,
                .size = access->size, .elements = step->code->vector,
                .allocation = spaces[i] == IR_SPACE_GLOBAL ? access->allocation : NULL,
                .owner = spaces[i] == IR_SPACE_SHARED && step->warp->block->cluster
                             ? access->owner : NULL,
                .host = (const unsigned char *const *)access->host,
            }, choice);
    if (!choice->lanes)
        return false;
    access->older = choice;
    /* Another try may see more: whoever waits does not wait in vain yet. */
    step->warp->block->state->changes++;
    return true;
}

static void load_each(const struct step *step)
{
    const struct code *code = step->code;
    unsigned bytes = ir_type_bytes(code->type);
    struct access access = {.kind = FINDING_READ, .size = access_size(code)};

    access_addresses(step->warp, step->fragment, code, step->base, step->mask,
                     access.address);
    access_resolve(&access, step->warp, step->fragment, code, code->space, step->mask);
    struct weak_choice choice;
    bool older = step->warp->block->state->launch->weak && choose_older(step, &access, &choice);
    /* Observed, and in order: the loops do it. */
    bool done = !older && access.mask == step->mask && load_fast(step);
    for (uint32_t e = 0; !done && e < code->vector; e++) {
        uint32_t operand = code->operands[e];
        if (operand == OPERAND_ABSENT)
            continue;
        unsigned char *to = operand_at(step->base, operand);
        FOR_LANES (lane, step->mask) {
            const unsigned char *from = access.host[lane];
            if (older && from)
                from = choice.value[lane];
            if (bytes == 16) {
                static const struct ir_b128 nothing;
                memcpy(to + lane * 16, from ? from + e * 16 : (const void *)&nothing, 16);
                continue;
            }
            uint64_t value = 0;
            if (from)
                memcpy(&value, from + e * bytes, bytes);
            lane_write(step, operand, code->value_bytes, lane, extend(value, code->type));
        }
    }
    access_report(&access, step->warp, code, ACCESS_READ, access.mask);
}

static bool load_observed(const struct step *step)
{
    const struct access_table *loops = step->warp->block->state->access_loops;
    uint32_t size = access_size(step->code);
    struct window window;
    uint64_t offset[LANES];
    enum access_lie lie = place_lanes(step, FINDING_READ, size, &window, offset);

    if (!lie || !(step_words(step) || loops->load(step->code, &window, fixed_address(step),
                                                  step->base, step->mask)))
        return false;
    access_report_window(&window, lie, offset, step->warp, step->fragment->frame, step->code,
                         ACCESS_READ, size, step->mask, NULL);
    return true;
}

void load_execute(const struct step *step)
{
    if (is_strong(step->code))
        step->fragment->polls++;
    const struct launch_state *state = step->warp->block->state;
    bool done = state->observed
                    ? !state->launch->weak && (step_row(step) || load_observed(step))
                    : step_words(step) || load_fast(step);
    if (!done)
        load_each(step);
}

/* --- st ------------------------------------------------------------------------------ */

static bool store_fast(const struct step *step)
{
    const struct access_table *loops = step->warp->block->state->access_loops;
    const struct code *code = step->code;
    uint64_t fixed = fixed_address(step);
    struct window window;
    bool changed = false;

    if (!(recent_window(step, FINDING_WRITE, &window) &&
          loops->store(code, &window, fixed, step->base, step->mask, &changed)) &&
        !(access_window(step->warp, step->fragment, code, code->space, FINDING_WRITE,
                         first_address(step), &window) &&
          loops->store(code, &window, fixed, step->base, step->mask, &changed)))
        return false;
    /* Windows with a stride are private to the thread. */
    if (changed && !window.stride)
        step_changed(step);
    return true;
}

/* Lane by lane. local: lanes whose memory nobody else sees. Did others' change? */
static bool store_lanes(const struct code *code, unsigned char *const base[2],
                        unsigned char *const host[LANES], uint32_t mask, uint32_t local,
                        enum ir_space space)
{
    unsigned bytes = ir_type_bytes(code->type);
    unsigned pass = store_pass(space, bytes * code->vector);
    bool changed = false;

    for (uint32_t e = 0; e < code->vector; e++) {
        const unsigned char *from = operand_at(base, code->operands[2 + e]);
        FOR_STORE_LANES (lane, mask, pass) {
            unsigned char *to = host[lane] + e * bytes;
            const unsigned char *value = from + (size_t)lane * code->value_bytes;
            if (!(local >> lane & 1) && memcmp(to, value, bytes) != 0)
                changed = true;
            memcpy(to, value, bytes);
        }
    }
    return changed;
}

static void store_each(const struct step *step)
{
    const struct code *code = step->code;
    struct access access = {.kind = FINDING_WRITE, .size = access_size(code),
                            .base = step->base};

    access_addresses(step->warp, step->fragment, code, step->base, step->mask,
                     access.address);
    access_resolve(&access, step->warp, step->fragment, code, code->space, step->mask);
    access_report(&access, step->warp, code, ACCESS_WRITE, access.mask);
    if (access.mask == step->mask && store_fast(step))
        return;
    if (store_lanes(code, step->base, access.host, access.mask, access.in[IR_SPACE_LOCAL],
                    access.in[IR_SPACE_SHARED] ? IR_SPACE_SHARED : IR_SPACE_GLOBAL))
        step_changed(step);
}

bool store_offsets(const struct code *code, const struct window *window,
                   unsigned char *const base[2], uint32_t mask, const uint64_t offset[LANES])
{
    unsigned char *host[LANES];

    for (unsigned lane = 0; lane < LANES; lane++)
        host[lane] = window->host + offset[lane];
    return store_lanes(code, base, host, mask, window->space == IR_SPACE_LOCAL ? mask : 0,
                       window->space);
}

/* The event comes before the write: what the loops cannot do is done here. */
static bool store_observed(const struct step *step)
{
    const struct access_table *loops = step->warp->block->state->access_loops;
    uint32_t size = access_size(step->code);
    struct window window;
    uint64_t offset[LANES];
    enum access_lie lie = place_lanes(step, FINDING_WRITE, size, &window, offset);

    if (!lie)
        return false;
    access_report_window(&window, lie, offset, step->warp, step->fragment->frame, step->code,
                         ACCESS_WRITE, size, step->mask, step->base);
    if (step_words(step))
        return true;
    bool changed = false;
    if (!loops->store(step->code, &window, fixed_address(step), step->base, step->mask, &changed))
        changed = store_offsets(step->code, &window, step->base, step->mask, offset);
    if (changed && !window.stride)
        step_changed(step);
    return true;
}

void store_execute(const struct step *step)
{
    if (!(step->warp->block->state->observed ? step_row(step) || store_observed(step)
                                             : step_words(step) || store_fast(step)))
        store_each(step);
}
