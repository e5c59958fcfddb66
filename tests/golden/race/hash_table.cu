// SPDX-License-Identifier: Apache-2.0
//
// A hash table with open addressing: keys are claimed by atomicCAS, values follow. Key 0: free.
enum { SLOTS = 64 };
static __device__ int claim(int *keys, int key)
{
    int slot = key * 37 % SLOTS;
    while (true) {
        int was = atomicCAS(&keys[slot], 0, key);
        if (was == 0 || was == key)
            return slot;
        slot = (slot + 1) % SLOTS;
    }
}
extern "C" __global__ void filled_then_read(int *keys, int *values, int *out)
{
    int key = 1 + threadIdx.x;
    values[claim(keys, key)] = 10 * key;
    __syncthreads();
    key = 1 + (threadIdx.x + 1) % blockDim.x;
    int slot = key * 37 % SLOTS;
    while (keys[slot] != key)
        slot = (slot + 1) % SLOTS;
    out[threadIdx.x] = values[slot];
}
// Other blocks look while the table is filled: a key tells nothing about its value.
extern "C" __global__ void read_while_filled(int *keys, int *values, int *out)
{
    int key = 1 + threadIdx.x;
    if (blockIdx.x == 0) {
        values[claim(keys, key)] = 10 * key;
        return;
    }
    int slot = key * 37 % SLOTS; // waits until it is there
    while (((volatile int *)keys)[slot] != key)
        slot = (slot + 1) % SLOTS;
    out[threadIdx.x] = values[slot];
}
// Key and value in one word of 64 bits.
extern "C" __global__ void pairs_read_while_filled(unsigned long long *pairs, int *out)
{
    int key = 1 + threadIdx.x, slot = key * 37 % SLOTS;
    if (blockIdx.x == 0) {
        unsigned long long pair = (unsigned long long)key << 32 | 10 * key;
        while (atomicCAS(&pairs[slot], 0, pair) != 0)
            slot = (slot + 1) % SLOTS;
        return;
    }
    while (true) {
        unsigned long long pair = ((volatile unsigned long long *)pairs)[slot];
        if (pair >> 32 == key) {
            out[threadIdx.x] = (int)pair;
            return;
        }
        slot = (slot + 1) % SLOTS;
    }
}
// Two threads with one key.
extern "C" __global__ void last_one_stays(int *keys, int *values)
{
    int key = 1 + threadIdx.x / 2;
    values[claim(keys, key)] = threadIdx.x;
}
extern "C" __global__ void added_up(int *keys, int *values)
{
    int key = 1 + threadIdx.x / 2;
    atomicAdd(&values[claim(keys, key)], threadIdx.x);
}
// Whether the slot is free is asked first, then it is taken.
extern "C" __global__ void looked_then_taken(int *keys)
{
    int key = 1 + threadIdx.x, slot = key * 5 % SLOTS & ~1;
    while (keys[slot] != 0)
        slot = (slot + 1) % SLOTS;
    keys[slot] = key;
}
