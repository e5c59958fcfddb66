// SPDX-License-Identifier: Apache-2.0
//
// local.cu - arrays in local memory, indexed by values known at run time.

typedef unsigned uint;

extern "C" __global__ void histogram(uint *out, const uint *x, uint each)
{
    uint t = blockIdx.x * blockDim.x + threadIdx.x, bins[16];

    for (int i = 0; i < 16; i++)
        bins[i] = 0;
    for (uint i = 0; i < each; i++)
        bins[x[t * each + i] >> 28]++;
    for (int i = 0; i < 16; i++)
        out[t * 16 + i] = bins[i];
}

extern "C" __global__ void heap_sort(int *data, int n)
{
    uint t = blockIdx.x * blockDim.x + threadIdx.x;
    int a[64];

    for (int i = 0; i < n; i++)
        a[i] = data[t * n + i];
    for (int size = n, root = n / 2; size > 1;) {
        if (root > 0) {
            root--;
        } else {
            int swap = a[--size];
            a[size] = a[0];
            a[0] = swap;
        }
        for (int at = root, child; (child = 2 * at + 1) < size; at = child) {
            if (child + 1 < size && a[child + 1] > a[child])
                child++;
            if (a[at] >= a[child])
                break;
            int swap = a[at];
            a[at] = a[child];
            a[child] = swap;
        }
    }
    for (int i = 0; i < n; i++)
        data[t * n + i] = a[i];
}

// Gauss-Jordan with pivoting; the rows lie in local memory.
extern "C" __global__ void invert(double *out, const double *in)
{
    const int n = 4;
    uint t = threadIdx.x;
    double a[n][2 * n];

    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            a[r][c] = in[(t * n + r) * n + c];
            a[r][n + c] = r == c;
        }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int r = k + 1; r < n; r++)
            if (fabs(a[r][k]) > fabs(a[pivot][k]))
                pivot = r;
        for (int c = 0; c < 2 * n; c++) {
            double swap = a[k][c];
            a[k][c] = a[pivot][c];
            a[pivot][c] = swap;
        }
        double scale = 1 / a[k][k];
        for (int c = 0; c < 2 * n; c++)
            a[k][c] *= scale;
        for (int r = 0; r < n; r++) {
            double f = a[r][k];
            for (int c = 0; r != k && c < 2 * n; c++)
                a[r][c] -= f * a[k][c];
        }
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            out[(t * n + r) * n + c] = a[r][n + c];
}

struct record {
    unsigned char tag;
    short small;
    uint word;
    unsigned long long wide;
};

extern "C" __global__ void structs(unsigned long long *out, const uint *x)
{
    uint t = threadIdx.x;
    record r[8];

    for (int i = 0; i < 8; i++)
        r[i] = {(unsigned char)x[t], (short)(i * 3), x[t] >> i, (unsigned long long)x[t] << i};
    for (int i = 0; i < 4; i++) {
        int a = (x[t] >> i) % 8, b = (x[t] >> (3 + i)) % 8;
        record swap = r[a];
        r[a] = r[b];
        r[b] = swap;
        r[a].small = (short)(r[a].small + r[b].tag);
    }
    out[t] = 0;
    for (int i = 0; i < 8; i++)
        out[t] = out[t] * 31 + r[i].tag + r[i].small + r[i].word + r[i].wide;
}

// Bytes and halves at odd places; reads of other widths than the writes.
extern "C" __global__ void bytes(uint *out, const uint *x)
{
    uint t = threadIdx.x;
    alignas(16) unsigned char b[32];

    for (int i = 0; i < 32; i++)
        b[i] = (unsigned char)(x[(t + i) % blockDim.x] >> i % 25);
    *(volatile unsigned short *)(b + 2 * (x[t] % 16)) = 0xabcd;
    *(volatile uint *)(b + 4 * (x[t] / 16 % 8)) ^= 0x01020304;
    out[t] = *(volatile uint *)(b + 4 * (t % 8)) + *(volatile unsigned short *)(b + 2 * (t % 13));
    out[blockDim.x + t] = b[x[t] % 32];
}

__noinline__ __device__ uint sum(const uint *p, int n)
{
    uint s = 0;

    for (int i = 0; i < n; i++)
        s = s * 33 + p[i];
    return s;
}

// Addresses of local, shared and global memory through one function.
extern "C" __global__ void generic(uint *out, const uint *x)
{
    __shared__ uint s[32];
    uint t = threadIdx.x, mine[8];

    s[t] = x[t] * 2;
    for (int i = 0; i < 8; i++)
        mine[i] = x[t] + i;
    __syncthreads();
    const uint *p = t % 3 == 0 ? mine : t % 3 == 1 ? s + t % 24 : x + t % 24;
    out[t] = sum(p, 8);
}

extern "C" __global__ void big_frame(uint *out, const uint *x)
{
    uint t = threadIdx.x, a[256];

    for (uint i = 0; i < 256; i++)
        a[i] = i * 7 + t;
    for (uint i = 0; i < 64; i++)
        a[(x[t] + i * i) % 256] += a[(x[t] >> 8) % 256] ^ i;
    uint s = 0;
    for (uint i = 0; i < 256; i++)
        s = s * 3 + a[i];
    out[t] = s;
}

// Size known at run time: alloca.
extern "C" __global__ void run_time_size(uint *out, uint n)
{
    uint t = threadIdx.x;
    uint *a = (uint *)__builtin_alloca(4 * (n + t % 4));

    for (uint i = 0; i < n; i++)
        a[i] = i * t;
    for (uint i = 1; i < n; i++)
        a[i] += a[(i * 5) % n];
    out[t] = a[n - 1];
}
