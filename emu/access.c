/* SPDX-License-Identifier: Apache-2.0
 *
 * access.c - which bytes an address names, and what is wrong when it names none.
 *
 * An access must be aligned to its whole size (PTX ISA, "Addresses as Operands";
 * vectors count as one access) and lie inside of one allocation. */
#include "emu/access.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* No allocation is ever this low: what lies here came from a null pointer. */
enum { NULL_PAGE = 4096 };
/* Beyond this the nearest allocation says nothing about what went wrong. */
enum { NEARBY = 1 << 24 };

/* --- what to say -------------------------------------------------------------------- */

/* The lane of an access that goes wrong. */
struct fault {
    struct warp *warp;
    struct fragment *fragment;
    const struct code *code;
    unsigned lane;
    enum finding_access kind;
    enum ir_space given, space; /* as the instruction says, and as it turned out */
    uint64_t address;
    uint32_t size, align;
};

__attribute__((format(printf, 3, 4)))
static void report(const struct fault *fault, const char *kind, const char *format, ...)
{
    static const char *const verbs[] = {"access", "read", "write", "atomic access"};
    struct finding finding = {
        .category = FINDING_MEMORY,
        .kind = kind,
        .severity = FINDING_ERROR,
        .space = fault->space,
        .has_address = true,
        .address = fault->address,
        .size = fault->size,
    };
    char what[512];
    va_list args;

    finding.where[0].access = fault->kind;
    /* A kernel may go wrong in every thread; texts are made for the first. */
    if (report_again(fault->warp, fault->code, fault->fragment, fault->lane, finding))
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    report_at(fault->warp, fault->code, fault->fragment, fault->lane, finding,
              "%" PRIu32 "-byte %s %s", fault->size, verbs[fault->kind], what);
}

struct name {
    char text[160];
};

static struct name name_of(const struct allocation *allocation)
{
    struct name name;
    const char *text = allocation->name ? allocation->name : "?";

    if (allocation->kind == ALLOCATION_GLOBAL)
        snprintf(name.text, sizeof name.text, "variable '%s' (%" PRIu64 " bytes)", text,
                 allocation->size);
    else if (allocation->kind == ALLOCATION_CONST)
        snprintf(name.text, sizeof name.text, "constant '%s' (%" PRIu64 " bytes)", text,
                 allocation->size);
    else if (allocation->kind == ALLOCATION_HEAP)
        snprintf(name.text, sizeof name.text, "memory from malloc (%" PRIu64 " bytes)",
                 allocation->size);
    else if (allocation->name)
        snprintf(name.text, sizeof name.text, "%s (%" PRIu64 " bytes)", text,
                 allocation->size);
    else
        snprintf(name.text, sizeof name.text, "allocation %" PRIu32 " (%" PRIu64 " bytes)",
                 allocation->number, allocation->size);
    return name;
}

/* How an access lies to a range that it is not inside of. */
static void report_outside(const struct fault *fault, uint64_t start, uint64_t bytes,
                           const char *range)
{
    uint64_t address = fault->address, end = start + bytes;

    if (address >= end)
        report(fault, "out-of-bounds", "%" PRIu64 " bytes past the end of %s",
               address - end, range);
    else if (address >= start)
        report(fault, "out-of-bounds", "across the end of %s", range);
    else if (start - address >= fault->size)
        report(fault, "out-of-bounds", "%" PRIu64 " bytes before the start of %s",
               start - address, range);
    else
        report(fault, "out-of-bounds", "across the start of %s", range);
}

static bool misaligned(const struct fault *fault)
{
    if ((fault->address & (fault->align - 1)) == 0)
        return false;
    report(fault, "misaligned", "at address 0x%" PRIx64 ", which is not a multiple of %" PRIu32,
           fault->address, fault->align);
    return true;
}

/* --- the spaces ----------------------------------------------------------------------- */

static const char *const space_words[IR_SPACE_COUNT] = {
    "generic", "global", "shared", "cluster shared", "constant", "parameter", "local",
    "local",
};

/* A global address that lies in no allocation: past or before one, below the
 * window of shared memory, or anywhere. */
static void report_no_allocation(const struct fault *fault)
{
    const struct block *block = fault->warp->block;
    const struct allocation *near = memory_nearest(block->state->memory, fault->address);
    uint64_t window = generic_window(warp_address_bits(fault->warp), IR_SPACE_SHARED);
    uint64_t end = near ? near->address + near->size : 0;

    if (fault->given == IR_SPACE_GENERIC && window - fault->address < NEARBY) {
        char text[80];
        snprintf(text, sizeof text, "the block's shared memory (%" PRIu32 " bytes)",
                 block->shared_bytes);
        report_outside(fault, window + block->state->executable->shared_base,
                       block->shared_bytes, text);
    } else if (near && (fault->address < end ? near->address - fault->address
                                             : fault->address - end) < NEARBY) {
        report_outside(fault, near->address, near->size, name_of(near).text);
    } else {
        report(fault, "out-of-bounds", "at address 0x%" PRIx64 ", far from any allocation",
               fault->address);
    }
}

static struct allocation *resolve_global(const struct fault *fault, struct allocation *hint)
{
    const struct memory *memory = fault->warp->block->state->memory;
    enum ir_space space = fault->given;
    uint64_t address = fault->address, inner = address;

    if (address < NULL_PAGE) {
        report(fault, "null", address ? "at address 0x%" PRIx64 ", close to the null pointer"
                                      : "at the null pointer (0x%" PRIx64 ")", address);
        return NULL;
    }
    enum ir_space actual = generic_space(warp_address_bits(fault->warp), &inner);
    if (actual != IR_SPACE_GLOBAL) {
        report(fault, "wrong-space", "in %s memory at address 0x%" PRIx64
               ", which is a generic address of %s memory",
               space_words[space], address, space_words[actual]);
        return NULL;
    }
    if (misaligned(fault))
        return NULL;
    struct allocation *found = hint;
    if (!found || address - found->address >= found->size)
        found = memory_find(memory, address);
    if (!found) {
        report_no_allocation(fault);
        return NULL;
    }
    uint64_t offset = address - found->address;
    if (found->freed) {
        report(fault, "freed", "%" PRIu64 " bytes into %s, which was freed", offset,
               name_of(found).text);
        return NULL;
    }
    if (fault->size > found->size - offset) {
        report_outside(fault, found->address, found->size, name_of(found).text);
        return NULL;
    }
    if (found->kind == ALLOCATION_CONST && fault->kind != FINDING_READ) {
        report(fault, "read-only", "%" PRIu64 " bytes into %s, which kernels cannot change",
               offset, name_of(found).text);
        return NULL;
    }
    if (space == IR_SPACE_CONST && found->kind != ALLOCATION_CONST) {
        report(fault, "wrong-space", "in constant memory at an address of %s",
               name_of(found).text);
        return NULL;
    }
    return found;
}

/* Explains an address that is none of the shared or local space it was used in. */
static bool report_foreign(const struct fault *fault)
{
    uint64_t inner = fault->address;
    enum ir_space actual = generic_space(warp_address_bits(fault->warp), &inner);

    if (actual == IR_SPACE_GLOBAL &&
        !memory_find(fault->warp->block->state->memory, fault->address))
        return false;
    report(fault, "wrong-space", "in %s memory at address 0x%" PRIx64
           ", which is a generic address of %s memory",
           space_words[fault->given], fault->address, space_words[actual]);
    return true;
}

static unsigned char *resolve_shared(struct fault *fault, bool cluster, uint32_t *owner)
{
    struct block *own = fault->warp->block;
    uint32_t base = own->state->executable->shared_base;
    struct block *block = fault->address >> 32 ? NULL : access_shared_owner(fault->warp, fault->address);

    if (!block || (block != own && !cluster)) {
        if (!report_foreign(fault))
            report(fault, block ? "wrong-space" : "out-of-bounds",
                   "at address 0x%" PRIx64 ", which is outside of the block's shared memory "
                   "(%" PRIu32 " bytes at 0x%" PRIx32 ")",
                   fault->address, own->shared_bytes, base);
        return NULL;
    }
    if (misaligned(fault))
        return NULL;
    uint64_t address = fault->address & ((UINT64_C(1) << SHARED_RANK_SHIFT) - 1);
    uint64_t offset = address - base;
    fault->address = address;
    if (address < base || offset >= block->shared_bytes ||
        fault->size > block->shared_bytes - offset) {
        char text[80];
        snprintf(text, sizeof text, "the block's shared memory (%" PRIu32 " bytes)",
                 block->shared_bytes);
        report_outside(fault, base, block->shared_bytes, text);
        return NULL;
    }
    if (block->finished || !block->shared) {
        report(fault, "freed", "in the shared memory of block %" PRIu32
               " of the cluster, which has ended", block->cluster_rank);
        return NULL;
    }
    *owner = block->cluster_rank;
    return block->shared + offset;
}

/* Only what the thread has in use: variables of active calls, and alloca. */
static unsigned char *resolve_local(const struct fault *fault)
{
    uint64_t top = fault->fragment->frame->local_top;

    if (fault->kind == FINDING_ATOMIC) {
        report(fault, "wrong-space", "in local memory, where there are no atomics");
        return NULL;
    }

    if (fault->address >= top || fault->size > top - fault->address) {
        char text[80];
        if (report_foreign(fault))
            return NULL;
        snprintf(text, sizeof text, "the thread's local memory (%" PRIu64 " bytes in use)",
                 top);
        report_outside(fault, 0, top, text);
        return NULL;
    }
    if (misaligned(fault))
        return NULL;
    unsigned char *host = local_bytes(fault->warp, fault->lane, fault->address, fault->size);
    if (!host)
        report(fault, "stack-overflow", "beyond the local memory that the chip has");
    return host;
}

static unsigned char *resolve_param(const struct fault *fault)
{
    const struct launch *launch = fault->warp->block->state->launch;
    uint64_t bytes = launch->parameter_bytes;

    if (fault->address >= bytes || fault->size > bytes - fault->address) {
        char text[80];
        snprintf(text, sizeof text, "the kernel's parameters (%" PRIu64 " bytes)", bytes);
        report_outside(fault, 0, bytes, text);
        return NULL;
    }
    if (misaligned(fault))
        return NULL;
    if (fault->kind != FINDING_READ) {
        report(fault, "read-only", "to the kernel's parameters, which kernels cannot change");
        return NULL;
    }
    /* Reads only: the constness comes back in the hands of the callers. */
    return (unsigned char *)(uintptr_t)launch->parameters + fault->address;
}

/* --- interfaces ----------------------------------------------------------------------- */

void access_addresses(const struct warp *warp, const struct fragment *fragment,
                      const struct code *code, unsigned char *const base[2],
                      uint32_t mask, uint64_t address[LANES])
{
    uint64_t fixed = (uint64_t)code->offset;

    if (code->address_kind == ADDRESS_FRAME)
        fixed += fragment->frame->local_base;
    if (code->address_kind != ADDRESS_REGISTER) {
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = fixed;
    } else if (code->address_bytes == 8) {
        const uint64_t *from = operand_at(base, code->o.a);
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = from[lane] + fixed;
    } else {
        const uint32_t *from = operand_at(base, code->o.a);
        for (unsigned lane = 0; lane < LANES; lane++)
            address[lane] = (uint32_t)(from[lane] + fixed);
    }
}

/* All lanes at once, when they are in order and in one window. */
static bool resolve_together(struct access *access, struct warp *warp,
                             struct fragment *fragment, const struct code *code,
                             enum ir_space space, uint32_t mask)
{
    const struct access_table *loops = warp->block->state->access_loops;
    uint32_t align = access->align ? access->align : access->size;
    struct window window;
    uint64_t offset[LANES];

    if (!mask || !access_window(warp, fragment, code, space, access->kind,
                                access->address[lane_first(mask)], &window) ||
        !loops->inside(access->address, &window, access->size, align, mask, offset))
        return false;
    for (unsigned lane = 0; lane < LANES; lane++) {
        bool active = mask >> lane & 1;
        access->address[lane] = access->address[lane] - window.base + window.start;
        access->host[lane] = active ? window.host + offset[lane] : NULL;
        access->allocation[lane] = window.allocation;
        access->owner[lane] = window.owner;
    }
    access->mask = access->in[window.space] = mask;
    return true;
}

void access_resolve(struct access *access, struct warp *warp, struct fragment *fragment,
                    const struct code *code, enum ir_space space, uint32_t mask)
{
    unsigned bits = warp_address_bits(warp);
    struct allocation *hint = NULL;
    struct fault fault = {
        .warp = warp,
        .fragment = fragment,
        .code = code,
        .kind = access->kind,
        .given = space,
        .size = access->size,
        .align = access->align ? access->align : access->size,
    };

    access->mask = 0;
    access->frame = fragment ? fragment->frame : NULL;
    for (unsigned s = 0; s < IR_SPACE_COUNT; s++)
        access->in[s] = 0;
    if (resolve_together(access, warp, fragment, code, space, mask))
        return;
    FOR_LANES (lane, mask) {
        bool cluster = space == IR_SPACE_CLUSTER;
        fault.lane = lane;
        fault.space = space;
        fault.address = access->address[lane];
        if (space == IR_SPACE_GENERIC) {
            fault.space = generic_space(bits, &fault.address);
            cluster = true;
        }
        access->host[lane] = NULL;
        access->allocation[lane] = NULL;
        access->owner[lane] = 0;
        switch (fault.space) {
        case IR_SPACE_SHARED:
        case IR_SPACE_CLUSTER:
            fault.space = IR_SPACE_SHARED;
            access->host[lane] = resolve_shared(&fault, cluster, &access->owner[lane]);
            break;
        case IR_SPACE_LOCAL:
        case IR_SPACE_ARGUMENT:
            fault.space = IR_SPACE_LOCAL;
            access->host[lane] = resolve_local(&fault);
            break;
        case IR_SPACE_PARAM:
            access->host[lane] = resolve_param(&fault);
            break;
        default:
            fault.space = IR_SPACE_GLOBAL;
            if (space == IR_SPACE_CONST)
                fault.address = image_from_bank(warp->block->state->executable->image,
                                                fault.address);
            hint = resolve_global(&fault, hint);
            access->allocation[lane] = hint;
            if (hint)
                access->host[lane] = hint->host + (fault.address - hint->address);
            break;
        }
        access->address[lane] = fault.address;
        if (access->host[lane]) {
            access->mask |= UINT32_C(1) << lane;
            access->in[fault.space] |= UINT32_C(1) << lane;
        }
    }
    /* Growing local memory moves it: take the pointers once it has its size. */
    FOR_LANES (lane, access->in[IR_SPACE_LOCAL])
        access->host[lane] = local_bytes(warp, lane, access->address[lane], access->size);
}

void access_report(const struct access *access, struct warp *warp,
                   const struct code *code, enum finding_access_kind kind,
                   uint32_t mask)
{
    const struct launch *launch = warp->block->state->launch;

    for (uint32_t i = 0; i < launch->observer_count; i++) {
        struct observer *observer = launch->observers[i];
        for (unsigned space = 0; observer->access && space < IR_SPACE_COUNT; space++) {
            if (!(access->in[space] & mask))
                continue;
            observer->access(observer, &(struct access_event){
                .warp = warp,
                .code = code,
                .mask = access->in[space] & mask,
                .space = (enum ir_space)space,
                .kind = kind,
                .address = access->address,
                .frame = access->frame,
                .lie = LIE_APART,
                .size = access->size,
                .elements = code->vector,
                .allocation = space == IR_SPACE_GLOBAL ? access->allocation : NULL,
                .owner = space == IR_SPACE_SHARED && warp->block->cluster ? access->owner
                                                                          : NULL,
                .host = (const unsigned char *const *)access->host,
                .base = access->base,
                .stored = access->stored,
                .older = access->older,
            });
        }
    }
}

void access_report_window(const struct window *window, enum access_lie lie,
                          const uint64_t offset[LANES], struct warp *warp,
                          const struct frame *frame, const struct code *code,
                          enum finding_access_kind kind, uint32_t size, uint32_t mask,
                          unsigned char *const *base)
{
    const struct launch *launch = warp->block->state->launch;
    uint64_t address[LANES];
    const struct access_event event = {
        .warp = warp,
        .code = code,
        .mask = mask,
        .space = window->space,
        .kind = kind,
        .address = address,
        .frame = frame,
        .lie = lie,
        .size = size,
        .elements = code->vector,
        .window = window,
        .base = base,
    };

    const uint64_t start = window->start, stride = window->stride;
    for (unsigned lane = 0; lane < LANES; lane++)
        address[lane] = start + offset[lane];
    for (unsigned lane = 0; stride && lane < LANES; lane++)
        address[lane] -= stride * lane;
    for (uint32_t i = 0; i < launch->observer_count; i++) {
        struct observer *observer = launch->observers[i];
        if (observer->access)
            observer->access(observer, &event);
    }
}
