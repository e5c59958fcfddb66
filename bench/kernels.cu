// SPDX-License-Identifier: Apache-2.0
//
// kernels.cu - the benchmark's kernels: eight small programs that load an
// executor in different ways, and one loop that is nothing but f32 arithmetic.
//
// The block sizes are fixed here and in bench.c: 256 threads, tiles of 16 x 16,
// 512 keys to sort for each block, 256 bins.

#define WG 256
#define TS 16
#define BLK (2 * WG)
#define BINS 256

typedef unsigned int uint;

// Streaming: two loads, one multiply-add, one store.
extern "C" __global__ void saxpy(float *y, const float *x, float a, uint n)
{
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

// C = A*B for n x n matrices, n a multiple of TS; one tile of C for each block.
extern "C" __global__ void matmul(float *c, const float *a, const float *b, uint n)
{
    __shared__ float ta[TS][TS], tb[TS][TS];
    uint lx = threadIdx.x, ly = threadIdx.y;
    uint col = blockIdx.x * TS + lx, row = blockIdx.y * TS + ly;
    float acc = 0.0f;

    for (uint t = 0; t < n; t += TS) {
        ta[ly][lx] = a[row * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + col];
        __syncthreads();
        for (uint k = 0; k < TS; k++)
            acc += ta[ly][k] * tb[k][lx];
        __syncthreads();
    }
    c[row * n + col] = acc;
}

// One partial sum for each block of WG threads and 2*WG items.
extern "C" __global__ void reduce(float *partial, const float *x, uint n)
{
    __shared__ float s[WG];
    uint l = threadIdx.x;
    uint i = blockIdx.x * (2 * WG) + l;
    float v = 0.0f;

    if (i < n)
        v = x[i];
    if (i + WG < n)
        v += x[i + WG];
    s[l] = v;
    __syncthreads();
    for (uint d = WG / 2; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        __syncthreads();
    }
    if (l == 0)
        partial[blockIdx.x] = s[0];
}

// Shared-memory bins, then one atomic per bin and block.
extern "C" __global__ void histogram(uint *bins, const uint *x, uint n)
{
    __shared__ uint h[BINS];
    uint l = threadIdx.x;

    for (uint b = l; b < BINS; b += WG)
        h[b] = 0;
    __syncthreads();
    for (uint i = blockIdx.x * WG + l; i < n; i += gridDim.x * WG)
        atomicAdd(&h[x[i] & (BINS - 1)], 1u);
    __syncthreads();
    for (uint b = l; b < BINS; b += WG)
        atomicAdd(&bins[b], h[b]);
}

// All-pairs acceleration; tiles of WG bodies staged in shared memory.
// INVERSE_ROOT(x) is 1/sqrt(x): either the approximate instruction, or two
// correctly rounded ones.
#define NBODY(name, INVERSE_ROOT)                                            \
    extern "C" __global__ void name(float4 *acc, const float4 *pos, uint n)  \
    {                                                                        \
        __shared__ float4 tile[WG];                                          \
        uint l = threadIdx.x;                                                \
        uint i = blockIdx.x * WG + l;                                        \
        float4 p = pos[i];                                                   \
        float ax = 0.0f, ay = 0.0f, az = 0.0f;                               \
                                                                             \
        for (uint t = 0; t < n; t += WG) {                                   \
            tile[l] = pos[t + l];                                            \
            __syncthreads();                                                 \
            for (uint j = 0; j < WG; j++) {                                  \
                float4 q = tile[j];                                          \
                float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;        \
                float r2 = dx * dx + dy * dy + dz * dz + 0.01f;              \
                float inv = INVERSE_ROOT(r2);                                \
                float f = q.w * inv * inv * inv;                             \
                ax += f * dx;                                                \
                ay += f * dy;                                                \
                az += f * dz;                                                \
            }                                                                \
            __syncthreads();                                                 \
        }                                                                    \
        acc[i] = make_float4(ax, ay, az, 0.0f);                              \
    }

#define EXACT_INVERSE_ROOT(x) __frcp_rn(__fsqrt_rn(x))
NBODY(nbody, rsqrtf)
NBODY(nbody_exact, EXACT_INVERSE_ROOT)

// Five-point stencil on a w x h grid; the border is copied.
extern "C" __global__ void stencil(float *out, const float *in, uint w, uint h)
{
    uint x = blockIdx.x * blockDim.x + threadIdx.x;
    uint y = blockIdx.y * blockDim.y + threadIdx.y;
    uint i = y * w + x;

    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[i] = 0.5f * in[i] +
                 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    else if (x < w && y < h)
        out[i] = in[i];
}

// Sorts runs of BLK keys in shared memory; odd runs are not reversed.
extern "C" __global__ void bitonic(uint *key)
{
    __shared__ uint s[BLK];
    uint l = threadIdx.x;
    uint base = blockIdx.x * BLK;

    s[l] = key[base + l];
    s[l + WG] = key[base + l + WG];
    for (uint k = 2; k <= BLK; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            uint lo = 2 * l - (l & (j - 1));
            uint hi = lo + j;
            uint u = s[lo], v = s[hi];
            if (((lo & k) == 0) == (u > v)) {
                s[lo] = v;
                s[hi] = u;
            }
        }
    __syncthreads();
    key[base + l] = s[l];
    key[base + l + WG] = s[l + WG];
}

// Compressed rows, one for each thread: neighbours loop different counts.
extern "C" __global__ void spmv(float *y, const uint *rowptr, const uint *col,
                                const float *val, const float *x, uint rows)
{
    uint r = blockIdx.x * blockDim.x + threadIdx.x;

    if (r < rows) {
        float sum = 0.0f;
        for (uint k = rowptr[r]; k < rowptr[r + 1]; k++)
            sum += val[k] * x[col[k]];
        y[r] = sum;
    }
}

// Full-warp f32 arithmetic in registers: 96 of the loop's 99 instructions are
// fma, mul and add, a third each, in eight independent chains.
extern "C" __global__ void f32ops(float *out, float a, float b, uint rounds)
{
    float v[8];

#pragma unroll
    for (int k = 0; k < 8; k++)
        v[k] = (float)(threadIdx.x + k);
#pragma unroll 1
    for (uint r = 0; r < rounds; r++) {
#pragma unroll
        for (int step = 0; step < 4; step++)
#pragma unroll
            for (int k = 0; k < 8; k++) {
                v[k] = __fmaf_rn(v[k], a, b);
                v[k] = __fmul_rn(v[k], a);
                v[k] = __fadd_rn(v[k], b);
            }
    }
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum = __fadd_rn(sum, v[k]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
