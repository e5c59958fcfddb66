// SPDX-License-Identifier: Apache-2.0
//
// record.c - runs the cases of tensor copies on a GPU; the maps come from the driver.
//
//     cc -O1 -I$CUDA/include record.c -o record -lcuda
//     ./record copies.cubin cases results FIRST
//
// Appends to results, from case FIRST on: for each case a mark, its number, the driver's
// answer, the map, the tensor's address, how the launch ended, whether the mbarrier got its
// bytes, and the memory. After a fault it ends and prints the next case; it is to be started
// again there. The numbers of a case are in the order of tests/check_copies.c.
#define _GNU_SOURCE
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <time.h>
enum { BUF = 1 << 18 };
static FILE *o;
static void w32(uint32_t v) { fwrite(&v, 4, 1, o); }
static uint64_t mix(uint64_t seed, uint64_t i) { uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15ull; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull; z = (z ^ z >> 27) * 0x94d049bb133111ebull; return z ^ z >> 31; }
static void fill(uint32_t *p, unsigned words, int mode, uint64_t seed) {
    for (unsigned i = 0; i < words; i++) {
        uint64_t r = mix(seed, i);
        switch (mode) {
        case 0: p[i] = i * 2 | (i * 2 + 1) << 16; break;
        case 1: p[i] = (uint32_t)(r >> 32); break;
        case 2: p[i] = 0xa5000000u | i; break;
        case 4: { static const uint32_t f[] = {0, 0x80000000, 1, 0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x7fa12345, 0x3f801000, 0x3f803000, 0x3f800fff, 0x3f801001, 0xbf801000, 0xbf803000, 0x7f7fffff, 0xff7ff000, 0x007fffff, 0x00001000, 0x00003000, 0x80001000, 0x00800000, 0x807ff000, 0x3f7ff000, 0x3f7fffff, 0x00000fff, 0x7f7ff000, 0x7f7fe000, 0xffc01000, 0x7f801000, 0x41234567};
            p[i] = f[r & 31]; break; }
        default: { // nasty floats of 16 bits: few distinct, specials frequent
            static const uint16_t n[] = {0, 0x8000, 1, 0x8001, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xffff, 0x7c01, 0x0400, 0x03ff, 0x7bff, 0xfbff, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7f81, 0x7f7f, 0xff7f, 0x0080, 0x007f, 0x8080, 0x4000, 0xc000, 0x3555, 0x4248, 0x7fc0, 0xfe00};
            p[i] = (uint32_t)n[r & 31] << 16 | n[r >> 8 & 31]; break; }
        }
    }
}
int main(int argc, char **argv)
{
    (void)argc;
    FILE *c = fopen(argv[2], "r"); int first = atoi(argv[4]);
    o = fopen(argv[3], "ab");
    FILE *t = fopen(argv[1], "r"); static char ptx[1 << 20]; ptx[fread(ptx, 1, sizeof ptx - 1, t)] = 0;
    CUdevice d; CUcontext x; CUmodule m; CUresult e; int dry = getenv("DRY") != NULL;
    if (!dry) {
    if (cuInit(0) || cuDeviceGet(&d, 0) || cuDevicePrimaryCtxRetain(&x, d) || cuCtxSetCurrent(x)) { puts("no device"); return 9; }
    if ((e = cuModuleLoadData(&m, ptx))) { printf("module %d\n", e); return 9; }
    }
    CUdeviceptr in = 0, g = 0, out = 0;
    if (!dry) { cuMemAlloc(&in, BUF); cuMemAlloc(&g, BUF); cuMemAlloc(&out, BUF); }
    static uint32_t hin[BUF / 4], hg[BUF / 4], hout[BUF / 4];
    char line[2000]; int id = 0;
    for (; fgets(line, sizeof line, c); ) {
        char kernel[64]; long long v[64]; int n = 0, used = 0; char *p = line;
        if (line[0] == '#' || sscanf(p, "%d %63s%n", &id, kernel, &used) < 2) continue;
        p += used;
        while (n < 64 && sscanf(p, "%lld%n", &v[n], &used) == 1) { p += used; n++; }
        if (id < first) continue;
        if (dry) { if (n != 50) printf("case %d: %d numbers\n", id, n); continue; }
        // im2col type rank gbytes goff dims5 strides4 box5 estr5 intl swz l2 oob lower3 upper3 chan pix c5 o3 soff words expect datain datag mapoff pad
        int k = 0; int im = v[k++], type = v[k++], rank = v[k++]; long long gbytes = v[k++], goff = v[k++];
        cuuint64_t dims[5], strides[4]; cuuint32_t box[5], es[5]; int lo[3], up[3], co[5], of[3];
        for (int i = 0; i < 5; i++) dims[i] = v[k++];
        for (int i = 0; i < 4; i++) strides[i] = v[k++];
        for (int i = 0; i < 5; i++) box[i] = v[k++];
        for (int i = 0; i < 5; i++) es[i] = v[k++];
        int il = v[k++], sw = v[k++], l2 = v[k++], oob = v[k++];
        for (int i = 0; i < 3; i++) lo[i] = v[k++];
        for (int i = 0; i < 3; i++) up[i] = v[k++];
        int chan = v[k++], pix = v[k++];
        for (int i = 0; i < 5; i++) co[i] = v[k++];
        for (int i = 0; i < 3; i++) of[i] = v[k++];
        unsigned soff = v[k++], words = v[k++], expect = v[k++]; int di = v[k++], dg = v[k++]; unsigned long long value = (unsigned long long)v[k++];
        CUtensorMap map __attribute__((aligned(64))); memset(&map, 0, sizeof map);
        CUresult enc = im ? cuTensorMapEncodeIm2col(&map, type, rank, (void *)(g + goff), dims, strides, lo, up, chan, pix, es, il, sw, l2, oob)
                          : cuTensorMapEncodeTiled(&map, type, rank, (void *)(g + goff), dims, strides, box, es, il, sw, l2, oob);
        w32(0x434d5401); w32(id); w32(enc); fwrite(&map, 128, 1, o); uint64_t base = g; fwrite(&base, 8, 1, o);
        if (!strcmp(kernel, "encode") || (enc && strncmp(kernel, "rep_", 4))) { w32(enc ? 1000 + enc : 0); w32(0); w32(0); continue; }
        CUfunction f;
        if ((e = cuModuleGetFunction(&f, m, kernel))) { w32(2000 + e); w32(0); w32(0); continue; }
        int loads = !strncmp(kernel, "load", 4), reps = !strncmp(kernel, "rep_", 4);
        if (reps) {
            void *a[] = {&map, &out, &value};
            e = cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, a, 0); if (!e) e = cuCtxSynchronize();
            if (!e) cuMemcpyDtoH(hout, out, 128);
            w32(e); w32(1); w32(e ? 0 : 128); if (!e) fwrite(hout, 128, 1, o);
            if (e) { fclose(o); printf("%d\n", id + 1); return 3; }
            continue;
        }
        fill(hin, words, loads ? 2 : di, 7 * id + 1); fill(hg, gbytes / 4, dg, 7 * id + 2);
        cuMemcpyHtoD(in, hin, words * 4); cuMemsetD32(g, 0x7fc0dead, BUF / 4); cuMemcpyHtoD(g, hg, gbytes); cuMemsetD32(out, 0, words + 1);
        unsigned shared = 1024 + words * 4 + 1024;
        static unsigned had; if (shared > 48 * 1024) { (void)had; cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared); }
        void *a[] = {&map, &in, &out, &co[0], &co[1], &co[2], &co[3], &co[4], &of[0], &of[1], &of[2], &soff, &words, &expect};
        e = cuLaunchKernel(f, 1, 1, 1, 128, 1, 1, shared, 0, a, 0); if (!e) e = cuCtxSynchronize();
        if (e) { w32(e); w32(0); w32(0); fclose(o); printf("%d\n", id + 1); return 3; }
        cuMemcpyDtoH(hout, out, words * 4 + 4); w32(0); w32(hout[words]);
        if (loads) { w32(words * 4); fwrite(hout, 4, words, o); }
        else { cuMemcpyDtoH(hg, g, gbytes); w32(gbytes); fwrite(hg, 1, gbytes, o); }
    }
    fclose(o); puts("end");
    return 0;
}
