// SPDX-License-Identifier: Apache-2.0
// What device printf makes of good and bad formats; its results go to out.
#include <cmath>
#include <cstdio>

extern "C" __global__ void numbers(int *out)
{
    int n = 0;
    double big = 1e300, tiny = 5e-324, third = 1.0 / 3;

    out[n++] = printf("1[%%] plain\n");
    out[n++] = printf("2[%d][%5d][%-5d][%05d][%+d][% d][%.3d][%8.3d]\n", 42, 42, 42, 42, 42, 42, 42, 42);
    out[n++] = printf("3[%i][%u][%o][%#o][%x][%X][%#x][%#010X]\n", -1, -1, 8, 8, 255, 255, 255, 255);
    out[n++] = printf("4[%hd][%hhd][%hu][%hhu][%hx]\n", 70000, 300, 70000, 300, 0x12345);
    out[n++] = printf("5[%ld][%lld][%llu][%lx][%llX]\n", -5L, -6LL, ~0ULL, 0x123456789abcL, 0xfedcba9876543210ULL);
    out[n++] = printf("6[%zu][%zd][%jd][%td]\n", (size_t)7, (size_t)-8, 9LL, 10L);
    out[n++] = printf("7[%f][%5.2f][%-10.1f][%010.3f][%+.0f][%#.0f]\n", third, third, third, third, 2.5, 2.5);
    out[n++] = printf("8[%e][%.2E][%g][%G][%.10g][%g][%g]\n", third, third, third, 1e-10, third, 1e5, 1e6);
    out[n++] = printf("9[%a][%A][%.3a][%a][%a]\n", third, third, third, 0.0, tiny);
    out[n++] = printf("10[%f][%e][%g][%f][%F][%g]\n", big, big, tiny, 1e22, 1e22, 123456789.0);
    out[n++] = printf("11[%f][%f][%f][%g][%e][%5.1f][%-8f]\n", 1 / (third - third), -1 / (third - third),
                      sqrt(-third), sqrt(-third), -1 / (third - third), sqrt(-third), 1 / (third - third));
    out[n++] = printf("12[%f][%f][%g][%.20f]\n", 0.0, -0.0, -0.0, 0.1);
    out[n++] = printf("13[%.0f][%.0f][%.0f][%.0f]\n", 0.5, 1.5, 2.5, -0.5);
    out[n++] = printf("14[%.1f][%.2f][%.3e]\n", 0.25, 1.005, 12345.5);
    out[n++] = printf("15[%*d][%-*d][%.*f][%*.*f]\n", 6, 42, 6, 42, 2, third, 9, 3, third);
    out[n++] = printf("16[%300d]\n", 5);
}

extern "C" __global__ void strings(int *out)
{
    int n = 0;

    out[n++] = printf("1[%s][%10s][%-10s][%.2s][%5.1s]\n", "abc", "abc", "abc", "abc", "abc");
    out[n++] = printf("2[%c][%5c][%-5c][%c]\n", 'x', 'y', 'z', 65 + 256);
    out[n++] = printf("3[%p][%p][%20p]\n", (void *)0x123456789abcULL, (void *)0, (void *)0x10);
    out[n++] = printf("4[%s]\n", (char *)0);
    out[n++] = printf("");
    out[n++] = printf("no newline at the end");
    out[n++] = printf("\n\ttab %%d %%\n");
    out[n++] = printf("5[\x80\xff\x01]\n");
    out[n++] = printf((char *)0);
}

// One mistake for each launch: some of them fault.
#define CASE(n, ...) \
    case n: \
        out[0] = printf(__VA_ARGS__); \
        break

extern "C" __global__ void mistakes(int *out, int which)
{
    int where = 77;

    switch (which) {
        CASE(1, "[%d][%d]\n", 5);                         // too few
        CASE(2, "[%d]\n", 5, 6, 7);                       // too many
        CASE(3, "[%f]\n", 1234567);                       // int as double
        CASE(4, "[%d][%d]\n", 1.5, 2);                    // double as int
        CASE(5, "[%lld]\n", -3);                          // int as long long
        CASE(6, "[%d]\n", 0x1122334455667788LL);          // long long as int
        CASE(7, "[%n]\n", &where);
        CASE(8, "[%y][%d]\n", 3, 4);                      // unknown
        CASE(9, "[%", 3);
        CASE(10, "[%5");
        CASE(11, "[%ls]\n", L"wide");
        CASE(12, "[%Lf][%lf]\n", 1.5, 2.5);
        CASE(13, "[%q][%k]\n", 1, 2);
        CASE(14, "[%c%c]\n", 0, 'b');
        CASE(15, "[%d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d "
                 "%d %d %d %d %d %d %d %d]\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
                 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34);
        CASE(16, "[%2$d][%1$d]\n", 1, 2);
        CASE(17, "[%'d][%-+5d][%+-5d][%0-5d]\n", 1234567, 1, 2, 3);
        CASE(18, "[%#d][%+s][%0s]\n", 1, "a", "b");
        CASE(19, "[%s]\n", 5.5);
        CASE(20, "[%lc]\n", L'w');
        CASE(21, "[%.5]\n");
        CASE(22, "[%hhd][%d]\n", 300, 7);
        CASE(23, "[%ll][%l]\n", 1, 2);
        CASE(24, "[%s][%d]\n", (char *)0, 8);
        CASE(25, "[%p][%d]\n", 5, 6);                     // int as pointer
        CASE(26, "[%u][%f]\n", 7, 2.5f);                  // float is promoted
        CASE(27, "[%*d][%d]\n", -6, 42, 9);
        CASE(28, "[%.*d][%d]\n", 3, 42, 9);
        CASE(29, "[%.*f][%d]\n", 3, 1.25, 9);
        CASE(30, "[%zu][%d]\n", (size_t)7, 9);
    }
    out[1] = where;
}

// Order of the texts of 2 blocks of 40 threads, and a full buffer.
extern "C" __global__ void order(int *out)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;

    if (threadIdx.x % 8 == 0)
        out[at] = printf("b%d t%d\n", (int)blockIdx.x, (int)threadIdx.x);
}

extern "C" __global__ void overflow(int *out)
{
    for (int i = 0; i < 400; i++)
        out[i] = printf("%d of a text of some length that fills the buffer\n", i);
}
