// SPDX-License-Identifier: Apache-2.0
//
// Grids larger than the data: guards, halos, strides, sizes of dynamic shared memory.
extern "C" __global__ void guarded(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += 2 * x[i];
}
extern "C" __global__ void guarded_by_one_too_many(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        y[i] += 2 * x[i];
}
extern "C" __global__ void not_guarded(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] += 2 * x[i];
}
extern "C" __global__ void halo_clamped(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[max(i - 1, 0)] + x[min(i + 1, n - 1)];
}
extern "C" __global__ void halo_not_clamped(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i - 1] + x[min(i + 1, n - 1)];
}
// Columns of a matrix with padded rows.
extern "C" __global__ void pitched(const float *m, float *sums, int rows, int columns, int pitch)
{
    int c = threadIdx.x;
    if (c < columns) {
        float sum = 0;
#pragma unroll 1
        for (int r = 0; r < rows; r++)
            sum += m[r * pitch + c];
        sums[c] = sum;
    }
}
// Four elements at once, and what is left one by one.
extern "C" __global__ void by_four(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i + 3 < n)
        ((float4 *)data)[i] = make_float4(1, 1, 1, 1);
    else
        for (int k = 4 * i; k < n; k++)
            data[k] = 1;
}
extern "C" __global__ void by_four_rounded_up(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i < n)
        ((float4 *)data)[i] = make_float4(1, 1, 1, 1);
}
extern "C" __global__ void by_four_from_one(float *data, int n)
{
    int i = threadIdx.x;
    if (4 * i + 4 < n)
        ((float4 *)(data + 1))[i] = make_float4(1, 1, 1, 1);
}
// Two arrays in dynamic shared memory.
extern __shared__ float pool[];
extern "C" __global__ void two_arrays(const float *x, float *y)
{
    float *a = pool, *b = pool + blockDim.x;
    int t = threadIdx.x;
    a[t] = x[t];
    b[blockDim.x - 1 - t] = 2 * x[t];
    __syncthreads();
    y[t] = a[t] + b[t];
}
