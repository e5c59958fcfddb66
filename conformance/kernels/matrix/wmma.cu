// SPDX-License-Identifier: Apache-2.0
//
// wmma.cu - the C++ matrix fragments: every shape, type and layout.
#include <mma.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

using namespace nvcuda;

// D = A * B + C for one warp.
template <int M, int N, int K, typename IN, typename ACC, typename LA, typename LB,
          typename MEM, typename OUT>
static __device__ void product(OUT *d, const MEM *a, const MEM *b, const OUT *c, bool columns)
{
    wmma::fragment<wmma::matrix_a, M, N, K, IN, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, IN, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, ACC> fc;
    wmma::layout_t layout = columns ? wmma::mem_col_major : wmma::mem_row_major;

    wmma::load_matrix_sync(fa, a, std::is_same<LA, wmma::row_major>::value ? K : M);
    wmma::load_matrix_sync(fb, b, std::is_same<LB, wmma::row_major>::value ? N : K);
    wmma::load_matrix_sync(fc, c, columns ? M : N, layout);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, columns ? M : N, layout);
}

#define PRODUCT(name, M, N, K, IN, ACC, LA, LB, COLUMNS, MEM, OUT)                       \
    extern "C" __global__ void name(OUT *d, const MEM *a, const MEM *b, const OUT *c)    \
    {                                                                                    \
        product<M, N, K, IN, ACC, wmma::LA, wmma::LB>(d, a, b, c, COLUMNS);              \
    }
#define ROW row_major
#define COL col_major

PRODUCT(f16_f32, 16, 16, 16, half, float, ROW, COL, false, half, float)
PRODUCT(f16_f32_columns, 16, 16, 16, half, float, COL, ROW, true, half, float)
PRODUCT(f16_f16, 16, 16, 16, half, half, ROW, ROW, false, half, half)
PRODUCT(f16_m32, 32, 8, 16, half, float, COL, COL, false, half, float)
PRODUCT(f16_m8, 8, 32, 16, half, half, ROW, COL, true, half, half)
PRODUCT(bf16, 16, 16, 16, __nv_bfloat16, float, ROW, COL, false, __nv_bfloat16, float)
PRODUCT(bf16_m32, 32, 8, 16, __nv_bfloat16, float, ROW, ROW, true, __nv_bfloat16, float)
PRODUCT(tf32, 16, 16, 8, wmma::precision::tf32, float, ROW, COL, false, float, float)
PRODUCT(s8, 16, 16, 16, signed char, int, ROW, COL, false, signed char, int)
PRODUCT(u8_m8, 8, 32, 16, unsigned char, int, COL, ROW, false, unsigned char, int)
PRODUCT(s8_m32, 32, 8, 16, signed char, int, ROW, ROW, true, signed char, int)
PRODUCT(f64, 8, 8, 4, double, double, ROW, COL, false, double, double)
PRODUCT(f64_columns, 8, 8, 4, double, double, COL, ROW, true, double, double)

// Numbers below a byte: only row by column.
#define SMALL(name, K, TYPE, OPERATION)                                                  \
    extern "C" __global__ void name(int *d, const int *a, const int *b)                  \
    {                                                                                    \
        wmma::fragment<wmma::matrix_a, 8, 8, K, TYPE, wmma::row_major> fa;               \
        wmma::fragment<wmma::matrix_b, 8, 8, K, TYPE, wmma::col_major> fb;               \
        wmma::fragment<wmma::accumulator, 8, 8, K, int> fc;                              \
        wmma::fill_fragment(fc, 3);                                                      \
        wmma::load_matrix_sync(fa, a, K);                                                \
        wmma::load_matrix_sync(fb, b, K);                                                \
        OPERATION;                                                                       \
        wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);                          \
    }
SMALL(s4, 32, wmma::experimental::precision::s4, wmma::mma_sync(fc, fa, fb, fc))
SMALL(u4, 32, wmma::experimental::precision::u4, wmma::mma_sync(fc, fa, fb, fc))
SMALL(b1_xor, 128, wmma::experimental::precision::b1, wmma::bmma_sync(fc, fa, fb, fc))
SMALL(b1_and, 128, wmma::experimental::precision::b1,
      wmma::bmma_sync(fc, fa, fb, fc, wmma::experimental::bmmaBitOpAND))

// A product of larger matrices, a tile for each warp, scaled and added as BLAS does.
extern "C" __global__ void gemm(float *c, const half *a, const half *b, int n, int k,
                                float alpha, float beta)
{
    int row = (int)(blockIdx.y * blockDim.y + threadIdx.y) * 16;
    int column = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;

    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + i * n + column, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::load_matrix_sync(old, c + row * n + column, n, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++)
        old.x[i] = alpha * sum.x[i] + beta * old.x[i];
    wmma::store_matrix_sync(c + row * n + column, old, n, wmma::mem_row_major);
}
