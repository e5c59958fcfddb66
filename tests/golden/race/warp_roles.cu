// SPDX-License-Identifier: Apache-2.0
//
// One warp loads tiles by bulk copies into a ring of two stages, another adds them up: a `full` and an
// `empty` mbarrier for each stage.
static __device__ unsigned at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
static __device__ void init(unsigned long long *b, int count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(at(b)), "r"(count) : "memory");
}
static __device__ void arrive(unsigned long long *b)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(at(b)) : "memory");
}
static __device__ void wait(unsigned long long *b, int parity)
{
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
}
static __device__ void look(unsigned long long *b, int parity)
{
    int done = 0;
#pragma unroll 1
    for (int n = 0; n < 20 && !done; n++)
        asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(at(b)), "r"(parity) : "memory");
}
static __device__ void load(int *to, const int *from, int bytes, unsigned long long *b)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" : : "r"(at(b)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(at(to)), "l"(from), "r"(bytes), "r"(at(b)) : "memory");
}
enum { STAGES = 2, TILES = 6, N = 32 };
struct ring {
    alignas(128) int tile[STAGES][N];
    unsigned long long full[STAGES], empty[STAGES];
};
static __device__ void set_up(ring &r, int readers)
{
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int s = 0; s < STAGES; s++) {
            init(&r.full[s], 1);
            init(&r.empty[s], readers);
        }
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
    __syncthreads();
}
extern "C" __global__ void both_wait(const int *in, int *out)
{
    __shared__ ring r;
    int lane = threadIdx.x % 32;
    set_up(r, N);
    if (threadIdx.x < 32) {
        if (lane == 0)
#pragma unroll 1
            for (int i = 0; i < TILES; i++) {
                if (i >= STAGES)
                    wait(&r.empty[i % STAGES], (i / STAGES - 1) & 1);
                load(r.tile[i % STAGES], in + i * N, N * 4, &r.full[i % STAGES]);
            }
    } else {
        int sum = 0;
#pragma unroll 1
        for (int i = 0; i < TILES; i++) {
            wait(&r.full[i % STAGES], i / STAGES & 1);
            sum += r.tile[i % STAGES][31 - lane];
            arrive(&r.empty[i % STAGES]);
        }
        out[lane] = sum;
    }
}
extern "C" __global__ void one_gives_back(const int *in, int *out)
{
    __shared__ ring r;
    int lane = threadIdx.x % 32;
    set_up(r, 1);
    if (threadIdx.x < 32) {
        if (lane == 0)
#pragma unroll 1
            for (int i = 0; i < TILES; i++) {
                if (i >= STAGES)
                    wait(&r.empty[i % STAGES], (i / STAGES - 1) & 1);
                load(r.tile[i % STAGES], in + i * N, N * 4, &r.full[i % STAGES]);
            }
    } else {
        int sum = 0;
#pragma unroll 1
        for (int i = 0; i < TILES; i++) {
            wait(&r.full[i % STAGES], i / STAGES & 1);
            sum += r.tile[i % STAGES][31 - lane];
            __syncwarp();
            if (lane == 0)
                arrive(&r.empty[i % STAGES]);
        }
        out[lane] = sum;
    }
}
extern "C" __global__ void one_does_not_wait(const int *in, int *out)
{
    __shared__ ring r;
    int lane = threadIdx.x % 32;
    set_up(r, 1);
    if (threadIdx.x < 32) {
        if (lane == 0)
#pragma unroll 1
            for (int i = 0; i < TILES; i++) {
                if (i >= STAGES)
                    wait(&r.empty[i % STAGES], (i / STAGES - 1) & 1);
                load(r.tile[i % STAGES], in + i * N, N * 4, &r.full[i % STAGES]);
            }
    } else {
        int sum = 0;
#pragma unroll 1
        for (int i = 0; i < TILES; i++) {
            wait(&r.full[i % STAGES], i / STAGES & 1);
            sum += r.tile[i % STAGES][31 - lane];
            if (lane == 0)
                arrive(&r.empty[i % STAGES]);
        }
        out[lane] = sum;
    }
}
extern "C" __global__ void given_back_too_early(const int *in, int *out)
{
    __shared__ ring r;
    int lane = threadIdx.x % 32;
    set_up(r, N);
    if (threadIdx.x < 32) {
        if (lane == 0)
#pragma unroll 1
            for (int i = 0; i < TILES; i++) {
                if (i >= STAGES)
                    wait(&r.empty[i % STAGES], (i / STAGES - 1) & 1);
                load(r.tile[i % STAGES], in + i * N, N * 4, &r.full[i % STAGES]);
            }
    } else {
        int sum = 0;
#pragma unroll 1
        for (int i = 0; i < TILES; i++) {
            wait(&r.full[i % STAGES], i / STAGES & 1);
            arrive(&r.empty[i % STAGES]);
            sum += r.tile[i % STAGES][31 - lane];
        }
        out[lane] = sum;
    }
}
extern "C" __global__ void other_phase(const int *in, int *out)
{
    __shared__ ring r;
    int lane = threadIdx.x % 32;
    r.tile[threadIdx.x / 32][lane] = 0;
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    set_up(r, N);
    if (threadIdx.x < 32) {
        if (lane == 0)
#pragma unroll 1
            for (int i = 0; i < STAGES; i++)
                load(r.tile[i], in + i * N, N * 4, &r.full[i]);
    } else {
        int sum = 0;
#pragma unroll 1
        for (int i = 0; i < STAGES; i++) {
            look(&r.full[i], 1); // the phase before the first one counts as over
            sum += r.tile[i][31 - lane];
        }
        out[lane] = sum;
    }
    __syncthreads();
#pragma unroll 1
    for (int s = 0; s < STAGES; s++)
        wait(&r.full[s], 0);
}
