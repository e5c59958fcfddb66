/* SPDX-License-Identifier: Apache-2.0
 *
 * mbarrier.c - barrier objects in shared memory.
 *
 * PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
 * The eight bytes are opaque to kernels; here they hold
 *     bits 0..19 pending arrivals, 20..39 expected arrivals, 40..60 pending
 *     transaction bytes (biased), 61 parity of the phase, 62..63 a mark.
 * A phase is complete when no arrivals and no bytes are pending; the next one
 * starts with the expected arrivals. The state that arrive returns is the word
 * as it was before. */
#include "emu/memory_ops.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

enum {
    COUNT_BITS = 20,
    COUNT_MAX = (1 << COUNT_BITS) - 1,
    TX_BITS = 21,
    TX_SHIFT = 2 * COUNT_BITS,
    TX_BIAS = 1 << 20,
    TX_MAX = (1 << 20) - 1,
    PHASE_SHIFT = TX_SHIFT + TX_BITS,
    MARK_SHIFT = 62,
    MARK_NONE = 0,
    MARK_VALID = 2,
    MARK_INVALIDATED = 3,
};

struct mbarrier {
    int64_t pending, expected, tx;
    unsigned phase, mark;
};

static struct mbarrier unpack(uint64_t word)
{
    return (struct mbarrier){
        .pending = (int64_t)(word & COUNT_MAX),
        .expected = (int64_t)(word >> COUNT_BITS & COUNT_MAX),
        .tx = (int64_t)(word >> TX_SHIFT & ((1 << TX_BITS) - 1)) - TX_BIAS,
        .phase = (unsigned)(word >> PHASE_SHIFT & 1),
        .mark = (unsigned)(word >> MARK_SHIFT),
    };
}

static uint64_t pack(const struct mbarrier *m)
{
    return (uint64_t)m->pending | (uint64_t)m->expected << COUNT_BITS |
           (uint64_t)(m->tx + TX_BIAS) << TX_SHIFT | (uint64_t)m->phase << PHASE_SHIFT |
           (uint64_t)m->mark << MARK_SHIFT;
}

/* One lane's operation on one object. */
struct visit {
    const struct step *step;
    const struct access *access;
    unsigned lane;
    struct mbarrier m;
    uint64_t before;
};

__attribute__((format(printf, 3, 4)))
static void complain(const struct visit *visit, const char *kind, const char *format, ...)
{
    struct finding finding = {
        .category = FINDING_SYNC,
        .kind = kind,
        .severity = FINDING_ERROR,
        .space = IR_SPACE_SHARED,
        .has_address = true,
        .address = visit->access->address[visit->lane],
        .size = 8,
    };
    char what[256];
    va_list args;

    finding.where[0].access = visit->access->kind;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    report_at(visit->step->warp, visit->step->code, visit->step->fragment, visit->lane,
              finding, "mbarrier at 0x%" PRIx64 ": %s", finding.address, what);
}

/* Reads the object; false, and a finding, when the bytes are none. */
static bool enter(struct visit *visit)
{
    memcpy(&visit->before, visit->access->host[visit->lane], 8);
    visit->m = unpack(visit->before);
    if (visit->m.mark == MARK_VALID && visit->m.pending <= visit->m.expected)
        return true;
    if (visit->before == (uint64_t)MARK_INVALIDATED << MARK_SHIFT)
        complain(visit, "mbarrier-invalidated", "used after mbarrier.inval");
    else
        complain(visit, "mbarrier-uninitialised", "used without mbarrier.init");
    return false;
}

static void tell(const struct visit *visit, enum mbarrier_act act, bool completed)
{
    OBSERVE(visit->step->warp->block->state, mbarrier,
            &(struct mbarrier_event){.warp = visit->step->warp, .code = visit->step->code,
                                     .lane = visit->lane,
                                     .owner = visit->access->owner[visit->lane],
                                     .address = visit->access->address[visit->lane],
                                     .act = act, .completed = completed});
}

/* The change of what was pending has come to its end. */
static void tell_arrival(const struct visit *visit)
{
    tell(visit, MBARRIER_ARRIVE, visit->m.phase != unpack(visit->before).phase);
}

static void leave(const struct visit *visit, uint64_t word)
{
    if (word == visit->before)
        return;
    memcpy(visit->access->host[visit->lane], &word, 8);
    step_changed(visit->step);
}

/* --- what arrives ------------------------------------------------------------------- */

static void finish_phase(struct mbarrier *m)
{
    if (m->pending == 0 && m->tx == 0) {
        m->phase ^= 1;
        m->pending = m->expected;
    }
}

static void count_arrivals(struct visit *visit, int64_t count, unsigned sub)
{
    struct mbarrier *m = &visit->m;

    if (count < 1 || count > COUNT_MAX) {
        complain(visit, "mbarrier-count", "arrival count %" PRId64 " is not in 1..%d", count,
                 COUNT_MAX);
        return;
    }
    if (count > m->pending) {
        complain(visit, "mbarrier-count",
                 "%" PRId64 " arrivals, but only %" PRId64 " are pending", count, m->pending);
        return;
    }
    m->pending -= count;
    if (sub & IR_MBARRIER_DROP)
        m->expected -= count;
    if (sub & IR_MBARRIER_NO_COMPLETE && m->pending == 0) {
        complain(visit, "mbarrier-count", "an arrival with .noComplete completes the phase");
        return;
    }
    finish_phase(m);
}

static bool move_tx(struct visit *visit, int64_t bytes)
{
    int64_t tx = visit->m.tx + bytes;

    if (tx < -TX_MAX || tx > TX_MAX) {
        complain(visit, "mbarrier-tx-count",
                 "pending transaction bytes would be %" PRId64 ", beyond %d", tx, TX_MAX);
        return false;
    }
    visit->m.tx = tx;
    return true;
}

/* --- one lane ------------------------------------------------------------------------- */

static uint64_t third(const struct visit *visit, unsigned bytes, uint64_t absent)
{
    const struct code *code = visit->step->code;

    return code->sources < 3
               ? absent : lane_read(visit->step, source_operand(code, 2), bytes, visit->lane);
}

static void init(struct visit *visit)
{
    int64_t count = (int64_t)third(visit, 4, 0);

    memcpy(&visit->before, visit->access->host[visit->lane], 8);
    if (count < 1 || count > COUNT_MAX) {
        complain(visit, "mbarrier-count", "initial count %" PRId64 " is not in 1..%d", count,
                 COUNT_MAX);
        return;
    }
    struct mbarrier m = {.pending = count, .expected = count, .mark = MARK_VALID};
    leave(visit, pack(&m));
    tell(visit, MBARRIER_INIT, false);
}

static void arrive(struct visit *visit)
{
    const struct code *code = visit->step->code;
    unsigned sub = code->sub;
    bool usable = enter(visit);

    if (usable) {
        uint64_t operand = third(visit, 4, 1);
        bool fits = true;
        if (sub & IR_MBARRIER_EXPECT_TX) {
            fits = move_tx(visit, (int64_t)operand);
            operand = 1;
        }
        if (fits)
            count_arrivals(visit, (int64_t)operand, sub);
        leave(visit, pack(&visit->m));
        tell_arrival(visit);
    }
    if (code->destinations)
        lane_write(visit->step, code->operands[0], 8, visit->lane,
                   usable ? visit->before : 0);
}

static void transact(struct visit *visit, int sign)
{
    if (!enter(visit) || !move_tx(visit, sign * (int64_t)third(visit, 4, 0)))
        return;
    if (sign < 0)
        finish_phase(&visit->m);
    leave(visit, pack(&visit->m));
    tell_arrival(visit);
}

static bool test(struct visit *visit)
{
    if (!enter(visit))
        return true; /* said already; let the kernel go on */
    unsigned asked = visit->step->code->sub & IR_MBARRIER_PARITY
                         ? (unsigned)(third(visit, 4, 0) & 1)
                         : unpack(third(visit, 8, 0)).phase;
    if (visit->m.phase == asked)
        return false;
    tell(visit, MBARRIER_PASS, false);
    return true;
}

/* --- one instruction -------------------------------------------------------------------- */

/* How the instruction accesses the eight bytes. */
static enum finding_access access_of(const struct code *code)
{
    switch (code->op) {
    case IR_OP_mbarrier_init:
    case IR_OP_mbarrier_inval:
        return FINDING_WRITE;
    case IR_OP_mbarrier_test:
        return FINDING_READ;
    default:
        return FINDING_ATOMIC;
    }
}

static void find_objects(const struct step *step, struct access *access)
{
    const struct code *code = step->code;
    /* Operations without a space name shared memory by a generic address. */
    enum ir_space space = code->space;

    *access = (struct access){.kind = access_of(code), .size = 8};
    access_addresses(step->warp, step->fragment, code, step->base, step->mask,
                     access->address);
    access_resolve(access, step->warp, step->fragment, code, space, step->mask);
    FOR_LANES (lane, access->mask & ~access->in[IR_SPACE_SHARED]) {
        struct visit visit = {.step = step, .access = access, .lane = lane};
        complain(&visit, "mbarrier-space", "an mbarrier must be in shared memory");
    }
    access->mask = access->in[IR_SPACE_SHARED];
}

static void report(const struct step *step, const struct access *access)
{
    static const enum finding_access_kind kinds[] = {
        [FINDING_READ] = ACCESS_READ,
        [FINDING_WRITE] = ACCESS_WRITE,
        [FINDING_ATOMIC] = ACCESS_ATOMIC,
    };
    access_report(access, step->warp, step->code, kinds[access->kind], access->mask);
}

void mbarrier_arrive_for_copies(const struct step *step, bool no_increment)
{
    struct access access;

    find_objects(step, &access);
    report(step, &access);
    FOR_LANES (lane, access.mask) {
        struct visit visit = {.step = step, .access = &access, .lane = lane};
        if (!enter(&visit))
            continue;
        if (no_increment)
            count_arrivals(&visit, 1, 0);
        leave(&visit, pack(&visit.m));
        tell_arrival(&visit);
    }
}

void mbarrier_complete_bytes(const struct step *step, unsigned lane, enum ir_space space,
                             uint64_t address, uint32_t bytes)
{
    struct access access = {.kind = FINDING_ATOMIC, .size = 8};
    struct visit visit = {.step = step, .access = &access, .lane = lane};

    access.address[lane] = address;
    access_resolve(&access, step->warp, step->fragment, step->code, space, UINT32_C(1) << lane);
    if (access.mask & ~access.in[IR_SPACE_SHARED]) {
        complain(&visit, "mbarrier-space", "an mbarrier must be in shared memory");
        return;
    }
    if (!access.mask || !enter(&visit) || !move_tx(&visit, -(int64_t)bytes))
        return;
    finish_phase(&visit.m);
    leave(&visit, pack(&visit.m));
    tell_arrival(&visit);
}

static void pending_count(const struct step *step)
{
    const struct code *code = step->code;

    FOR_LANES (lane, step->mask) {
        uint64_t state = lane_read(step, source_operand(code, 0), 8, lane);
        lane_write(step, code->operands[0], 4, lane, (uint64_t)unpack(state).pending);
    }
}

void mbarrier_execute(const struct step *step)
{
    const struct code *code = step->code;
    struct access access;
    uint32_t complete = 0;

    if (code->op == IR_OP_mbarrier_pending) {
        pending_count(step);
        return;
    }
    find_objects(step, &access);
    report(step, &access);
    FOR_LANES (lane, access.mask) {
        struct visit visit = {.step = step, .access = &access, .lane = lane};
        switch (code->op) {
        case IR_OP_mbarrier_init:
            init(&visit);
            break;
        case IR_OP_mbarrier_inval:
            if (enter(&visit)) {
                leave(&visit, (uint64_t)MARK_INVALIDATED << MARK_SHIFT);
                tell(&visit, MBARRIER_INIT, false);
            }
            break;
        case IR_OP_mbarrier_arrive:
            arrive(&visit);
            break;
        case IR_OP_mbarrier_expect_tx:
            transact(&visit, 1);
            break;
        case IR_OP_mbarrier_complete_tx:
            transact(&visit, -1);
            break;
        default:
            complete |= (uint32_t)test(&visit) << lane;
            break;
        }
    }
    if (code->op == IR_OP_mbarrier_test) {
        predicate_write(step, code->operands[0], complete | (step->mask & ~access.mask));
        if (~complete & access.mask)
            step->fragment->polls++;
    }
}
