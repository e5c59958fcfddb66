// SPDX-License-Identifier: Apache-2.0
//
// print.cu - printf of kernels: one warp, so that the order is known.
#include <cstdio>

extern "C" __global__ void hello()
{
    printf("block %d thread %u\n", blockIdx.x, threadIdx.x);
}

extern "C" __global__ void numbers(const float *x, const int *y)
{
    unsigned t = threadIdx.x;

    printf("%d %u %x %o|%5d|%-6d|%06d|%+d\n", y[t], (unsigned)y[t], y[t], y[t], y[t] % 100,
           y[t] % 1000, y[t] % 100000, y[t] % 10);
    printf("%f %e %g|%10.3f|%-12.2e|%.0f|%a\n", x[t], x[t], x[t], x[t], x[t], x[t] * 100, x[t]);
}

extern "C" __global__ void wide(const long long *x)
{
    unsigned t = threadIdx.x;

    printf("%lld %llu %llx %lx %c%c %s %%\n", x[t], (unsigned long long)x[t],
           (unsigned long long)x[t], (unsigned long)x[t], 'a' + t, 'A' + t, t % 2 ? "odd" : "even");
    if (t % 3 == 0)
        printf("%s: %d of %d\n", "third", t, blockDim.x);
}

extern "C" __global__ void results(int *out)
{
    unsigned t = threadIdx.x;

    out[t] = printf("%d %d %d\n", 1, 2, t) * 10 + printf("none\n");
}
