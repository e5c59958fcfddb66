// SPDX-License-Identifier: Apache-2.0
//
// calls.cu - recursion, function pointers, virtual functions, structs by value.

typedef unsigned uint;

// --- recursion --------------------------------------------------------------------------
__noinline__ __device__ uint fibonacci(uint n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__noinline__ __device__ uint ackermann(uint m, uint n)
{
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__noinline__ __device__ bool is_odd(uint n);
__noinline__ __device__ bool is_even(uint n) { return n == 0 || is_odd(n - 1); }
__noinline__ __device__ bool is_odd(uint n) { return n != 0 && is_even(n - 1); }

extern "C" __global__ void recursion(uint *out)
{
    uint t = threadIdx.x;

    out[t] = fibonacci(t % 11);
    out[32 + t] = ackermann(t % 3, t % 6);
    out[64 + t] = is_even(t * 3 % 17);
}

__noinline__ __device__ void quicksort(int *a, int low, int high)
{
    if (low >= high)
        return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot)
            i++;
        while (a[j] > pivot)
            j--;
        if (i <= j) {
            int swap = a[i];
            a[i++] = a[j];
            a[j--] = swap;
        }
    }
    quicksort(a, low, j);
    quicksort(a, i, high);
}

extern "C" __global__ void sort_each(int *data, int n)
{
    quicksort(data + (blockIdx.x * blockDim.x + threadIdx.x) * n, 0, n - 1);
}

__noinline__ __device__ int hanoi(int n, int from, int to, int by, int *moves, int count)
{
    if (n == 0)
        return count;
    count = hanoi(n - 1, from, by, to, moves, count);
    moves[count++] = from * 10 + to;
    return hanoi(n - 1, by, to, from, moves, count);
}

extern "C" __global__ void towers(int *moves, int *counts)
{
    uint t = threadIdx.x;

    counts[t] = hanoi((int)(t % 6), 1, 3, 2, moves + t * 32, 0);
}

// --- function pointers --------------------------------------------------------------------
typedef int operation(int, int);
__noinline__ __device__ int plus(int a, int b) { return a + b; }
__noinline__ __device__ int minus(int a, int b) { return a - b; }
__noinline__ __device__ int times(int a, int b) { return a * b; }
__noinline__ __device__ int power(int a, int b) { return b <= 0 ? 1 : a * power(a, b - 1); }
__device__ operation *const operations[4] = {plus, minus, times, power};

extern "C" __global__ void table(int *out, const int *x)
{
    uint t = threadIdx.x;

    out[t] = operations[(uint)x[t] % 4](x[t] % 100, (int)t % 5);
    __syncwarp();
    operation *f = operations[blockIdx.x % 4]; // the same for all
    out[blockDim.x + t] = f((int)t, x[t] % 9);
}

struct node {
    operation *f;
    int left, right; // leaves are below zero
};

__noinline__ __device__ int evaluate(const node *nodes, int i)
{
    if (i < 0)
        return -i;
    const node &n = nodes[i];
    return n.f(evaluate(nodes, n.left), evaluate(nodes, n.right));
}

extern "C" __global__ void tree(int *out, const int *x)
{
    uint t = threadIdx.x;
    node nodes[7];

    for (int i = 0; i < 7; i++) {
        nodes[i].f = operations[(uint)(x[t] >> 2 * i) % 3];
        nodes[i].left = 2 * i + 1 < 7 ? 2 * i + 1 : -(int)(t + i);
        nodes[i].right = 2 * i + 2 < 7 ? 2 * i + 2 : -(int)(2 * t + 1);
    }
    out[t] = evaluate(nodes, 0);
}

// --- virtual functions ----------------------------------------------------------------------
struct shape {
    __device__ virtual float area() const = 0;
    __device__ virtual int corners() const { return 0; }
    __device__ virtual ~shape() {}
};
struct circle : shape {
    float radius;
    __device__ circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.14159274f * radius * radius; }
};
struct box : shape {
    float width, height;
    __device__ box(float w, float h) : width(w), height(h) {}
    __device__ float area() const override { return width * height; }
    __device__ int corners() const override { return 4; }
};
struct cube : box {
    __device__ cube(float w) : box(w, w) {}
    __device__ float area() const override { return 6 * box::area(); }
    __device__ int corners() const override { return 2 * box::corners(); }
};

extern "C" __global__ void shapes(float *out, int *corners, const float *x)
{
    uint t = threadIdx.x;
    shape *s;

    if (t % 3 == 0)
        s = new circle(x[t]);
    else if (t % 3 == 1)
        s = new box(x[t], 2);
    else
        s = new cube(x[t]);
    out[t] = s->area();
    corners[t] = s->corners();
    delete s;
}

// --- values -----------------------------------------------------------------------------------
struct big {
    int a[5];
    double d;
    char c;
};

__noinline__ __device__ big turn(big b, int by, short s, char c, float f)
{
    big r = b;

    for (int i = 0; i < 5; i++)
        r.a[i] = b.a[(i + by) % 5] + s;
    r.d = b.d * f;
    r.c = (char)(b.c + c);
    return r;
}

extern "C" __global__ void structs(int *out, double *d, big from)
{
    uint t = threadIdx.x;

    from.a[t % 5] += (int)t;
    big r = turn(from, (int)t % 5, (short)(t * 100), (char)t, 0.5f);
    for (int i = 0; i < 5; i++)
        out[t * 6 + i] = r.a[i];
    out[t * 6 + 5] = r.c;
    d[t] = r.d;
}

__noinline__ __device__ int many(int a, int b, int c, int d, int e, int f, int g, int h, int i,
                                 int j, int k, int l, long long m, unsigned char n, double o)
{
    return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + 19 * i + 23 * j +
           29 * k + 31 * l + (int)m * 37 + n * 41 + (int)o;
}

extern "C" __global__ void many_parameters(int *out)
{
    int t = (int)threadIdx.x;

    out[t] = many(t, t + 1, t + 2, t ^ 3, t, -t, t * t, 8, t, 10, t, 12, t, (unsigned char)t, t * 1.5);
}

// Lanes that call at different depths of a loop with a break.
__noinline__ __device__ int collatz(int n, int *steps)
{
    while (n != 1) {
        if (++*steps > 60)
            return -n;
        n = n % 2 ? 3 * n + 1 : n / 2;
    }
    return n;
}

extern "C" __global__ void loops(int *out)
{
    int t = (int)threadIdx.x, steps = 0;
    int r = collatz(t + 1, &steps);

    out[2 * t] = r;
    out[2 * t + 1] = steps;
}
