// SPDX-License-Identifier: Apache-2.0
//
// race.cu - thread 0 adds to a counter with an atomic, every other thread
// stores to it plainly. Nothing orders the two: the result depends on luck
// (100 or 101 on a GPU), and the atomic does not help.

extern "C" __global__ void race(int *counter)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        atomicAdd(counter, 1);
    else
        *counter = 100;
}
