// SPDX-License-Identifier: Apache-2.0
//
// cuda::pipeline of one thread, double-buffered, and memcpy_async into a cuda::barrier.
#include <cuda/barrier>
#include <cuda/pipeline>
enum { N = 64, TILES = 4 };
extern "C" __global__ void double_buffer(const int *in, int *out)
{
    __shared__ int tile[2][N];
    int t = threadIdx.x, sum = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][t], in + t, sizeof(int), pipe);
    pipe.producer_commit();
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[(i + 1) & 1][t], in + (i + 1) * N + t, sizeof(int), pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        sum += tile[i & 1][N - 1 - t];
        __syncthreads();
        pipe.consumer_release();
    }
    out[t] = sum;
}
extern "C" __global__ void waits_for_itself(const int *in, int *out)
{
    __shared__ int tile[2][N];
    int t = threadIdx.x, sum = 0;
    tile[0][t] = tile[1][t] = 0;
    __syncthreads();
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&tile[0][t], in + t, sizeof(int), pipe);
    pipe.producer_commit();
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        if (i + 1 < TILES) {
            pipe.producer_acquire();
            cuda::memcpy_async(&tile[(i + 1) & 1][t], in + (i + 1) * N + t, sizeof(int), pipe);
            pipe.producer_commit();
            cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        sum += tile[i & 1][N - 1 - t]; // of another thread
        __syncthreads();
        pipe.consumer_release();
    }
    out[t] = sum;
}
extern "C" __global__ void own_elements(const int *in, int *out)
{
    __shared__ int tile[2][N];
    int t = threadIdx.x, sum = 0;
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
#pragma unroll 1
    for (int i = 0; i < TILES; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[i & 1][t], in + i * N + t, sizeof(int), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<0>(pipe);
        sum += tile[i & 1][t];
        pipe.consumer_release();
    }
    out[t] = sum;
}
extern "C" __global__ void one_too_few(const int *in, int *out)
{
    __shared__ int tile[2][N];
    int t = threadIdx.x, sum = 0;
    tile[0][t] = tile[1][t] = 0;
    __syncthreads();
    cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[i][t], in + i * N + t, sizeof(int), pipe);
        pipe.producer_commit();
        cuda::pipeline_consumer_wait_prior<1>(pipe); // the newest is not waited for
        sum += tile[i][t];
        pipe.consumer_release();
    }
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    out[t] = sum;
}
using barrier = cuda::barrier<cuda::thread_scope_block>;
extern "C" __global__ void copied_to_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int tile[N];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier met;
    if (threadIdx.x == 0)
        init(&met, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(int), met);
    met.arrive_and_wait();
    out[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
extern "C" __global__ void arrived_only(const int *in, int *out)
{
    __shared__ alignas(16) int tile[N];
    __shared__ barrier met;
    tile[threadIdx.x] = 0;
    if (threadIdx.x == 0)
        init(&met, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(int), met);
    barrier::arrival_token token = met.arrive();
    out[threadIdx.x] = tile[N - 1 - threadIdx.x];
    met.wait(std::move(token));
}
