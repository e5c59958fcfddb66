// SPDX-License-Identifier: Apache-2.0
//
// constants.cu - constant memory, initialised and module variables.

typedef unsigned uint;

__constant__ float coefficients[8] = {1, -0.5f, 0.333333343f, -0.25f, 0.2f, -1 / 6.f, 1 / 7.f, -0.125f};
__constant__ unsigned char sbox[16] = {12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2};
__constant__ struct { short s; double d; int grid[3][4]; } mixed = {
    -7, 2.5, {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}};
__constant__ long long zeros[4];
__device__ uint counter = 41;
__device__ uint table[64];
__device__ double sums[4] = {0.5, 1.5};
__device__ const char *const words[3] = {"zero", "one", "two and more"};
__device__ uint *where = &table[5];
__constant__ uint *const where_too = &table[7];

extern "C" __global__ void polynomial(float *out, const float *x)
{
    uint t = blockIdx.x * blockDim.x + threadIdx.x;
    float v = 0;

    for (int i = 7; i >= 0; i--)
        v = v * x[t] + coefficients[i];
    out[t] = v;
}

// Another place for every lane.
extern "C" __global__ void lookups(uint *out, const uint *x)
{
    uint t = threadIdx.x, v = x[t], r = 0;

    for (int i = 0; i < 8; i++)
        r |= (uint)sbox[v >> 4 * i & 15] << 4 * i;
    out[t] = r;
    out[blockDim.x + t] = (uint)mixed.grid[v % 3][v / 3 % 4] * (uint)mixed.s + (uint)zeros[t % 4];
    out[2 * blockDim.x + t] = (uint)(mixed.d * t);
}

extern "C" __global__ void variables(uint *out)
{
    uint t = threadIdx.x;

    out[t] = counter + t;
    table[t] = t * t;
    __syncthreads();
    if (t < 4)
        sums[t] += table[t + 10];
    if (t == 0)
        counter += 1;
    if (t == 1)
        *where = 1000;
    if (t == 2)
        *where_too += 5000;
}

extern "C" __global__ void strings(unsigned char *out)
{
    const char *w = words[threadIdx.x % 3];

    for (int i = 0; i < 16; i++)
        out[threadIdx.x * 16 + i] = 0;
    for (int i = 0; w[i]; i++)
        out[threadIdx.x * 16 + i] = (unsigned char)w[i];
}

struct parameters {
    int n;
    float scale[6];
    const uint *data;
};

// By value, and indexed: the parameters' own address.
extern "C" __global__ void by_value(float *out, const uint *x, parameters unused, char c, short s,
                                    unsigned char u, double d)
{
    uint t = threadIdx.x;

    out[t] = unused.scale[x[t] % 6] * (float)unused.n + c + s + u + (float)d;
}

extern "C" __global__ void grid_constant(float *out, const __grid_constant__ parameters p)
{
    const float *scale = p.scale;
    uint t = threadIdx.x;

    out[t] = scale[t % 6] + scale[(t * 5 + 2) % 6];
}
