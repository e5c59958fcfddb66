// SPDX-License-Identifier: Apache-2.0
//
// programs.cu - small whole programs, some of several launches.

typedef unsigned uint;

#define T uint t = blockIdx.x * blockDim.x + threadIdx.x

// --- numbers ------------------------------------------------------------------------------
extern "C" __global__ void matmul(float *c, const float *a, const float *b, uint n)
{
    __shared__ float ta[8][8], tb[8][8];
    uint x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 8 + x, row = blockIdx.y * 8 + y;
    float sum = 0;

    for (uint k = 0; k < n; k += 8) {
        ta[y][x] = row < n && k + x < n ? a[row * n + k + x] : 0;
        tb[y][x] = column < n && k + y < n ? b[(k + y) * n + column] : 0;
        __syncthreads();
        for (uint i = 0; i < 8; i++)
            sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

extern "C" __global__ void bodies(float4 *to, const float4 *from, uint n, float step)
{
    T;
    float4 p = from[t];
    float ax = 0, ay = 0, az = 0;

    for (uint j = 0; j < n; j++) {
        float4 q = from[j];
        float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
        float inverse = rsqrtf(x * x + y * y + z * z + 0.01f);
        float f = q.w * inverse * inverse * inverse;
        ax += f * x, ay += f * y, az += f * z;
    }
    to[t] = make_float4(p.x + step * ax, p.y + step * ay, p.z + step * az, p.w);
}

extern "C" __global__ void jacobi(float *to, const float *from, uint n)
{
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uint i = y * n + x;

    if (x == 0 || y == 0 || x >= n - 1 || y >= n - 1) {
        if (x < n && y < n)
            to[i] = from[i];
        return;
    }
    to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
}

extern "C" __global__ void mandelbrot(uint *out, uint w, uint most)
{
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, i = 0;
    float cx = x * (3.0f / w) - 2, cy = y * 0.25f - 1, zx = 0, zy = 0;

    while (i < most && zx * zx + zy * zy < 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        i++;
    }
    out[y * w + x] = i;
}

// In place, decimation in time, one block; twiddles by the library.
extern "C" __global__ void fft(float2 *data, float2 *out)
{
    __shared__ float2 s[128];
    uint t = threadIdx.x;

    s[__brev(t) >> 25] = data[t], s[__brev(t + 64) >> 25] = data[t + 64];
    __syncthreads();
    for (uint half = 1; half < 128; half *= 2) {
        uint k = t % half, i = t / half * 2 * half + k;
        float angle = -3.14159265f * k / half, c, d;
        sincosf(angle, &d, &c);
        float2 u = s[i], v = s[i + half];
        float2 w = make_float2(v.x * c - v.y * d, v.x * d + v.y * c);
        __syncthreads();
        s[i] = make_float2(u.x + w.x, u.y + w.y);
        s[i + half] = make_float2(u.x - w.x, u.y - w.y);
        __syncthreads();
    }
    out[t] = s[t], out[t + 64] = s[t + 64];
}

extern "C" __global__ void softmax(float *out, const float *x, uint columns)
{
    __shared__ float s[4];
    uint t = threadIdx.x, row = blockIdx.x;
    float most = -INFINITY, sum = 0;

    for (uint c = t; c < columns; c += 128)
        most = fmaxf(most, x[row * columns + c]);
    for (uint d = 16; d; d /= 2)
        most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
    if (t % 32 == 0)
        s[t / 32] = most;
    __syncthreads();
    most = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
    for (uint c = t; c < columns; c += 128)
        sum += expf(x[row * columns + c] - most);
    for (uint d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    __syncthreads();
    if (t % 32 == 0)
        s[t / 32] = sum;
    __syncthreads();
    sum = s[0] + s[1] + s[2] + s[3];
    for (uint c = t; c < columns; c += 128)
        out[row * columns + c] = expf(x[row * columns + c] - most) / sum;
}

extern "C" __global__ void black_scholes(float *call, float *put, const float *x)
{
    T;
    float s = 50 + 40 * x[t], k = 60, years = 1.5f + x[t], r = 0.02f, v = 0.3f;
    float d1 = (logf(s / k) + (r + 0.5f * v * v) * years) / (v * sqrtf(years));
    float d2 = d1 - v * sqrtf(years), discount = k * expf(-r * years);

    call[t] = s * normcdff(d1) - discount * normcdff(d2);
    put[t] = discount * normcdff(-d2) - s * normcdff(-d1);
}

// --- bits ------------------------------------------------------------------------------------
extern "C" __global__ void philox(float4 *out, uint seed)
{
    T;
    uint c[4] = {t, 0, 1, 2}, k0 = seed, k1 = seed ^ 0xdeadbeef;

    for (int i = 0; i < 10; i++) {
        uint h0 = __umulhi(0xd2511f53, c[0]), l0 = 0xd2511f53 * c[0];
        uint h1 = __umulhi(0xcd9e8d57, c[2]), l1 = 0xcd9e8d57 * c[2];
        c[0] = h1 ^ c[1] ^ k0, c[1] = l1, c[2] = h0 ^ c[3] ^ k1, c[3] = l0;
        k0 += 0x9e3779b9, k1 += 0xbb67ae85;
    }
    out[t] = make_float4(c[0] * 2.3283064e-10f, c[1] * 2.3283064e-10f, c[2] * 2.3283064e-10f,
                         c[3] * 2.3283064e-10f);
}

__constant__ uint round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

extern "C" __global__ void sha256(uint *out, uint difficulty)
{
    T;
    uint w[16] = {0x73696d74, t, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64};
    uint h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}, s[8];

    for (int i = 0; i < 8; i++)
        s[i] = h[i];
#define ROTATE(x, n) __funnelshift_r(x, x, n)
    for (int i = 0; i < 64; i++) {
        uint m = w[i % 16];
        if (i >= 16) {
            uint a = w[(i + 1) % 16], b = w[(i + 14) % 16];
            m += (ROTATE(a, 7) ^ ROTATE(a, 18) ^ a >> 3) + w[(i + 9) % 16] +
                 (ROTATE(b, 17) ^ ROTATE(b, 19) ^ b >> 10);
            w[i % 16] = m;
        }
        uint t1 = s[7] + (ROTATE(s[4], 6) ^ ROTATE(s[4], 11) ^ ROTATE(s[4], 25)) +
                  (s[4] & s[5] ^ ~s[4] & s[6]) + round_constants[i] + m;
        uint t2 = (ROTATE(s[0], 2) ^ ROTATE(s[0], 13) ^ ROTATE(s[0], 22)) +
                  (s[0] & s[1] ^ s[0] & s[2] ^ s[1] & s[2]);
        for (int k = 7; k; k--)
            s[k] = s[k - 1];
        s[4] += t1, s[0] = t1 + t2;
    }
    uint first = h[0] + s[0];
    out[t] = first >> (32 - difficulty) ? first : 0;
}

extern "C" __global__ void crc(uint *out, const unsigned char *x, uint each)
{
    T;
    uint c = ~0u;

    for (uint i = 0; i < each; i++) {
        c ^= x[t * each + i];
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320 : c >> 1;
    }
    out[t] = ~c;
}

extern "C" __global__ void life(unsigned char *to, const unsigned char *from, uint n)
{
    uint x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;

    for (uint dy = n - 1; dy <= n + 1; dy++)
        for (uint dx = n - 1; dx <= n + 1; dx++)
            sum += from[(y + dy) % n * n + (x + dx) % n] & 1;
    to[y * n + x] = sum == 3 || sum == 4 && (from[y * n + x] & 1);
}

// --- graphs and strings -------------------------------------------------------------------------
extern "C" __global__ void shortest_paths(int *d, uint n, uint k)
{
    uint x = threadIdx.x, y = blockIdx.x;
    int through = d[y * n + k] + d[k * n + x];

    if (x < n && through < d[y * n + x])
        d[y * n + x] = through;
}

// Searches level by level; edges by hash, as there is no graph.
extern "C" __global__ void search_begin(int *level, uint n)
{
    T;

    if (t < n)
        level[t] = t == 7 ? 0 : -1;
}

extern "C" __global__ void search_level(int *level, uint *found, uint n, int now)
{
    T;

    if (t >= n || level[t] != now)
        return;
    for (uint e = 0; e < 3; e++) {
        uint to = (t * 2654435761u + e * 40503u) % n;
        if (atomicCAS(&level[to], -1, now + 1) == -1)
            atomicAdd(found, 1);
    }
}

extern "C" __global__ void alignment(int *score, const unsigned char *a, const unsigned char *b, uint n)
{
    uint t = threadIdx.x;

    for (uint i = t; i <= n; i += blockDim.x)
        score[i] = score[i * (n + 1)] = -2 * (int)i;
    for (uint d = 2; d <= 2 * n; d++) {
        __syncthreads();
        uint i = t + 1, j = d - i;
        if (i > n || i >= d || j > n)
            continue;
        int match = score[(i - 1) * (n + 1) + j - 1] + (a[i - 1] % 4 == b[j - 1] % 4 ? 3 : -1);
        int gap = max(score[(i - 1) * (n + 1) + j], score[i * (n + 1) + j - 1]) - 2;
        score[i * (n + 1) + j] = max(match, gap);
    }
}

// --- scan in three launches -----------------------------------------------------------------------
extern "C" __global__ void scan_blocks(uint *out, uint *sums, const uint *x, uint n)
{
    __shared__ uint s[64];
    uint t = threadIdx.x, i = blockIdx.x * 64 + t;

    s[t] = i < n ? x[i] : 0;
    for (uint d = 1; d < 64; d *= 2) {
        __syncthreads();
        uint v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
    }
    if (i < n)
        out[i] = s[t];
    if (t == 63)
        sums[blockIdx.x] = s[63];
}

extern "C" __global__ void scan_sums(uint *sums, uint n)
{
    uint sum = 0;

    for (uint i = 0; i < n; i++) {
        uint v = sums[i];
        sums[i] = sum;
        sum += v;
    }
}

extern "C" __global__ void scan_add(uint *out, const uint *sums, uint n)
{
    uint i = blockIdx.x * 64 + threadIdx.x;

    if (i < n)
        out[i] += sums[blockIdx.x];
}
