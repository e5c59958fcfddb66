// SPDX-License-Identifier: Apache-2.0
//
// Inclusive prefix sum of a block: shuffles inside warps, shared memory between.
extern "C" __global__ void scan(const unsigned *in, unsigned *out)
{
    __shared__ unsigned total[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned v = in[threadIdx.x];

    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned below = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d)
            v += below;
    }
    if (lane == 31)
        total[warp] = v;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++)
        v += total[w];
    out[threadIdx.x] = v;
}
