/* SPDX-License-Identifier: Apache-2.0
 *
 * sweep.c - the operation table against a GPU, over whole input spaces.
 *
 * For each line of sweep.def a small PTX kernel computes its instruction for
 * every index of the domain and sums a hash of result and index for each block
 * of 256; the host computes the same sums with the interpreter's lane loops. A
 * sum that differs is looked into: the first wrong result is named. Needs a GPU, a C compiler and libc:
 *     make -f conformance/sweep/Makefile.portable && ./simtlab-sweep [NAME...]
 * Options: --log2 N for fewer inputs than 2^32, --from N and --to N for a range of
 * entries. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emu/lane.h"
#include "gpu/device.h"
#include "numeric/mode.h"

enum domain { ALL_32, ALL_32_PAIR, HIGH_64, PAIRS_16, COUPLES, TRIPLES };

struct sweep {
    const char *name;
    uint16_t op;
    uint8_t type, type2;
    unsigned mode;
    enum domain domain;
};

static const struct sweep sweeps[] = {
#define SWEEP(name, op, D, A, mode, domain) {name, IR_OP_##op, IR_##D, IR_##A, mode, domain},
#include "conformance/sweep/sweep.def"
#undef SWEEP
};

enum { CHUNK = 1 << 26, BLOCK = 256, SUMS = CHUNK / BLOCK, THREADS_MAX = 64 };

static unsigned sources(const struct sweep *sweep)
{
    return ir_rows[ir_row_find(sweep->op, sweep->type, sweep->type2)].sources;
}

/* --- the inputs, on both sides --------------------------------------------------------- */

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Random word k of the LANES indices from first on. Two times out of three the
 * exponent is drawn from a narrow range, so that sums cancel and products meet
 * the sum. Written so that the compiler makes vector code of it. */
static void random_words(uint64_t first, unsigned k, unsigned bits, unsigned exponent_bits,
                         uint64_t word[LANES])
{
    unsigned fraction = bits - 1 - exponent_bits;
    uint64_t field = ((UINT64_C(1) << exponent_bits) - 1) << fraction;
    uint64_t least = (UINT64_C(1) << (exponent_bits - 1)) - 9;

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t r = mix((first + l) * 4 + k);
        uint64_t third = (mix(first + l) >> 32) * 3 >> 32;
        uint64_t narrow = (r & ~field) | ((least + (r >> 60)) << fraction);
        word[l] = third ? narrow : r;
    }
}

static unsigned exponent_bits(enum ir_type type)
{
    return type == IR_f16 ? 5 : type == IR_f64 ? 11 : 8;
}

/* Source k of the LANES indices from first on. */
static void source_words(const struct sweep *sweep, uint64_t first, unsigned k,
                         uint64_t word[LANES])
{
    switch (sweep->domain) {
    case ALL_32:
        for (unsigned l = 0; l < LANES; l++)
            word[l] = first + l;
        return;
    case ALL_32_PAIR:
        for (unsigned l = 0; l < LANES; l++)
            word[l] = k ? (uint32_t)~(first + l) : first + l;
        return;
    case HIGH_64:
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t i = first + l;
            word[l] = i << 32 | (uint32_t)(mix(i) & (i & 1 ? 0xffffffff : 0));
        }
        return;
    case PAIRS_16:
        for (unsigned l = 0; l < LANES; l++)
            word[l] = k ? (first + l) >> 16 : (first + l) & 0xffff;
        return;
    default:
        random_words(first, k, ir_types[sweep->type2].bits, exponent_bits(sweep->type2), word);
    }
}

/* Rows of words to rows of registers, which hold bytes a lane, and back. */
static void narrow(unsigned char *to, const uint64_t word[LANES], unsigned bytes)
{
    switch (bytes) {
    case 2:
        for (unsigned l = 0; l < LANES; l++)
            ((uint16_t *)to)[l] = (uint16_t)word[l];
        return;
    case 4:
        for (unsigned l = 0; l < LANES; l++)
            ((uint32_t *)to)[l] = (uint32_t)word[l];
        return;
    default:
        memcpy(to, word, LANES * sizeof *word);
    }
}

static void widen(uint64_t word[LANES], const unsigned char *from, unsigned bytes)
{
    switch (bytes) {
    case 2:
        for (unsigned l = 0; l < LANES; l++)
            word[l] = ((const uint16_t *)from)[l];
        return;
    case 4:
        for (unsigned l = 0; l < LANES; l++)
            word[l] = ((const uint32_t *)from)[l];
        return;
    default:
        memcpy(word, from, LANES * sizeof *word);
    }
}

/* What one result adds to the sum of its block: mix(word + i * HASH_STEP). */
#define HASH_STEP 0xd1342543de82ef95ull

/* --- the kernel ----------------------------------------------------------------------- */

static void emit_mix(struct text *ptx, const char *to, const char *from)
{
    text_printf(ptx,
                "add.u64 %%z, %s, 0x9e3779b97f4a7c15;\n"
                "shr.u64 %%y, %%z, 30; xor.b64 %%z, %%z, %%y; mul.lo.u64 %%z, %%z, 0xbf58476d1ce4e5b9;\n"
                "shr.u64 %%y, %%z, 27; xor.b64 %%z, %%z, %%y; mul.lo.u64 %%z, %%z, 0x94d049bb133111eb;\n"
                "shr.u64 %%y, %%z, 31; xor.b64 %s, %%z, %%y;\n",
                from, to);
}

/* The word of source k, in %w. */
static void emit_source(struct text *ptx, const struct sweep *sweep, unsigned k)
{
    unsigned bits = ir_types[sweep->type2].bits, exponent = exponent_bits(sweep->type2);
    unsigned fraction = bits - 1 - exponent;

    switch (sweep->domain) {
    case ALL_32:
        text_puts(ptx, "mov.u64 %w, %i;\n");
        break;
    case ALL_32_PAIR:
        text_puts(ptx, k ? "not.b64 %w, %i;\n" : "mov.u64 %w, %i;\n");
        break;
    case HIGH_64:
        emit_mix(ptx, "%m", "%i");
        text_puts(ptx, "and.b64 %v, %i, 1; neg.s64 %v, %v; and.b64 %m, %m, %v;\n"
                       "and.b64 %m, %m, 0xffffffff; shl.b64 %w, %i, 32; or.b64 %w, %w, %m;\n");
        break;
    case PAIRS_16:
        text_puts(ptx, k ? "shr.u64 %w, %i, 16;\n" : "and.b64 %w, %i, 0xffff;\n");
        break;
    default:
        text_printf(ptx, "shl.b64 %%v, %%i, 2; add.u64 %%v, %%v, %u;\n", k);
        emit_mix(ptx, "%w", "%v");
        emit_mix(ptx, "%m", "%i");
        text_printf(ptx,
                    "shr.u64 %%m, %%m, 32; mul.lo.u64 %%m, %%m, 3; shr.u64 %%m, %%m, 32;\n"
                    "setp.ne.u64 %%p, %%m, 0;\n"
                    "shr.u64 %%v, %%w, 60; add.u64 %%v, %%v, %llu; shl.b64 %%v, %%v, %u;\n"
                    "and.b64 %%m, %%w, %llu; or.b64 %%m, %%m, %%v; selp.b64 %%w, %%m, %%w, %%p;\n",
                    (1ull << (exponent - 1)) - 9, fraction,
                    ~(((1ull << exponent) - 1) << fraction));
    }
}

/* kernel sums: the hash sums of blocks into out; kernel words: the results. */
static void emit_kernel(struct text *ptx, const struct sweep *sweep, const char *kernel)
{
    unsigned in = ir_types[sweep->type2].lane * 8, out = ir_types[sweep->type].lane * 8;
    unsigned count = sources(sweep);

    text_printf(ptx,
                ".visible .entry %s(.param .u64 out, .param .u64 base)\n{\n"
                ".reg .pred %%p;\n.reg .b64 %%o, %%i, %%j, %%w, %%v, %%m, %%z, %%y;\n"
                ".reg .b32 %%t, %%c, %%n;\n.reg .b%u %%s<3>;\n.reg .b%u %%d;\n"
                "ld.param.u64 %%o, [out];\nld.param.u64 %%i, [base];\n"
                "mov.u32 %%t, %%tid.x; mov.u32 %%c, %%ctaid.x; mov.u32 %%n, %%ntid.x;\n"
                "mad.lo.u32 %%t, %%c, %%n, %%t; cvt.u64.u32 %%j, %%t; add.u64 %%i, %%i, %%j;\n",
                kernel, in, out);
    for (unsigned k = 0; k < count; k++) {
        emit_source(ptx, sweep, k);
        text_printf(ptx, in == 64 ? "mov.b64 %%s%u, %%w;\n" : "cvt.u%u.u64 %%s%u, %%w;\n",
                    in == 64 ? k : in, k);
    }
    text_printf(ptx, "%s %%d, %%s0", sweep->name);
    for (unsigned k = 1; k < count; k++)
        text_printf(ptx, ", %%s%u", k);
    text_puts(ptx, ";\n");
    if (strcmp(kernel, "words") == 0) {
        text_printf(ptx, "mul.lo.u64 %%j, %%j, %u; add.u64 %%o, %%o, %%j;\n"
                         "st.global.b%u [%%o], %%d;\nret;\n}\n", out / 8, out);
        return;
    }
    text_printf(ptx, out == 64 ? "mov.b64 %%w, %%d;\n" : "cvt.u64.u%u %%w, %%d;\n", out);
    text_printf(ptx, "mul.lo.u64 %%v, %%i, %llu; add.u64 %%w, %%w, %%v;\n", HASH_STEP);
    emit_mix(ptx, "%w", "%w");
    /* One atomic a warp: the sum of its lanes is in each after five exchanges. */
    for (unsigned distance = 16; distance; distance /= 2)
        text_printf(ptx,
                    "mov.b64 {%%t, %%n}, %%w;\n"
                    "shfl.sync.bfly.b32 %%t, %%t, %u, 31, -1; shfl.sync.bfly.b32 %%n, %%n, %u, 31, -1;\n"
                    "mov.b64 %%v, {%%t, %%n}; add.u64 %%w, %%w, %%v;\n",
                    distance, distance);
    text_puts(ptx, "cvt.u64.u32 %j, %c; shl.b64 %j, %j, 3; add.u64 %o, %o, %j;\n"
                   "mov.u32 %t, %laneid; setp.eq.u32 %p, %t, 0;\n"
                   "@%p red.global.add.u64 [%o], %w;\nret;\n}\n");
}

/* --- the comparison --------------------------------------------------------------------- */

struct part {
    const struct sweep *sweep;
    const uint64_t *sum;      /* of the chunk's blocks, as the GPU computed them */
    uint64_t base;
    uint32_t from, to;        /* blocks of the chunk */
    uint64_t wrong, first_wrong; /* blocks; index of the first one's first element */
};

/* The words of 32 results from index i on. */
static void results(const struct sweep *sweep, uint64_t i, uint64_t word[LANES])
{
    _Alignas(64) unsigned char words[4][8 * LANES];
    unsigned char *const base[2] = {&words[0][0], &words[0][0]};
    const struct lane_operands operands = {.d = 0, .a = sizeof words[0], .b = 2 * sizeof words[0],
                                           .c = 3 * sizeof words[0], .mode = sweep->mode};
    enum ir_row row = ir_row_find(sweep->op, sweep->type, sweep->type2);
    unsigned in = ir_types[sweep->type2].lane, out = ir_types[sweep->type].lane;

    for (unsigned k = 0; k < ir_rows[row].sources; k++) {
        uint64_t source[LANES];
        source_words(sweep, i, k, source);
        narrow(words[1 + k], source, in);
    }
    lane_functions()[row](&operands, base, LANES_ALL);
    widen(word, words[0], out);
}

static void *compare(void *argument)
{
    struct part *part = argument;
    uint64_t word[LANES];

    for (uint32_t block = part->from; block < part->to; block++) {
        uint64_t first = part->base + (uint64_t)block * BLOCK, sum = 0;
        for (unsigned i = 0; i < BLOCK; i += LANES) {
            results(part->sweep, first + i, word);
            for (unsigned l = 0; l < LANES; l++)
                sum += mix(word[l] + (first + i + l) * HASH_STEP);
        }
        if (sum != part->sum[block] && !part->wrong++)
            part->first_wrong = first;
    }
    return NULL;
}

static void compare_all(const struct sweep *sweep, const uint64_t *sum, uint64_t base,
                        unsigned threads, struct part *total)
{
    struct part part[THREADS_MAX];
    pthread_t thread[THREADS_MAX];

    for (unsigned t = 0; t < threads; t++) {
        part[t] = (struct part){.sweep = sweep, .sum = sum, .base = base,
                                .from = SUMS / threads * t,
                                .to = t + 1 == threads ? SUMS : SUMS / threads * (t + 1)};
        if (pthread_create(&thread[t], NULL, compare, &part[t]))
            abort();
    }
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        if (part[t].wrong && !total->wrong)
            total->first_wrong = part[t].first_wrong;
        total->wrong += part[t].wrong;
    }
}

/* --- one sweep ----------------------------------------------------------------------------- */

static bool launch(struct gpu_context *context, const struct gpu_kernel *kernel, uint64_t out,
                   uint64_t base, uint32_t blocks, struct gpu_error *error)
{
    void *parameters[] = {&out, &base};

    return gpu_launch(context, kernel,
                      &(struct gpu_launch){.grid = {blocks, 1, 1}, .block = {BLOCK, 1, 1}},
                      parameters, NULL, error);
}

/* Names the first wrong result of a block whose sum differs. */
static bool look_into(struct gpu_context *context, const struct gpu_kernel *words, uint64_t out,
                      const struct sweep *sweep, uint64_t first, struct gpu_error *error)
{
    unsigned char got[8 * BLOCK];
    unsigned bytes = ir_types[sweep->type].lane;
    uint64_t word[LANES];

    if (!launch(context, words, out, first, 1, error) ||
        !gpu_copy_out(context, got, out, (size_t)BLOCK * bytes, NULL, error) ||
        !gpu_stream_wait(context, NULL, error))
        return false;
    for (unsigned i = 0; i < BLOCK; i += LANES) {
        results(sweep, first + i, word);
        for (unsigned l = 0; l < LANES; l++) {
            uint64_t chip = 0;
            memcpy(&chip, got + (size_t)(i + l) * bytes, bytes);
            if (chip == word[l])
                continue;
            printf("; first at index %llx: table %llx, chip %llx",
                   (unsigned long long)(first + i + l), (unsigned long long)word[l],
                   (unsigned long long)chip);
            return true;
        }
    }
    return true;
}

/* Starts the sums of one chunk. */
static bool begin(struct gpu_context *context, const struct gpu_kernel *sums, uint64_t out,
                  uint64_t base, struct gpu_error *error)
{
    return gpu_fill(context, out, 0, SUMS * sizeof(uint64_t), NULL, error) &&
           launch(context, sums, out, base, SUMS, error);
}

static bool run_sweep(struct gpu_context *context, const struct sweep *sweep, uint64_t size,
                      unsigned threads, struct part *total, struct gpu_error *error)
{
    struct text ptx = {0}, log = {0};
    struct gpu_module module;
    struct gpu_kernel sums, words;
    uint64_t out = 0;
    uint64_t *sum = malloc(SUMS * sizeof *sum);

    text_puts(&ptx, ".version 8.6\n.target sm_90\n.address_size 64\n");
    emit_kernel(&ptx, sweep, "sums");
    emit_kernel(&ptx, sweep, "words");
    bool loaded = sum && gpu_module_load(context, sweep->name, text_string(&ptx), ptx.size,
                                         &(struct gpu_jit){.optimisation = -1}, &log, &module,
                                         error);
    bool ok = loaded && gpu_kernel_find(context, &module, "sums", &sums, error) &&
              gpu_kernel_find(context, &module, "words", &words, error) &&
              gpu_alloc(context, SUMS * sizeof *sum, NULL, "sums", &out, error);
    ok = ok && begin(context, &sums, out, 0, error);
    for (uint64_t base = 0; ok && base < size; base += CHUNK) {
        ok = gpu_copy_out(context, sum, out, SUMS * sizeof *sum, NULL, error) &&
             gpu_stream_wait(context, NULL, error);
        /* The GPU is at the next chunk while the host compares this one. */
        if (ok && base + CHUNK < size)
            ok = begin(context, &sums, out, base + CHUNK, error);
        if (ok)
            compare_all(sweep, sum, base, threads, total);
    }
    if (ok) {
        printf("%-36s %llu of %llu blocks of %u differ", sweep->name,
               (unsigned long long)total->wrong, (unsigned long long)(size / BLOCK), BLOCK);
        if (total->wrong)
            ok = look_into(context, &words, out, sweep, total->first_wrong, error);
        putchar('\n');
        fflush(stdout);
    }
    if (out)
        gpu_free(context, out, NULL, error);
    if (loaded)
        gpu_module_unload(context, &module, &(struct gpu_error){0});
    text_free(&ptx);
    text_free(&log);
    free(sum);
    return ok;
}

static bool chosen(const char *name, int count, char **patterns)
{
    for (int i = 0; i < count; i++)
        if (strstr(name, patterns[i]))
            return true;
    return count == 0;
}

int main(int argc, char **argv)
{
    struct gpu_error error = {0};
    struct gpu_context context;
    uint64_t size = UINT64_C(1) << 32, wrong = 0, compared = 0;
    unsigned threads = 16;
    int first = 1;
    size_t skip = 0, end = sizeof sweeps / sizeof *sweeps; /* to go on where a run ended */

    for (; first + 1 < argc && argv[first][0] == '-'; first += 2) {
        if (strcmp(argv[first], "--log2") == 0)
            size = UINT64_C(1) << atoi(argv[first + 1]);
        else if (strcmp(argv[first], "--from") == 0)
            skip = (size_t)atoi(argv[first + 1]);
        else if (strcmp(argv[first], "--to") == 0 && (size_t)atoi(argv[first + 1]) < end)
            end = (size_t)atoi(argv[first + 1]);
    }
    struct driver *driver = NULL;
    if (!driver_open(NULL, &driver, &error) || !gpu_context_open(driver, 0, &context, &error)) {
        fprintf(stderr, "simtlab-sweep: %s\n", error.text);
        return 2;
    }
    for (size_t i = skip; i < end; i++) {
        struct part total = {0};
        if (!chosen(sweeps[i].name, argc - first, argv + first))
            continue;
        if (ir_row_find(sweeps[i].op, sweeps[i].type, sweeps[i].type2) == IR_ROW_COUNT) {
            printf("%-36s no such row\n", sweeps[i].name);
            continue;
        }
        printf("%3zu ", i);
        if (!run_sweep(&context, &sweeps[i], size, threads, &total, &error)) {
            printf("%-36s not run: %s\n", sweeps[i].name, error.text);
            continue;
        }
        compared++;
        wrong += total.wrong != 0;
    }
    printf("%llu instructions compared on %s, %llu differ\n", (unsigned long long)compared,
           context.info.name, (unsigned long long)wrong);
    gpu_context_close(&context, NULL);
    driver_close(driver);
    return wrong ? 1 : 0;
}
