// SPDX-License-Identifier: Apache-2.0
//
// __threadfence_block() where __threadfence() is needed: partial sums for the last block, a message
// with a volatile flag. Within a block it is enough.
static __device__ int sum_of(const int *in)
{
    __shared__ int sum;
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, in[blockIdx.x * blockDim.x + threadIdx.x]);
    __syncthreads();
    return sum;
}
extern "C" __global__ void last_block_sums(const int *in, int *part, unsigned *count, int *out)
{
    __shared__ bool last;
    int sum = sum_of(in);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += part[b];
        *out = sum;
    }
}
extern "C" __global__ void last_block_narrow(const int *in, int *part, unsigned *count, int *out)
{
    __shared__ bool last;
    int sum = sum_of(in);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        __threadfence_block();
        last = atomicInc(count, gridDim.x) == gridDim.x - 1;
        __threadfence_block();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        sum = 0;
        for (int b = 0; b < gridDim.x; b++)
            sum += part[b];
        *out = sum;
    }
}
extern "C" __global__ void message(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (!*flag)
            __nanosleep(20);
        __threadfence();
        *out = *data;
    }
}
extern "C" __global__ void message_narrow(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        *flag = 1;
    } else {
        while (!*flag)
            __nanosleep(20);
        __threadfence_block();
        *out = *data;
    }
}
extern "C" __global__ void message_in_block(int *data, volatile int *flag, int *out)
{
    if (threadIdx.x == 0) {
        *data = 42;
        __threadfence_block();
        *flag = 1;
    } else if (threadIdx.x == 32) {
        while (!*flag)
            __nanosleep(20);
        __threadfence_block();
        *out = *data;
    }
}
extern "C" __global__ void message_to_host(int *data, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence_system();
        *flag = 1;
    } else {
        while (!*flag)
            __nanosleep(20);
        __threadfence_system();
        *out = *data;
    }
}
