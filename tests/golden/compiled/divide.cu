// SPDX-License-Identifier: Apache-2.0
//
// 64-bit division and remainder, signed and unsigned, which have no instruction.
extern "C" __global__ void divide(const long long *a, const long long *b, long long *out)
{
    int i = threadIdx.x;
    unsigned long long ua = a[i], ub = b[i];
    out[4 * i] = a[i] / b[i];
    out[4 * i + 1] = a[i] % b[i];
    out[4 * i + 2] = (long long)(ua / ub);
    out[4 * i + 3] = (long long)(ua % ub);
}
