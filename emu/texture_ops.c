/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_ops.c - tex, tld4, txq and suq for the lanes of a warp.
 *
 * A lane whose handle is no texture, or one of another shape than the instruction asks
 * for, is reported and reads zeros. */
#include <inttypes.h>

#include "emu/memory_ops.h"
#include "emu/texture.h"
#include "ir/texture.h"
#include "numeric/convert.h"

/* Numbers of handles: far from all addresses, and apart by as much as descriptors
 * would be. */
#define HANDLE_BASE UINT64_C(0x0000610000000000)
enum { HANDLE_STEP = 32 };

struct allocation *texture_create(struct memory *memory, const struct texture *what,
                                  uint64_t *handle)
{
    uint64_t size = texture_elements(what) * element_size(what->element);
    struct allocation *allocation =
        memory_allocate(memory, size, 512, ALLOCATION_BUFFER, NULL);

    if (!allocation)
        return NULL;
    uint32_t number = memory_add_texture(
        memory, &(struct texture_object){.what = *what, .allocation = allocation});
    *handle = HANDLE_BASE + (uint64_t)HANDLE_STEP * (number + 1u);
    return allocation;
}

const struct texture_object *texture_find(const struct memory *memory, uint64_t handle)
{
    uint64_t offset = handle - HANDLE_BASE - HANDLE_STEP;
    const struct texture_object *object =
        offset % HANDLE_STEP ? NULL : memory_texture(memory, offset / HANDLE_STEP);

    return object && object->allocation->host ? object : NULL;
}

/* --- what a handle must be ------------------------------------------------------------ */

static const char *const shape_names[] = {
    [TEXTURE_1D] = "1D",
    [TEXTURE_2D] = "2D",
    [TEXTURE_3D] = "3D",
    [TEXTURE_1D_LAYERED] = "layered 1D",
    [TEXTURE_2D_LAYERED] = "layered 2D",
    [TEXTURE_CUBE] = "cube",
    [TEXTURE_CUBE_LAYERED] = "layered cube",
    [TEXTURE_BUFFER] = "linear",
    [TEXTURE_PITCH] = "2D",
};

static bool fits(enum texture_shape shape, unsigned sub)
{
    static const unsigned geometry[] = {
        [TEXTURE_1D] = IR_TEXTURE_1D,
        [TEXTURE_2D] = IR_TEXTURE_2D,
        [TEXTURE_3D] = IR_TEXTURE_3D,
        [TEXTURE_1D_LAYERED] = IR_TEXTURE_1D_LAYERED,
        [TEXTURE_2D_LAYERED] = IR_TEXTURE_2D_LAYERED,
        [TEXTURE_CUBE] = IR_TEXTURE_CUBE,
        [TEXTURE_CUBE_LAYERED] = IR_TEXTURE_CUBE_LAYERED,
        [TEXTURE_BUFFER] = IR_TEXTURE_1D,
        [TEXTURE_PITCH] = IR_TEXTURE_2D,
    };

    return (geometry[shape] & sub) != 0;
}

const struct texture_object *texture_of_lane(const struct step *step, unsigned lane,
                                             bool surface, bool any_shape)
{
    const struct code *code = step->code;
    uint64_t handle = lane_read(step, source_operand(code, 0), 8, lane);
    const struct texture_object *object =
        texture_find(step->warp->block->state->memory, handle);
    struct finding finding = {.category = FINDING_MEMORY, .kind = "texture-handle",
                              .severity = FINDING_ERROR};

    if (object && object->what.surface == surface &&
        (any_shape || fits(object->what.shape, code->sub)))
        return object;
    finding.where[0].access = code->op == IR_OP_sust    ? FINDING_WRITE
                              : code->op == IR_OP_sured ? FINDING_ATOMIC
                                                        : FINDING_READ;
    if (report_again(step->warp, code, step->fragment, lane, finding))
        return NULL;
    const char *wanted = surface ? "surface" : "texture";
    if (!object)
        report_at(step->warp, code, step->fragment, lane, finding,
                  "0x%" PRIx64 " is the handle of no %s%s", handle, wanted,
                  handle ? "" : " (nothing was bound to a reference?)");
    else if (object->what.surface != surface)
        report_at(step->warp, code, step->fragment, lane, finding,
                  "0x%" PRIx64 " is the handle of a %s, not of a %s", handle,
                  surface ? "texture" : "surface", wanted);
    else
        report_at(step->warp, code, step->fragment, lane, finding,
                  "the %s is %s, the instruction is for another shape", wanted,
                  shape_names[object->what.shape]);
    return NULL;
}

/* --- what observers see ----------------------------------------------------------------- */

/* One event for the first texels of all lanes, one for the second ones and so on. */
static void report_taps(const struct step *step, const struct texture_object *const object[LANES],
                        const struct texture_taps taps[LANES])
{
    for (uint32_t t = 0; t < TEXTURE_TEXELS; t++) {
        struct access access = {.kind = FINDING_READ, .frame = step->fragment->frame};
        FOR_LANES (lane, step->mask) {
            if (!object[lane] || t >= taps[lane].count)
                continue;
            struct allocation *allocation = object[lane]->allocation;
            access.size = texture_texel(&object[lane]->what);
            access.address[lane] = allocation->address + taps[lane].offset[t];
            access.host[lane] = allocation->host + taps[lane].offset[t];
            access.allocation[lane] = allocation;
            access.mask |= UINT32_C(1) << lane;
        }
        access.in[IR_SPACE_GLOBAL] = access.mask;
        if (!access.mask)
            return;
        access_report(&access, step->warp, step->code, ACCESS_READ, access.mask);
    }
}

/* --- tex ------------------------------------------------------------------------------------ */

/* Four bits of an offset, -8 to 7, are looked at (measured), but by tld4. */
static int32_t offset_of(unsigned sub, uint32_t word)
{
    return sub & IR_TEXTURE_GATHER ? (int32_t)word : (int32_t)((word & 15) ^ 8) - 8;
}

static struct texture_query query_of(const struct step *step, unsigned lane)
{
    const struct code *code = step->code;
    struct texture_query query = {.sub = code->sub, .whole = code->type2 == IR_s32};
    unsigned offsets = IR_TEXTURE_SOURCES + (code->sub & IR_TEXTURE_LEVEL ? 1 : 0) +
                       (code->sub & IR_TEXTURE_GRAD ? 6 : 0);

    for (unsigned k = 0; k < 3; k++)
        query.at[k] = (uint32_t)lane_read(step, source_operand(code, IR_TEXTURE_X + k), 4, lane);
    query.layer =
        (uint32_t)lane_read(step, source_operand(code, IR_TEXTURE_LAYER), 4, lane);
    if (code->sub & IR_TEXTURE_LEVEL)
        query.level =
            (uint32_t)lane_read(step, source_operand(code, IR_TEXTURE_SOURCES), 4, lane);
    for (unsigned k = 0; code->sub & IR_TEXTURE_GRAD && k < 6; k++)
        query.gradient[k / 3][k % 3] =
            (uint32_t)lane_read(step, source_operand(code, IR_TEXTURE_SOURCES + k), 4, lane);
    for (unsigned k = 0; code->sub & IR_TEXTURE_OFFSET && k < 3; k++)
        query.offset[k] = offset_of(
            code->sub, (uint32_t)lane_read(step, source_operand(code, offsets + k), 4, lane));
    return query;
}

static void write_result(const struct step *step, unsigned lane, const uint32_t result[4])
{
    const struct code *code = step->code;
    uint32_t half[4];

    switch (code->type) {
    case IR_f16:
    case IR_f16x2:
        for (unsigned k = 0; k < 4; k++)
            half[k] = f16_from_f32_any(result[k], 0);
        if (code->type == IR_f16)
            for (unsigned k = 0; k < 4; k++)
                lane_write(step, code->operands[k], 2, lane, half[k]);
        else
            for (unsigned k = 0; k < 2; k++)
                lane_write(step, code->operands[k], 4, lane,
                           half[2 * k] | half[2 * k + 1] << 16);
        return;
    default:
        for (unsigned k = 0; k < 4; k++)
            lane_write(step, code->operands[k], 4, lane, result[k]);
    }
}

static void fetch(const struct step *step)
{
    const struct texture_object *object[LANES];
    struct texture_taps taps[LANES];

    FOR_LANES (lane, step->mask) {
        uint32_t result[4] = {0};
        taps[lane].count = 0;
        object[lane] = texture_of_lane(step, lane, false, false);
        if (object[lane]) {
            struct texture_query query = query_of(step, lane);
            texture_fetch(object[lane], &query, result, &taps[lane]);
        }
        write_result(step, lane, result);
    }
    if (step->warp->block->state->observed)
        report_taps(step, object, taps);
}

/* --- txq, suq ---------------------------------------------------------------------------------- */

/* As an H200 has it: a layered line has its layers as height, and what a shape does not
 * have is 0, but for the height of an array of one dimension. All of a mipmap level that
 * is not there is 0. */
static uint32_t property(const struct texture *what, enum ir_texture_query query, uint32_t level)
{
    if (level >= what->levels)
        return 0;
    const struct texture_level size = texture_level(what, level);

    switch (query) {
    case IR_QUERY_WIDTH:
        return size.width;
    case IR_QUERY_HEIGHT:
        return what->shape == TEXTURE_1D_LAYERED                     ? what->depth
               : what->shape == TEXTURE_BUFFER                       ? 0
               : what->shape == TEXTURE_1D && what->surface          ? 0
                                                                     : size.height;
    default:
        return what->shape == TEXTURE_3D || what->shape == TEXTURE_2D_LAYERED ? size.depth
               : what->shape == TEXTURE_CUBE_LAYERED                          ? what->depth / 6
                                                                              : 0;
    }
}

static void ask(const struct step *step)
{
    const struct code *code = step->code;

    FOR_LANES (lane, step->mask) {
        const struct texture_object *object =
            texture_of_lane(step, lane, code->op == IR_OP_suq, true);
        uint32_t level =
            code->sources > 1 ? (uint32_t)lane_read(step, source_operand(code, 1), 4, lane) : 0;
        lane_write(step, code->o.d, 4, lane,
                   object ? property(&object->what, (enum ir_texture_query)code->sub, level) : 0);
    }
}

void texture_execute(const struct step *step)
{
    if (step->code->op == IR_OP_tex)
        fetch(step);
    else
        ask(step);
}
