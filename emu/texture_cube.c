/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_cube.c - faces of cubes, and filtering across their edges. */
#include "emu/texture_place.h"

#include "ir/texture.h"
#include "numeric/approx.h"
#include "numeric/float.h"

/* --- cubes ---------------------------------------------------------------------------- */

/* Bits behind the point of a place on a face that goes from 0 to 1. */
enum { CUBE_BITS = 21 };

/* A face by the direction of the rays through it: which of x, y, z goes along its x and y,
 * and with which sign. PTX ISA, "tex". */
static const struct face {
    unsigned char axis[3]; /* of the face's x and y, and the one through it */
    signed char sign[3];
} faces[6] = {
    {{2, 1, 0}, {-1, -1, 1}}, {{2, 1, 0}, {1, -1, -1}}, {{0, 2, 1}, {1, 1, 1}},
    {{0, 2, 1}, {1, -1, -1}}, {{0, 1, 2}, {1, -1, 1}},  {{0, 1, 2}, {-1, -1, -1}},
};

static uint32_t magnitude(uint32_t bits)
{
    return bits & 0x7fffffff;
}

/* Subnormal results are 0. */
static uint32_t flushed(uint32_t bits)
{
    return magnitude(bits) >> 23 ? bits : bits & F32_SIGN;
}

/* The largest of three in size, the later one where two are as large; NaN is less than all. */
static unsigned largest(const uint32_t value[3])
{
    unsigned best = 2;

    for (unsigned k = 2; k-- > 0;)
        if (!f32_is_nan(value[k]) &&
            (f32_is_nan(value[best]) || magnitude(value[k]) > magnitude(value[best])))
            best = k;
    return best;
}

/* Measured on an H200: the reciprocal is that of rcp.approx, whose last bit may be wrong, so
 * that the largest quotient need not be where the largest coordinate was. */
struct texture_direction texture_cube_direction(const uint32_t at[3])
{
    struct texture_direction direction;
    uint32_t inverse = flushed(f32_rcp_approx(flushed(magnitude(at[largest(at)])), 0));

    for (unsigned k = 0; k < 3; k++)
        direction.quotient[k] = flushed(f32_mul(at[k], inverse, 0));
    unsigned axis = largest(direction.quotient);
    for (unsigned k = 0; k < 3; k++)
        if (f32_is_nan(direction.quotient[k]))
            direction.quotient[k] = 0;
    bool negative = direction.quotient[axis] >> 31 && magnitude(direction.quotient[axis]);
    direction.face = 2 * axis + negative;
    return direction;
}

/* A place on the face in 512ths of a texel, cut to CUBE_BITS before. */
static int64_t place_on(const struct texture_direction *direction, unsigned k, uint32_t texels)
{
    const struct face *face = &faces[direction->face];
    double quotient = (double)f32_host(direction->quotient[face->axis[k]]) * face->sign[k];
    quotient = quotient > 1 ? 1 : quotient < -1 ? -1 : quotient;
    double position = (quotient + 1) * 0.5;
    int64_t fixed = position > 0 && position < 2 ? (int64_t)(position * (1 << CUBE_BITS)) : 0;

    if (quotient < 0 && position == 0.5) /* too little for the sum */
        fixed--;
    return fixed * texels >> (CUBE_BITS - 9);
}

/* --- across edges ------------------------------------------------------------------------ */

/* The texel that lies beyond an edge of a face, by one: on the face around the corner. */
static void around(unsigned number, int64_t size, int64_t *x, int64_t *y, unsigned *to)
{
    const struct face *from = &faces[number];
    int64_t place[3], along[2] = {2 * *x + 1 - size, 2 * *y + 1 - size};
    int64_t through = size;

    for (unsigned k = 0; k < 2; k++)
        if (along[k] > size || along[k] < -size) {
            along[k] = along[k] > 0 ? size : -size;
            through = size - 1;
        }
    place[from->axis[0]] = along[0] * from->sign[0];
    place[from->axis[1]] = along[1] * from->sign[1];
    place[from->axis[2]] = through * from->sign[2];
    for (unsigned n = 0; n < 6; n++) {
        const struct face *face = &faces[n];
        if (place[face->axis[2]] != size * face->sign[2])
            continue;
        *to = n;
        *x = (place[face->axis[0]] * face->sign[0] + size - 1) / 2;
        *y = (place[face->axis[1]] * face->sign[1] + size - 1) / 2;
        return;
    }
}

static bool outside(int64_t x, int64_t size)
{
    return x < 0 || x >= size;
}

/* Four texels of which some may lie on other faces. Where three faces meet there is no
 * fourth texel: each of the three has a third of its weight, in 256ths; the one between the
 * others has what rounding leaves. */
static void seamless_place(unsigned face, uint32_t first, const int64_t at[2], int64_t size,
                           uint32_t share, struct texture_footprint *to)
{
    struct texture_axis axis[3];

    for (unsigned k = 0; k < 2; k++) {
        int64_t place = (at[k] - 255) >> 1;
        axis[k] = (struct texture_axis){{place >> 8, (place >> 8) + 1}, (uint32_t)(place & 255)};
    }
    axis[2] = texture_one_texel(first + face);
    texture_footprint_of(axis, share, to);
    for (unsigned i = 0; i < 4; i++) {
        bool beyond_x = outside(to->at[i].x, size), beyond_y = outside(to->at[i].y, size);
        unsigned number = face;
        if (beyond_x && beyond_y) {
            uint32_t weight = to->weight[i], third = (weight * TEXTURE_THIRD + 128) >> 8;
            to->weight[i ^ 1] += third;
            to->weight[i ^ 2] += third;
            to->weight[i ^ 3] += weight - 2 * third;
            to->weight[i] = 0;
            to->corner = (int)i;
        } else if (beyond_x || beyond_y) {
            around(face, size, &to->at[i].x, &to->at[i].y, &number);
            to->at[i].z = first + number;
        }
    }
}

void texture_cube_place(const struct texture *what, const struct texture_level *size,
                        const struct texture_query *query, bool between, uint32_t share,
                        struct texture_footprint *to)
{
    const struct texture_direction direction = texture_cube_direction(query->at);
    unsigned number = direction.face;
    uint32_t cubes = what->depth / 6;
    uint32_t first = 6 * (query->layer < cubes ? query->layer : cubes - 1);
    bool gather = query->sub & IR_TEXTURE_GATHER;
    int64_t at[2];

    for (unsigned k = 0; k < 2; k++)
        at[k] = place_on(&direction, k, size->width);
    if (what->seamless && between) {
        seamless_place(number, first, at, size->width, share, to);
        return;
    }
    struct texture_axis axis[3] = {{{0, 0}, 0}, {{0, 0}, 0}, texture_one_texel(first + number)};
    for (unsigned k = 0; k < 2; k++)
        axis[k] = texture_axis_at(at[k], size->width,
                                  what->seamless ? TEXTURE_CLAMP : what->address[k], between, 0,
                                  gather);
    texture_footprint_of(axis, share, to);
}
