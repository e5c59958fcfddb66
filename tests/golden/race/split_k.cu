// SPDX-License-Identifier: Apache-2.0
//
// Split-K and stream-K sums: blocks add their parts to one tile in turns, or leave them for the
// block that owns the tile. The semaphores are those that matrix kernels use.
static __device__ int taken(const int *flag)
{
    int value;
    asm volatile("ld.global.acquire.gpu.b32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}
static __device__ void give(int *flag, int value)
{
    asm volatile("st.global.release.gpu.b32 [%0], %1;" : : "l"(flag), "r"(value) : "memory");
}
extern "C" __global__ void in_turns(const int *part, int *tile, int *turn)
{
    int t = threadIdx.x;
    if (t == 0)
        while (taken(turn) != blockIdx.x)
            ;
    __syncthreads();
    tile[t] += part[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0)
        give(turn, blockIdx.x + 1);
}
extern "C" __global__ void given_too_early(const int *part, int *tile, int *turn)
{
    int t = threadIdx.x;
    if (t == 0)
        while (taken(turn) != blockIdx.x)
            ;
    __syncthreads();
    tile[t] += part[blockIdx.x * blockDim.x + t];
    if (t == 0)
        give(turn, blockIdx.x + 1);
}
extern "C" __global__ void taken_by_one(const int *part, int *tile, int *turn)
{
    int t = threadIdx.x;
    if (t == 0)
        while (taken(turn) != blockIdx.x)
            ;
    tile[t] += part[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0)
        give(turn, blockIdx.x + 1);
}
extern "C" __global__ void volatile_turns(const int *part, int *tile, volatile int *turn)
{
    int t = threadIdx.x;
    if (t == 0)
        while (*turn != blockIdx.x)
            ;
    __syncthreads();
    tile[t] += part[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0)
        *turn = blockIdx.x + 1;
}
// The last block owns the tile; the others leave their parts in the workspace.
extern "C" __global__ void left_for_owner(const int *part, int *workspace, int *count, int *tile)
{
    int t = threadIdx.x, n = blockDim.x, others = gridDim.x - 1, sum = part[blockIdx.x * n + t];
    if (blockIdx.x < others) {
        workspace[blockIdx.x * n + t] = sum;
        __syncthreads();
        if (t == 0) {
            __threadfence();
            atomicAdd(count, 1);
        }
        return;
    }
    if (t == 0)
        while (taken(count) != others)
            ;
    __syncthreads();
    for (int b = 0; b < others; b++)
        sum += workspace[b * n + t];
    tile[t] = sum;
}
extern "C" __global__ void left_without_fence(const int *part, int *workspace, int *count, int *tile)
{
    int t = threadIdx.x, n = blockDim.x, others = gridDim.x - 1, sum = part[blockIdx.x * n + t];
    if (blockIdx.x < others) {
        workspace[blockIdx.x * n + t] = sum;
        __syncthreads();
        if (t == 0)
            atomicAdd(count, 1);
        return;
    }
    if (t == 0)
        while (taken(count) != others)
            ;
    __syncthreads();
    for (int b = 0; b < others; b++)
        sum += workspace[b * n + t];
    tile[t] = sum;
}
extern "C" __global__ void left_without_barrier(const int *part, int *workspace, int *count, int *tile)
{
    int t = threadIdx.x, n = blockDim.x, others = gridDim.x - 1, sum = part[blockIdx.x * n + t];
    if (blockIdx.x < others) {
        workspace[blockIdx.x * n + t] = sum;
        __threadfence(); // each its own; thread 0 does not wait for the rest
        if (t == 0)
            atomicAdd(count, 1);
        return;
    }
    if (t == 0)
        while (taken(count) != others)
            ;
    __syncthreads();
    for (int b = 0; b < others; b++)
        sum += workspace[b * n + t];
    tile[t] = sum;
}
