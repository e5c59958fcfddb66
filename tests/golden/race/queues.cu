// SPDX-License-Identifier: Apache-2.0
//
// Queues in global memory: a ring between two blocks, a list of tasks that grows while blocks take
// from it, a deque from whose other end is stolen.
#include <cuda/atomic>
using place = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr auto relaxed = cuda::memory_order_relaxed, acquire = cuda::memory_order_acquire,
               release = cuda::memory_order_release;
enum { ROOM = 4, ITEMS = 12 };
// at[0]: how many were put in; at[1]: how many taken out.
static __device__ void exchange(int *cell, int *at, int *out, cuda::memory_order take, cuda::memory_order put,
                                cuda::memory_order look, cuda::memory_order free)
{
    place tail(at[0]), head(at[1]);
    if (blockIdx.x == 0) {
#pragma unroll 1
        for (int i = 0; i < ITEMS; i++) {
            while (i - head.load(look) == ROOM)
                ;
            cell[i % ROOM] = 100 + i;
            tail.store(i + 1, put);
        }
    } else {
        int sum = 0;
#pragma unroll 1
        for (int i = 0; i < ITEMS; i++) {
            while (tail.load(take) == i)
                ;
            sum += cell[i % ROOM];
            head.store(i + 1, free);
        }
        *out = sum;
    }
}
extern "C" __global__ void ring(int *cell, int *at, int *out)
{
    exchange(cell, at, out, acquire, release, acquire, release);
}
extern "C" __global__ void ring_put_relaxed(int *cell, int *at, int *out)
{
    exchange(cell, at, out, acquire, relaxed, acquire, release);
}
extern "C" __global__ void ring_taken_relaxed(int *cell, int *at, int *out)
{
    exchange(cell, at, out, relaxed, release, acquire, release);
}
extern "C" __global__ void ring_freed_relaxed(int *cell, int *at, int *out)
{
    exchange(cell, at, out, acquire, release, acquire, relaxed);
}
extern "C" __global__ void ring_looked_relaxed(int *cell, int *at, int *out)
{
    exchange(cell, at, out, acquire, release, relaxed, release);
}
// Tasks are numbers; one below 4 makes two more. at[0]: reserved, at[1]: taken, at[2]: done.
enum { TASKS = 16 };
extern "C" __global__ void tasks_told_by_flags(int *task, int *ready, int *at, int *done)
{
    if (threadIdx.x != 0)
        return;
    place reserved(at[0]), taken(at[1]);
    for (int mine = taken.fetch_add(1, relaxed); mine < TASKS - 1; mine = taken.fetch_add(1, relaxed)) {
        place is_ready(ready[mine]);
        while (!is_ready.load(acquire))
            __nanosleep(20);
        int level = task[mine];
        if (level < 3)
            for (int child = 0; child < 2; child++) {
                int to = reserved.fetch_add(1, relaxed);
                task[to] = level + 1;
                place(ready[to]).store(1, release);
            }
        place(*done).fetch_add(level, relaxed);
    }
}
// Block 0 makes tasks, the others take them. The count tells of those that are written, or of room only.
template <bool written> static __device__ void counted(int *task, int *at, int *done)
{
    place made(at[0]), taken(at[1]);
    if (blockIdx.x == 0) {
        for (int i = 0; i < 6; i++) {
            if (written) {
                task[i] = i;
                made.fetch_add(1, cuda::memory_order_acq_rel);
            } else
                task[made.fetch_add(1, cuda::memory_order_acq_rel)] = i;
        }
        return;
    }
    for (int mine = taken.fetch_add(1, relaxed); mine < 6; mine = taken.fetch_add(1, relaxed)) {
        while (made.load(acquire) <= mine)
            __nanosleep(20);
        place(*done).fetch_add(task[mine], relaxed);
    }
}
extern "C" __global__ void tasks_counted(int *task, int *at, int *done) { counted<true>(task, at, done); }
extern "C" __global__ void tasks_reserved(int *task, int *at, int *done) { counted<false>(task, at, done); }
// Block 0 fills a deque, the others steal from its beginning; one gets each.
static __device__ void deque(int *task, int *at, int *got, cuda::memory_order put)
{
    place end(at[0]), begin(at[1]);
    if (blockIdx.x == 0) {
        for (int i = 0; i < 6; i++) {
            task[i] = 1 << i;
            end.store(i + 1, put);
        }
        return;
    }
    int sum = 0;
    while (true) {
        int b = begin.load(acquire);
        if (b == 6)
            break;
        if (b < end.load(acquire)) {
            int value = task[b];
            if (begin.compare_exchange_strong(b, b + 1, cuda::memory_order_acq_rel))
                sum += value;
        }
    }
    place(*got).fetch_add(sum, relaxed);
}
extern "C" __global__ void stolen(int *task, int *at, int *got) { deque(task, at, got, release); }
extern "C" __global__ void stolen_relaxed(int *task, int *at, int *got) { deque(task, at, got, relaxed); }
