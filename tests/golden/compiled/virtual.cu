// SPDX-License-Identifier: Apache-2.0
//
// Virtual functions: objects made on the device, called through tables of functions.
struct shape { __device__ virtual int area() const = 0; };
struct square : shape {
    int side;
    __device__ square(int s) : side(s) {}
    __device__ int area() const override { return side * side; }
};
struct rectangle : shape {
    int a, b;
    __device__ rectangle(int x, int y) : a(x), b(y) {}
    __device__ int area() const override { return a * b; }
};

__device__ __noinline__ int measure(const shape *s)
{
    return s->area();
}

extern "C" __global__ void areas(int *out)
{
    int i = threadIdx.x;
    square s(i);
    rectangle r(i, 3);
    const shape *which = i % 2 ? static_cast<const shape *>(&s) : &r;
    out[i] = measure(which);
}
