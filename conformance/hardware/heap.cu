// SPDX-License-Identifier: Apache-2.0
// Device malloc and alloca: alignment, exhaustion, odd requests.

extern "C" __global__ void heap(unsigned long long *out)
{
    static const unsigned sizes[] = {0, 1, 8, 15, 16, 17, 31, 32, 48, 64, 80, 100, 128, 1000, 4096, 65536, 1 << 20};
    int n = 0;

    for (int i = 0; i < 17; i++)
        out[n++] = (unsigned long long)malloc(sizes[i]);
    out[n++] = (unsigned long long)malloc(1ull << 40);
    out[n++] = (unsigned long long)malloc(~0ull);
    out[n++] = (unsigned long long)malloc(8 << 20);
    free(0);
    void *p = malloc(100);
    free(p);
    out[n++] = (unsigned long long)p;
    out[n++] = (unsigned long long)malloc(100);
    out[n++] = (unsigned long long)out;
}

// How many blocks of 64 KiB fit.
extern "C" __global__ void exhaust(unsigned *out)
{
    unsigned n = 0;

    while (n < 1000000 && malloc(65536))
        n++;
    out[0] = n;
    out[1] = malloc(65536) != 0;
    out[2] = malloc(16) != 0;
}

// Each thread: distance and alignment of small blocks.
extern "C" __global__ void small(unsigned long long *out)
{
    out[threadIdx.x] = (unsigned long long)malloc(24);
}

extern "C" __global__ void stack_places(unsigned long long *out, int n)
{
    char *a = (char *)__builtin_alloca(n), *b = (char *)__builtin_alloca(n * 3);

    for (int i = 0; i < n; i++)
        a[i] = b[i] = i;
    out[threadIdx.x * 2] = (unsigned long long)a + a[n / 2] - n / 2;
    out[threadIdx.x * 2 + 1] = (unsigned long long)b + b[n / 2] - n / 2;
}
