/* SPDX-License-Identifier: Apache-2.0
 *
 * texture_cube.c - faces of cubes, and filtering across their edges. */
#include "emu/texture_place.h"

#include "ir/texture.h"
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

/* Measured: NaN is 0. */
void texture_cube_direction(const uint32_t at[3], uint32_t direction[3])
{
    for (unsigned k = 0; k < 3; k++)
        direction[k] = f32_is_nan(at[k]) ? 0 : at[k];
}

/* The face of the largest direction, the later one of x, y, z where two are as large. */
unsigned texture_cube_face(const uint32_t at[3])
{
    unsigned axis = magnitude(at[2]) >= magnitude(at[0]) && magnitude(at[2]) >= magnitude(at[1])
                        ? 2
                        : magnitude(at[1]) >= magnitude(at[0]);
    bool negative = at[axis] >> 31 && magnitude(at[axis]);

    return 2 * axis + negative;
}

/* A place on the face in 512ths of a texel: the inverse is an f32, the product too; what
 * comes of it is cut. */
static int64_t place_on(const struct face *face, unsigned k, const uint32_t at[3],
                        uint32_t texels)
{
    uint32_t through = magnitude(at[face->axis[2]]), along = at[face->axis[k]];
    uint32_t inverse = f32_div(f32_bits(1.0f), through, 0);
    double quotient = (double)f32_host(f32_mul(along, inverse, 0)) * face->sign[k];
    double position = through ? (quotient + 1) * 0.5 : 0.5;
    int64_t fixed = position > 0 && position <= 1 ? (int64_t)(position * (1 << CUBE_BITS)) : 0;

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
    uint32_t direction[3];
    texture_cube_direction(query->at, direction);
    unsigned number = texture_cube_face(direction);
    uint32_t cubes = what->depth / 6;
    uint32_t first = 6 * (query->layer < cubes ? query->layer : cubes - 1);
    bool gather = query->sub & IR_TEXTURE_GATHER;
    int64_t at[2];

    for (unsigned k = 0; k < 2; k++)
        at[k] = place_on(&faces[number], k, direction, size->width);
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
