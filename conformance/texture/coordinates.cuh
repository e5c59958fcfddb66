/* SPDX-License-Identifier: Apache-2.0
 *
 * coordinates.cuh - where textures and surfaces are tried.
 *
 * Point i lies at (x0 + dx * (i % nx), y0 + dy * (i / nx % ny), z0 + dz * (i / nx / ny)),
 * each with a pseudo-random number in [-spread, spread) added; with a spread of NaN
 * each coordinate is any 32 bits. All of it rounds in one known way. */
#include <stdint.h>

struct place {
    float x0, dx;
    uint32_t nx;
    float y0, dy;
    uint32_t ny;
    float z0, dz, spread;
    uint32_t layer, keep; /* first layer of four; words to keep of each result */
};

#define PLACE                                                                             \
    float x0, float dx, uint32_t nx, float y0, float dy, uint32_t ny, float z0, float dz, \
        float spread, uint32_t layer, uint32_t keep
#define TAKE_PLACE const place p = {x0, dx, nx, y0, dy, ny, z0, dz, spread, layer, keep};

__device__ static inline uint64_t mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

__device__ static inline uint32_t index_here(void)
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ static inline float coordinate(const place &p, float start, float step, uint32_t n,
                                          uint32_t i, unsigned k)
{
    uint32_t r = (uint32_t)(mix(i * 4ull + k) >> 16);

    if (p.spread != p.spread)
        return __uint_as_float(r);
    return __fmaf_rn((float)((int32_t)r >> 8), __fmul_rn(p.spread, 0x1p-23f),
                     __fmaf_rn((float)n, step, start));
}

#define X coordinate(p, p.x0, p.dx, i % p.nx, i, 0)
#define Y coordinate(p, p.y0, p.dy, i / p.nx % p.ny, i, 1)
#define Z coordinate(p, p.z0, p.dz, i / p.nx / p.ny, i, 2)
#define LAYER (p.layer + (i & 3))
#define WHOLE(V) __float2int_rd(V)

__device__ static inline void keep4(uint32_t *out, const place &p, uint32_t i, uint32_t a,
                                    uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t word[4] = {a, b, c, d};

    for (uint32_t k = 0; k < 4; k++)
        if (k < p.keep)
            out[i * p.keep + k] = word[k];
}
