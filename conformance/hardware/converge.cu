// SPDX-License-Identifier: Apache-2.0
// Which lanes run together: activemask at many places of divergent code. The
// barriers of the asm keep the branches: a store alone would be predicated.

__device__ __forceinline__ unsigned mask()
{
    unsigned m;
    asm volatile("activemask.b32 %0;" : "=r"(m)::"memory");
    return m;
}

// Thread t's note k goes to out[t * 16 + k]; unreached notes stay zero.
#define NOTE(k) out[threadIdx.x * 16 + (k)] = mask()

extern "C" __global__ void if_else(unsigned *out)
{
    int t = threadIdx.x;

    NOTE(0);
    if (t & 1)
        NOTE(1);
    else
        NOTE(2);
    NOTE(3);
    if (t < 8) {
        NOTE(4);
        if (t & 2)
            NOTE(5);
        NOTE(6);
    }
    NOTE(7);
    if (t > 3 && out[t * 16] != 1 && t % 3 == 0)
        NOTE(8);
    NOTE(9);
}

extern "C" __global__ void loops(unsigned *out)
{
    int t = threadIdx.x;

    for (int i = 0; i < t % 5; i++)
        NOTE(i);
    NOTE(4);
    for (int i = 0;; i++) {
        if (i == t % 3)
            break;
        NOTE(5 + i);
    }
    NOTE(7);
    for (int i = 0; i < 4; i++) {
        if ((t >> i) & 1)
            continue;
        NOTE(8 + i);
    }
    NOTE(12);
    int i = 0;
    do {
        if (t == 5 && i == 1)
            return;
        i++;
    } while (i < t % 4);
    NOTE(13);
}

extern "C" __global__ void early_exit(unsigned *out)
{
    int t = threadIdx.x;

    if (t < 7)
        return;
    NOTE(0);
    if (t == 20) {
        NOTE(1);
        asm volatile("exit;");
    }
    NOTE(2);
}

extern "C" __global__ void switches(unsigned *out)
{
    int t = threadIdx.x;

    switch (t % 6) {
    case 0:
        NOTE(0);
        break;
    case 1:
        NOTE(1); // falls through
    case 2:
        NOTE(2);
        break;
    case 3:
        NOTE(3);
        break;
    case 4:
        NOTE(4);
        return;
    default:
        NOTE(5);
    }
    NOTE(6);
}

__device__ __noinline__ unsigned called(unsigned *out, int t)
{
    NOTE(2);
    if (t & 4)
        return 1;
    NOTE(3);
    return 2;
}

extern "C" __global__ void calls(unsigned *out)
{
    int t = threadIdx.x;
    unsigned r = 0;

    NOTE(0);
    if (t & 1) {
        NOTE(1);
        r = called(out, t);
        NOTE(4);
    }
    NOTE(5);
    r += called(out, t) << 8;
    NOTE(6);
    out[t * 16 + 7] = r;
}

__device__ __noinline__ void low(unsigned *out) { NOTE(2); }
__device__ __noinline__ void high(unsigned *out) { NOTE(3); }

extern "C" __global__ void indirect_calls(unsigned *out, int cut)
{
    int t = threadIdx.x;
    void (*f)(unsigned *) = t < cut ? low : high;

    NOTE(0);
    f(out);
    NOTE(4);
}

__device__ __noinline__ int depth(unsigned *out, int n)
{
    if (n == 0) {
        NOTE(1);
        return 0;
    }
    int r = depth(out, n - 1) + 1;
    NOTE(1 + n);
    return r;
}

extern "C" __global__ void recursion(unsigned *out)
{
    int t = threadIdx.x, n = t % 4;

    NOTE(0);
    n = depth(out, n);
    NOTE(6);
    out[t * 16 + 7] = n;
}

// Two ways into a shared tail: not a structured graph.
extern "C" __global__ void shared_tail(unsigned *out)
{
    int t = threadIdx.x;

    if (t & 1) {
        NOTE(0);
        if (t & 2)
            goto tail;
        NOTE(1);
        goto done;
    }
    NOTE(2);
    if (t & 4)
        goto done;
tail:
    NOTE(3);
done:
    NOTE(4);
}

// A loop left in two ways to two places that meet again.
extern "C" __global__ void two_exits(unsigned *out)
{
    int t = threadIdx.x, i = 0;

    for (;;) {
        NOTE(i);
        if (i == (t & 3))
            goto first;
        if (i * 8 > t)
            goto second;
        i++;
    }
first:
    NOTE(5);
    if (t & 16)
        goto done;
second:
    NOTE(6);
done:
    NOTE(7);
}

// An inner loop that also leaves the outer one.
extern "C" __global__ void break_outer(unsigned *out)
{
    int t = threadIdx.x;

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            if (k == t % 4)
                break;
            if (i == 1 && t % 5 == 0)
                goto out_of_both;
            NOTE(i * 3 + k);
        }
        NOTE(9 + i);
    }
    NOTE(12);
out_of_both:
    NOTE(13);
}

// Two heads of one loop.
extern "C" __global__ void irreducible(unsigned *out)
{
    int t = threadIdx.x, n = 0;

    if (t & 1)
        goto odd;
even:
    NOTE(n < 3 ? n : 3);
    n++;
    if (n > t % 3 + 1)
        goto done;
odd:
    NOTE(n < 3 ? 4 + n : 7);
    n++;
    if (n <= 4)
        goto even;
done:
    NOTE(8);
}

// Lanes leave the function from inside a loop.
extern "C" __global__ void return_in_loop(unsigned *out)
{
    int t = threadIdx.x;

    for (int i = 0; i < 6; i++) {
        NOTE(i);
        if (i == t % 5)
            return;
        NOTE(6 + i);
    }
    NOTE(12);
}

// Both sides of a branch end in the same call.
extern "C" __global__ void call_on_both_sides(unsigned *out)
{
    int t = threadIdx.x;

    if (t & 1) {
        NOTE(0);
        low(out);
        NOTE(4);
    } else {
        NOTE(1);
        low(out);
        NOTE(5);
    }
    NOTE(6);
}

// Lanes that wait for each other inside one warp.
extern "C" __global__ void spin_in_warp(unsigned *out)
{
    __shared__ volatile int flag;
    int t = threadIdx.x;

    flag = 0;
    __syncwarp();
    if (t == 0) {
        while (flag == 0)
            ;
        NOTE(0);
    } else if (t == 1) {
        flag = 1;
        NOTE(1);
    }
    NOTE(2);
    __syncwarp();
    NOTE(3);
}
