// SPDX-License-Identifier: Apache-2.0
//
// saxpy.cu - y = a*x + y, one thread for each element.

extern "C" __global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
