// SPDX-License-Identifier: Apache-2.0
//
// Blocks that order themselves by volatile flags: a barrier of the grid without atomics, a chained
// scan whose blocks take numbers as they start.
enum { BLOCKS = 3 };
// Each block raises its flag, block 0 waits for all and lets them go. Who tells must fence, and who is told.
template <bool fences> static __device__ void meet(volatile int *in, volatile int *out, int round)
{
    int t = threadIdx.x, b = blockIdx.x;
    if (t == 0) {
        if (fences)
            __threadfence();
        in[b] = round;
    }
    if (b == 0) {
        if (t < BLOCKS) {
            while (in[t] != round)
                ;
            if (fences)
                __threadfence();
        }
        __syncthreads();
        if (t < BLOCKS) {
            if (fences)
                __threadfence();
            out[t] = round;
        }
    }
    if (t == 0) {
        while (out[b] != round)
            ;
        if (fences)
            __threadfence();
    }
    __syncthreads();
}
extern "C" __global__ void met(int *data, int *sums, volatile int *in, volatile int *out)
{
    int t = threadIdx.x, n = blockDim.x;
    data[blockIdx.x * n + t] = t;
    __syncthreads();
    meet<true>(in, out, 1);
    sums[blockIdx.x * n + t] = data[(blockIdx.x + 1) % BLOCKS * n + t];
}
extern "C" __global__ void met_without_fences(int *data, int *sums, volatile int *in, volatile int *out)
{
    int t = threadIdx.x, n = blockDim.x;
    data[blockIdx.x * n + t] = t;
    __syncthreads();
    meet<false>(in, out, 1);
    sums[blockIdx.x * n + t] = data[(blockIdx.x + 1) % BLOCKS * n + t];
}
extern "C" __global__ void met_fenced_by_others(int *data, int *sums, volatile int *in, volatile int *out)
{
    int t = threadIdx.x, n = blockDim.x;
    data[blockIdx.x * n + t] = t;
    __threadfence(); // of the threads that write, not of those that tell
    __syncthreads();
    meet<false>(in, out, 1);
    __threadfence();
    sums[blockIdx.x * n + t] = data[(blockIdx.x + 1) % BLOCKS * n + t];
}
extern "C" __global__ void met_before_the_block(int *data, int *sums, volatile int *in, volatile int *out)
{
    int t = threadIdx.x, n = blockDim.x;
    data[blockIdx.x * n + t] = t;
    meet<true>(in, out, 1); // thread 0 may tell before the others have come here
    sums[blockIdx.x * n + t] = data[(blockIdx.x + 1) % BLOCKS * n + t];
}
// sums[0] is for number 1 what number 0 adds up to, and so on.
static __device__ int number(int *next)
{
    __shared__ int mine;
    if (threadIdx.x == 0)
        mine = atomicAdd(next, 1);
    __syncthreads();
    return mine;
}
extern "C" __global__ void chained(const int *in, int *next, int *sums, volatile int *ready, int *out)
{
    __shared__ int before, all;
    int b = number(next), t = threadIdx.x;
    if (t == 0)
        all = 0;
    __syncthreads();
    atomicAdd(&all, in[b * blockDim.x + t]);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            while (!ready[b - 1])
                ;
            __threadfence();
            sum = sums[b - 1];
        }
        before = sum;
        sums[b] = sum + all;
        __threadfence();
        ready[b] = 1;
    }
    __syncthreads();
    out[b * blockDim.x + t] = before + in[b * blockDim.x + t];
}
extern "C" __global__ void chained_without_fence(const int *in, int *next, int *sums, volatile int *ready, int *out)
{
    __shared__ int before, all;
    int b = number(next), t = threadIdx.x;
    if (t == 0)
        all = 0;
    __syncthreads();
    atomicAdd(&all, in[b * blockDim.x + t]);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        if (b > 0) {
            while (!ready[b - 1])
                ;
            sum = sums[b - 1];
        }
        before = sum;
        sums[b] = sum + all;
        ready[b] = 1;
    }
    __syncthreads();
    out[b * blockDim.x + t] = before + in[b * blockDim.x + t];
}
extern "C" __global__ void chained_volatile(const int *in, int *next, volatile int *sums, int *out)
{
    __shared__ int before, all;
    int b = number(next), t = threadIdx.x;
    if (t == 0)
        all = 0;
    __syncthreads();
    atomicAdd(&all, in[b * blockDim.x + t]);
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        if (b > 0) // the flag is the sum itself, one more than it
            while (!(sum = sums[b - 1]))
                ;
        before = b > 0 ? sum - 1 : 0;
        sums[b] = before + all + 1;
    }
    __syncthreads();
    out[b * blockDim.x + t] = before + in[b * blockDim.x + t];
}
extern "C" __global__ void number_read_too_early(const int *in, int *next, int *out)
{
    __shared__ int mine;
    if (threadIdx.x == 0)
        mine = atomicAdd(next, 1);
    out[(mine & 3) * blockDim.x + threadIdx.x] = in[threadIdx.x]; // no barrier
    if (threadIdx.x == 0)
        mine = 0;
}
