// SPDX-License-Identifier: Apache-2.0
//
// Tiles that go through shared memory: a transposition, a product of matrices, a stencil, a scan.
enum { N = 16 };
extern "C" __global__ void transposed(const int *in, int *out)
{
    __shared__ int tile[N][N + 1];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[y * N + x];
    __syncthreads();
    out[y * N + x] = tile[x][y];
}
extern "C" __global__ void transposed_unsynced(const int *in, int *out)
{
    __shared__ int tile[N][N + 1];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = 0;
    __syncthreads();
    tile[y][x] = in[y * N + x];
    out[y * N + x] = tile[x][y];
}
// Each pair is exchanged by one thread, or each element fetched by its own.
extern "C" __global__ void transposed_in_place(int *data)
{
    int x = threadIdx.x, y = threadIdx.y;
    if (x > y) {
        int t = data[y * N + x];
        data[y * N + x] = data[x * N + y];
        data[x * N + y] = t;
    }
}
extern "C" __global__ void transposed_over(int *data)
{
    int x = threadIdx.x, y = threadIdx.y;
    data[y * N + x] = data[x * N + y];
}
// The product of two matrices of 32 by 32, in steps of 16.
template <bool second> static __device__ void product(const int *a, const int *b, int *c)
{
    __shared__ int left[N][N], right[N][N];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * N + y, column = blockIdx.x * N + x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < 2 * N; k += N) {
        left[y][x] = a[row * 2 * N + k + x];
        right[y][x] = b[(k + y) * 2 * N + column];
        __syncthreads();
#pragma unroll 1
        for (int i = 0; i < N; i++)
            sum += left[y][i] * right[i][x];
        if (second)
            __syncthreads();
    }
    c[row * 2 * N + column] = sum;
}
extern "C" __global__ void multiplied(const int *a, const int *b, int *c) { product<true>(a, b, c); }
extern "C" __global__ void multiplied_one_barrier(const int *a, const int *b, int *c) { product<false>(a, b, c); }
// Inclusive sums over a block by Hillis and Steele.
extern "C" __global__ void scanned(int *data)
{
    __shared__ int part[128];
    int t = threadIdx.x;
    part[t] = data[t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int left = t >= d ? part[t - d] : 0;
        __syncthreads();
        part[t] += left;
        __syncthreads();
    }
    data[t] = part[t];
}
extern "C" __global__ void scanned_one_barrier(int *data)
{
    __shared__ int part[128];
    int t = threadIdx.x;
    part[t] = data[t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t >= d)
            part[t] += part[t - d];
        __syncthreads();
    }
    data[t] = part[t];
}
// A step of a stencil over two blocks.
extern "C" __global__ void stencil(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    out[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i + 1 < n ? in[i + 1] : 0);
}
extern "C" __global__ void stencil_in_place(int *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    int sum = (i > 0 ? data[i - 1] : 0) + data[i] + (i + 1 < n ? data[i + 1] : 0);
    __syncthreads(); // enough inside a block only
    data[i] = sum;
}
