// SPDX-License-Identifier: Apache-2.0
//
// A struct by value, an array of structs, and a loop: particles fall and bounce.
struct particle { float y, v; int bounces; };
struct world { float gravity, floor; int steps; };

extern "C" __global__ void particles(particle *p, world w, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    particle q = p[i];
    for (int s = 0; s < w.steps; s++) {
        q.v = q.v - w.gravity;
        q.y = q.y + q.v;
        if (q.y < w.floor) {
            q.y = 2.0f * w.floor - q.y;
            q.v = -q.v;
            q.bounces++;
        }
    }
    p[i] = q;
}
