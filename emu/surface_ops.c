/* SPDX-License-Identifier: Apache-2.0
 *
 * surface_ops.c - suld, sust and sured for the lanes of a warp.
 *
 * PTX ISA, "Surface Instructions": x counts bytes, but texels in formatted accesses;
 * beyond the edge an access traps, is moved to the edge, or reads zero and writes
 * nothing. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "emu/memory_ops.h"
#include "emu/texture.h"
#include "ir/texture.h"

/* Where the lanes of an access go. */
struct places {
    const struct texture_object *object[LANES];
    uint64_t offset[LANES]; /* in the allocation */
    uint32_t inside;        /* lanes that reach memory */
};

__attribute__((format(printf, 4, 5)))
static void report_place(const struct step *step, unsigned lane, const char *kind,
                         const char *format, ...)
{
    struct finding finding = {.category = FINDING_MEMORY, .kind = kind,
                              .severity = FINDING_ERROR, .space = IR_SPACE_GLOBAL};
    char what[160];
    va_list args;

    finding.where[0].access = step->code->op == IR_OP_suld   ? FINDING_READ
                              : step->code->op == IR_OP_sust ? FINDING_WRITE
                                                             : FINDING_ATOMIC;
    if (report_again(step->warp, step->code, step->fragment, lane, finding))
        return;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    report_at(step->warp, step->code, step->fragment, lane, finding, "%s", what);
}

static bool into(int32_t *at, int64_t limit, bool clamp)
{
    if (*at >= 0 && *at < limit)
        return true;
    if (!clamp)
        return false;
    *at = *at < 0 ? 0 : (int32_t)(limit - 1);
    return true;
}

/* True when the lane reaches memory; *offset says where. */
static bool place(const struct step *step, unsigned lane, const struct texture *what,
                  uint32_t bytes, uint64_t *offset)
{
    const struct code *code = step->code;
    bool clamp = code->sub & IR_SURFACE_CLAMP, formatted = code->sub & IR_SURFACE_FORMATTED;
    bool layered = code->sub & (IR_TEXTURE_1D_LAYERED | IR_TEXTURE_2D_LAYERED);
    unsigned texel = texture_texel(what);
    int32_t at[3];

    for (unsigned k = 0; k < 3; k++)
        at[k] = (int32_t)lane_read(step, source_operand(code, IR_TEXTURE_X + k), 4, lane);
    uint32_t layer =
        (uint32_t)lane_read(step, source_operand(code, IR_TEXTURE_LAYER), 4, lane);
    int32_t given[3] = {at[0], at[1], at[2]};
    int64_t row = (int64_t)what->width * texel;
    bool inside;

    if (formatted) {
        inside = into(&at[0], what->width, clamp);
        at[0] = (int32_t)((int64_t)at[0] * texel);
    } else {
        if ((uint32_t)at[0] & (bytes - 1)) { /* a fault, also beyond the edge (measured) */
            report_place(step, lane, "misaligned",
                         "at byte %" PRId32 " of a surface's row, which is not a multiple of %"
                         PRIu32, at[0], bytes);
            return false;
        }
        inside = at[0] >= 0 && at[0] + (int64_t)bytes <= row;
        if (!inside && clamp) {
            at[0] = at[0] < 0 ? 0 : (int32_t)(row - (int64_t)bytes);
            inside = true;
        }
    }
    inside = inside && into(&at[1], what->height, clamp);
    int32_t slice = !layered ? at[2] : layer < INT32_MAX ? (int32_t)layer : INT32_MAX;
    inside = inside && into(&slice, what->depth, clamp);
    if (!inside) {
        if (code->sub & IR_SURFACE_TRAP)
            report_place(step, lane, "out-of-bounds",
                         "outside of the surface: x %" PRId32 ", y %" PRId32 ", z %" PRId32
                         ", layer %" PRIu32, given[0], given[1], given[2], layer);
        return false;
    }
    *offset = ((uint64_t)(uint32_t)slice * what->height + (uint32_t)at[1]) * (uint64_t)row +
              (uint32_t)at[0];
    return true;
}

static void find_places(const struct step *step, uint32_t bytes, struct places *places)
{
    places->inside = 0;
    FOR_LANES (lane, step->mask) {
        const struct texture_object *object = texture_of_lane(step, lane, true, false);
        places->object[lane] = object;
        if (object && place(step, lane, &object->what, bytes, &places->offset[lane]))
            places->inside |= UINT32_C(1) << lane;
    }
}

static void tell(const struct step *step, const struct places *places, uint32_t bytes,
                 enum finding_access_kind kind)
{
    struct access access = {.size = bytes, .mask = places->inside, .frame = step->fragment->frame};

    if (!step->warp->block->state->observed || !places->inside)
        return;
    access.in[IR_SPACE_GLOBAL] = places->inside;
    FOR_LANES (lane, places->inside) {
        access.allocation[lane] = places->object[lane]->allocation;
        access.address[lane] = access.allocation[lane]->address + places->offset[lane];
        access.host[lane] = access.allocation[lane]->host + places->offset[lane];
    }
    access_report(&access, step->warp, step->code, kind, access.mask);
}

static unsigned char *host_of(const struct places *places, unsigned lane)
{
    return places->object[lane]->allocation->host + places->offset[lane];
}

/* --- suld --------------------------------------------------------------------------- */

static void load(const struct step *step)
{
    const struct code *code = step->code;
    unsigned size = ir_type_bytes(code->type);
    struct places places;

    find_places(step, size * code->destinations, &places);
    FOR_LANES (lane, step->mask)
        for (unsigned e = 0; e < code->destinations; e++) {
            uint64_t value = 0;
            if (places.inside >> lane & 1)
                memcpy(&value, host_of(&places, lane) + e * size, size);
            lane_write(step, code->operands[e], code->value_bytes, lane, value);
        }
    tell(step, &places, size * code->destinations, ACCESS_READ);
}

/* --- sust ------------------------------------------------------------------------------ */

static uint64_t value_of(const struct step *step, unsigned lane, unsigned e)
{
    return lane_read(step, source_operand(step->code, IR_TEXTURE_SOURCES + e),
                     step->code->value_bytes, lane);
}

static void store(const struct step *step)
{
    const struct code *code = step->code;
    unsigned size = ir_type_bytes(code->type), count = code->sources - IR_TEXTURE_SOURCES;
    bool formatted = code->sub & IR_SURFACE_FORMATTED, changed = false;
    struct places places;

    find_places(step, size * count, &places);
    if (formatted && places.inside) /* the bytes of the texel, whatever was given */
        tell(step, &places, texture_texel(&places.object[lane_first(places.inside)]->what),
             ACCESS_WRITE);
    else
        tell(step, &places, size * count, ACCESS_WRITE);
    FOR_STORE_LANES (lane, places.inside, LANES) {
        unsigned char bytes[16];
        unsigned all = size * count;
        if (formatted) {
            uint32_t value[4] = {0};
            for (unsigned e = 0; e < count; e++)
                value[e] = (uint32_t)value_of(step, lane, e);
            texture_pack(&places.object[lane]->what, value, bytes);
            all = texture_texel(&places.object[lane]->what);
        } else {
            for (unsigned e = 0; e < count; e++) {
                uint64_t value = value_of(step, lane, e);
                memcpy(bytes + e * size, &value, size);
            }
        }
        unsigned char *to = host_of(&places, lane);
        changed |= memcmp(to, bytes, all) != 0;
        memcpy(to, bytes, all);
    }
    if (changed)
        step_changed(step);
}

/* --- sured ------------------------------------------------------------------------------- */

static uint64_t reduced(const struct code *code, uint64_t old, uint64_t value)
{
    bool wide = ir_type_bytes(code->type) == 8, is_signed = ir_types[code->type].kind == IR_KIND_S;
    int64_t a = wide ? (int64_t)old : (int32_t)(uint32_t)old;
    int64_t b = wide ? (int64_t)value : (int32_t)(uint32_t)value;
    bool less = is_signed ? b < a : value < old;

    if (code->sub & IR_SURFACE_ADD)
        return old + value;
    if (code->sub & IR_SURFACE_AND)
        return old & value;
    if (code->sub & IR_SURFACE_OR)
        return old | value;
    return less == !!(code->sub & IR_SURFACE_MIN) ? value : old;
}

static void reduce(const struct step *step)
{
    const struct code *code = step->code;
    unsigned size = ir_type_bytes(code->type);
    struct places places;
    bool changed = false;

    find_places(step, size, &places);
    tell(step, &places, size, ACCESS_ATOMIC);
    FOR_LANES (lane, places.inside) {
        uint64_t old = 0;
        memcpy(&old, host_of(&places, lane), size);
        uint64_t new = reduced(code, old, value_of(step, lane, 0));
        changed |= memcmp(&old, &new, size) != 0;
        memcpy(host_of(&places, lane), &new, size);
    }
    if (changed)
        step_changed(step);
}

void surface_execute(const struct step *step)
{
    switch (step->code->op) {
    case IR_OP_suld: load(step); break;
    case IR_OP_sust: store(step); break;
    default: reduce(step); break;
    }
}
