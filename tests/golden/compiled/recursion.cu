// SPDX-License-Identifier: Apache-2.0
//
// Recursion of a device function, here Ackermann's with small arguments.
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(unsigned *out)
{
    out[threadIdx.x] = ackermann(threadIdx.x / 4 % 3, threadIdx.x % 4);
}
