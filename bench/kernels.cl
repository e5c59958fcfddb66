// SPDX-License-Identifier: Apache-2.0
//
// kernels.cl - the kernels of kernels.cu for OpenCL executors, with the same sizes and,
// where the compiled kernels fuse a product and a sum, the same fused operations.

#pragma OPENCL FP_CONTRACT OFF

#define WG 256
#define TS 16
#define BLK (2 * WG)
#define BINS 256

__kernel void saxpy(__global float *y, __global const float *x, float a, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = fma(x[i], a, y[i]);
}

__kernel void matmul(__global float *c, __global const float *a, __global const float *b,
                     uint n)
{
    __local float ta[TS][TS], tb[TS][TS];
    uint lx = get_local_id(0), ly = get_local_id(1);
    uint col = get_global_id(0), row = get_global_id(1);
    float acc = 0.0f;

    for (uint t = 0; t < n; t += TS) {
        ta[ly][lx] = a[row * n + t + lx];
        tb[ly][lx] = b[(t + ly) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < TS; k++)
            acc = fma(ta[ly][k], tb[k][lx], acc);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = acc;
}

__kernel void reduce(__global float *partial, __global const float *x, uint n)
{
    __local float s[WG];
    uint l = get_local_id(0);
    uint i = get_group_id(0) * (2 * WG) + l;
    float v = 0.0f;

    if (i < n)
        v = x[i];
    if (i + WG < n)
        v += x[i + WG];
    s[l] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = WG / 2; d > 0; d >>= 1) {
        if (l < d)
            s[l] += s[l + d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        partial[get_group_id(0)] = s[0];
}

__kernel void histogram(__global uint *bins, __global const uint *x, uint n)
{
    __local uint h[BINS];
    uint l = get_local_id(0);

    for (uint b = l; b < BINS; b += WG)
        h[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&h[x[i] & (BINS - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = l; b < BINS; b += WG)
        atomic_add(&bins[b], h[b]);
}

#define NBODY(name, INVERSE_ROOT)                                            \
    __kernel void name(__global float4 *acc, __global const float4 *pos, uint n) \
    {                                                                        \
        __local float4 tile[WG];                                             \
        uint l = get_local_id(0);                                            \
        uint i = get_global_id(0);                                           \
        float4 p = pos[i];                                                   \
        float ax = 0.0f, ay = 0.0f, az = 0.0f;                               \
                                                                             \
        for (uint t = 0; t < n; t += WG) {                                   \
            tile[l] = pos[t + l];                                            \
            barrier(CLK_LOCAL_MEM_FENCE);                                    \
            for (uint j = 0; j < WG; j++) {                                  \
                float4 q = tile[j];                                          \
                float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;        \
                float r2 = fma(dz, dz, fma(dx, dx, dy * dy)) + 0.01f;        \
                float inv = INVERSE_ROOT(r2);                                \
                float f = q.w * inv * inv * inv;                             \
                ax = fma(dx, f, ax);                                         \
                ay = fma(dy, f, ay);                                         \
                az = fma(dz, f, az);                                         \
            }                                                                \
            barrier(CLK_LOCAL_MEM_FENCE);                                    \
        }                                                                    \
        acc[i] = (float4)(ax, ay, az, 0.0f);                                 \
    }

#define EXACT_INVERSE_ROOT(x) (1.0f / sqrt(x))
NBODY(nbody, rsqrt)
NBODY(nbody_exact, EXACT_INVERSE_ROOT)

__kernel void stencil(__global float *out, __global const float *in, uint w, uint h)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint i = y * w + x;

    if (x > 0 && y > 0 && x < w - 1 && y < h - 1)
        out[i] = fma(0.5f, in[i],
                     0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]));
    else if (x < w && y < h)
        out[i] = in[i];
}

__kernel void bitonic(__global uint *key)
{
    __local uint s[BLK];
    uint l = get_local_id(0);
    uint base = get_group_id(0) * BLK;

    s[l] = key[base + l];
    s[l + WG] = key[base + l + WG];
    for (uint k = 2; k <= BLK; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint lo = 2 * l - (l & (j - 1));
            uint hi = lo + j;
            uint u = s[lo], v = s[hi];
            if (((lo & k) == 0) == (u > v)) {
                s[lo] = v;
                s[hi] = u;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    key[base + l] = s[l];
    key[base + l + WG] = s[l + WG];
}

__kernel void spmv(__global float *y, __global const uint *rowptr, __global const uint *col,
                   __global const float *val, __global const float *x, uint rows)
{
    uint r = get_global_id(0);

    if (r < rows) {
        float sum = 0.0f;
        for (uint k = rowptr[r]; k < rowptr[r + 1]; k++)
            sum = fma(val[k], x[col[k]], sum);
        y[r] = sum;
    }
}

__kernel void f32ops(__global float *out, float a, float b, uint rounds)
{
    float sum = 0.0f;

    for (uint k = 0; k < 8; k++) {
        float v = (float)(get_local_id(0) + k);
        for (uint step = 0; step < 4 * rounds; step++)
            v = fma(v, a, b) * a + b;
        sum += v;
    }
    out[get_global_id(0)] = sum;
}
