// SPDX-License-Identifier: Apache-2.0
//
// shared.cu - shared memory: static, dynamic, more than 48 KiB, views of other types.

typedef unsigned uint;

extern __shared__ unsigned char dynamic[];

extern "C" __global__ void reduce(float *out, const float *x)
{
    float *s = (float *)dynamic;
    uint t = threadIdx.x;

    s[t] = x[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (uint d = blockDim.x / 2; d; d /= 2) {
        if (t < d)
            s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

// Several arrays of other alignments carved out of one piece.
extern "C" __global__ void carve(double *out, const uint *x, uint n)
{
    double *d = (double *)dynamic;
    uint *u = (uint *)(d + n);
    unsigned short *h = (unsigned short *)(u + n);
    unsigned char *b = (unsigned char *)(h + n);
    uint t = threadIdx.x;

    if (t < n) {
        d[t] = x[t] * 0.5;
        u[t] = x[t] ^ t;
        h[t] = (unsigned short)x[t];
        b[t] = (unsigned char)(x[t] >> 8);
    }
    __syncthreads();
    uint o = (t + 3) % n;
    if (t < n)
        out[t] = d[o] + u[o] + h[o] + b[o];
}

extern "C" __global__ void large(uint *out, const uint *x, uint words)
{
    uint *s = (uint *)dynamic, t = threadIdx.x;

    for (uint i = t; i < words; i += blockDim.x)
        s[i] = i * 2654435761u + x[t];
    __syncthreads();
    uint v = 0;
    for (uint i = 0; i < 32; i++)
        v = v * 5 + s[(t * 977 + i * 5003) % words];
    out[t] = v;
}

extern "C" __global__ void transpose(float *out, const float *in, uint w, uint h)
{
    __shared__ float tile[16][17];
    uint x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

    if (x < w && y < h)
        tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    if (x < h && y < w)
        out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void views(uint *out, const uint *x)
{
    __shared__ union { uint w[64]; unsigned char b[256]; unsigned long long l[32]; float4 v[16]; } u;
    uint t = threadIdx.x;

    u.w[t] = x[t];
    __syncthreads();
    u.b[t * 4 + t % 4] = (unsigned char)t;
    __syncthreads();
    uint r = (uint)(u.l[t / 2] >> 13);
    float4 v = u.v[t / 4];
    out[t] = r ^ __float_as_uint(v.y) ^ __float_as_uint(v.w);
}

extern "C" __global__ void scan_block(uint *out, const uint *x, uint n)
{
    __shared__ uint s[2][128];
    uint t = threadIdx.x, from = 0;

    s[0][t] = t < n ? x[t] : 0;
    __syncthreads();
    for (uint d = 1; d < blockDim.x; d *= 2, from ^= 1) {
        s[from ^ 1][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        __syncthreads();
    }
    if (t < n)
        out[t] = s[from][t];
}

extern "C" __global__ void bitonic(uint *data)
{
    __shared__ uint s[256];
    uint t = threadIdx.x;

    s[t] = data[t], s[t + 128] = data[t + 128];
    for (uint k = 2; k <= 256; k *= 2)
        for (uint j = k / 2; j; j /= 2) {
            __syncthreads();
            uint a = 2 * t - (t & (j - 1)), b = a + j, u = s[a], v = s[b];
            if (((a & k) == 0) == (u > v))
                s[a] = v, s[b] = u;
        }
    __syncthreads();
    data[t] = s[t], data[t + 128] = s[t + 128];
}
