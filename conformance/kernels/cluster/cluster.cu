// SPDX-License-Identifier: Apache-2.0
//
// cluster.cu - thread block clusters: ranks, distributed shared memory, barriers
// between blocks.

typedef unsigned uint;
typedef unsigned long long u64;

static __device__ uint at(const void *p) { return (uint)__cvta_generic_to_shared(p); }
static __device__ uint rank()
{
    uint r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
static __device__ uint size()
{
    uint r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}
static __device__ void sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
static __device__ uint map(uint address, uint to)
{
    uint r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(to));
    return r;
}

static __device__ uint is_explicit()
{
    uint r;
    asm volatile("{ .reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p; }" : "=r"(r));
    return r;
}

#define REGISTER(name) ({ uint r; asm volatile("mov.u32 %0, %%" name ";" : "=r"(r)); r; })

extern "C" __global__ void registers(uint *out)
{
    uint b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    uint *o = out + 16 * b;

    o[0] = REGISTER("cluster_ctaid.x"), o[1] = REGISTER("cluster_ctaid.y");
    o[2] = REGISTER("cluster_ctaid.z"), o[3] = REGISTER("cluster_nctaid.x");
    o[4] = REGISTER("cluster_nctaid.y"), o[5] = REGISTER("cluster_nctaid.z");
    o[6] = REGISTER("clusterid.x"), o[7] = REGISTER("clusterid.y");
    o[8] = REGISTER("clusterid.z"), o[9] = REGISTER("nclusterid.x");
    o[10] = REGISTER("nclusterid.y"), o[11] = REGISTER("nclusterid.z");
    o[12] = rank(), o[13] = size();
}

extern "C" __global__ void neighbours(uint *out, const uint *x)
{
    __shared__ uint s[32];
    uint t = threadIdx.x, b = blockIdx.x, v;

    s[t] = x[b * 32 + t];
    sync();
    uint from = map(at(s + (t + 5) % 32), (rank() + 1) % size());
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(from) : "memory");
    out[b * 32 + t] = v;
    sync();
    asm volatile("st.shared::cluster.u32 [%0], %1;"
                 ::"r"(map(at(s + t), rank() ^ 1)), "r"(t * 100 + b) : "memory");
    sync();
    out[gridDim.x * 32 + b * 32 + t] = s[t];
}

// Bins spread over the blocks of a cluster.
extern "C" __global__ void histogram(uint *bins, const uint *x, uint n)
{
    __shared__ uint s[16];
    uint t = threadIdx.x;

    if (t < 16)
        s[t] = 0;
    sync();
    for (uint i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        uint bin = x[i] % (16 * size());
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;"
                     ::"r"(map(at(s + bin % 16), bin / 16)) : "memory");
    }
    sync();
    if (t < 16)
        atomicAdd(&bins[rank() * 16 + t], s[t]);
}

// Through generic addresses, with returned old values by one thread of the cluster.
extern "C" __global__ void generic(uint *out)
{
    __shared__ uint cell;
    uint old;
    u64 there;

    if (threadIdx.x == 0)
        cell = 100 * rank();
    sync();
    if (threadIdx.x == 0 && rank() == 1) {
        for (uint to = 0; to < size(); to++) {
            asm volatile("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(&cell), "r"(to));
            old = atomicAdd((uint *)there, to + 1);
            out[blockIdx.x / size() * 16 + to] = old;
            uint back;
            asm volatile("getctarank.u64 %0, %1;" : "=r"(back) : "l"(there));
            out[blockIdx.x / size() * 16 + 8 + to] = back;
        }
    }
    sync();
    if (threadIdx.x == 0)
        out[64 + blockIdx.x] = cell;
}

extern "C" __global__ void __cluster_dims__(2, 2, 1) required(uint *out)
{
    uint b = blockIdx.y * gridDim.x + blockIdx.x;

    out[b * blockDim.x + threadIdx.x] = rank() * 100 + size() * 10 + is_explicit();
}
