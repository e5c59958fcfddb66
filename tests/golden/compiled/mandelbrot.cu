// SPDX-License-Identifier: Apache-2.0
//
// Iterations of z*z + c in f64 until the value escapes: divergent loops.
extern "C" __global__ void mandelbrot(int *out, int width, double step)
{
    int x = threadIdx.x, y = blockIdx.x;
    double cr = -2.0 + x * step, ci = -1.0 + y * step, zr = 0.0, zi = 0.0;
    int n = 0;
    while (n < 50 && __dadd_rn(__dmul_rn(zr, zr), __dmul_rn(zi, zi)) <= 4.0) {
        double t = __dadd_rn(__dsub_rn(__dmul_rn(zr, zr), __dmul_rn(zi, zi)), cr);
        zi = __dadd_rn(__dmul_rn(2.0 * zr, zi), ci);
        zr = t;
        n++;
    }
    out[y * width + x] = n;
}
