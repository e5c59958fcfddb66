/* SPDX-License-Identifier: Apache-2.0
 *
 * check_copies.c - tensor maps and tensor copies against what an H200 gave.
 *
 * conformance/copies has one line for each case, the kernels and the recording;
 * docs/hardware-notes.md says how they were made. A recorded line says whether the driver
 * made the map, how the launch ended, whether the mbarrier got its bytes (2: it expected
 * fewer than came, which ends its phase or not), and hashes of the map and of the memory. */
#include "tests/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simtlab/simtlab.h>

#include "base/tensor_map.h"

enum { BUFFER = 1 << 18, NUMBERS = 50, PTX_LIMIT = 1 << 20 };

/* A case, as its line has it. */
struct tried {
    int id;
    char kernel[64];
    long long im2col, type, rank, bytes, at, size[5], stride[4], box[5], step[5], interleave,
        swizzle, promotion, fill, lower[3], upper[3], channels, pixels, coordinate[5], offset[3],
        shared_at, words, expected, shared_data, data, value;
};

struct recorded {
    int id;
    unsigned refused, end, done, bytes;
    uint64_t contents, map;
};

struct machine {
    sl_context *context;
    sl_module *module;
    sl_buffer *in, *tensor, *out;
};

static char *read_whole(const char *name)
{
    static char buffer[2][PTX_LIMIT];
    static int turn;
    char path[600], *text = buffer[turn++ % 2];

    snprintf(path, sizeof path, "%s/../conformance/copies/%s", getenv("SIMTLAB_TESTS"), name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s", path);
    size_t size = fread(text, 1, PTX_LIMIT - 1, file);
    fclose(file);
    text[size] = 0;
    return text;
}

/* splitmix64 */
static uint64_t mix(uint64_t seed, uint64_t i)
{
    uint64_t z = seed + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* As conformance/copies/record.c fills memory. */
static void fill(uint32_t *to, unsigned words, long long how, uint64_t seed)
{
    static const uint32_t singles[32] = {
        0,          0x80000000, 1,          0x807fffff, 0x7f800000, 0xff800000, 0x7fc00000,
        0x7f800001, 0xffffffff, 0x7fa12345, 0x3f801000, 0x3f803000, 0x3f800fff, 0x3f801001,
        0xbf801000, 0xbf803000, 0x7f7fffff, 0xff7ff000, 0x007fffff, 0x00001000, 0x00003000,
        0x80001000, 0x00800000, 0x807ff000, 0x3f7ff000, 0x3f7fffff, 0x00000fff, 0x7f7ff000,
        0x7f7fe000, 0xffc01000, 0x7f801000, 0x41234567};
    static const uint16_t halves[32] = {
        0,      0x8000, 1,      0x8001, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xffff,
        0x7c01, 0x0400, 0x03ff, 0x7bff, 0xfbff, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7f81, 0x7f7f,
        0xff7f, 0x0080, 0x007f, 0x8080, 0x4000, 0xc000, 0x3555, 0x4248, 0x7fc0, 0xfe00};

    for (unsigned i = 0; i < words; i++) {
        uint64_t random = mix(seed, i);
        switch (how) {
        case 0: to[i] = i * 2 | (i * 2 + 1) << 16; break;
        case 1: to[i] = (uint32_t)(random >> 32); break;
        case 2: to[i] = 0xa5000000u | i; break;
        case 3:
            to[i] = (uint32_t)halves[random & 31] << 16 | halves[random >> 8 & 31];
            break;
        default: to[i] = singles[random & 31]; break;
        }
    }
}

static uint64_t hash(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Addresses differ from machine to machine: only whether it is the tensor's counts. */
static uint64_t map_hash(const unsigned char map[128], uint64_t tensor)
{
    unsigned char copy[128];
    uint64_t address;

    memcpy(copy, map, 128);
    memcpy(&address, map, 8);
    address = address == tensor ? 1 : address;
    memcpy(copy, &address, 8);
    return hash(copy, 128);
}

static const char *numbers(const char *text, long long *to, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        char *end;
        to[i] = strtoll(text, &end, 10);
        ck_assert_ptr_ne(end, text);
        text = end;
    }
    return text;
}

static void read_case(const char *line, struct tried *tried)
{
    long long all[NUMBERS], *at = all;
    int used;

    ck_assert_int_eq(sscanf(line, "%d %63s%n", &tried->id, tried->kernel, &used), 2);
    numbers(line + used, all, NUMBERS);
#define TAKE(field) memcpy(&tried->field, at, sizeof tried->field), at += sizeof tried->field / sizeof *at
    TAKE(im2col), TAKE(type), TAKE(rank), TAKE(bytes), TAKE(at), TAKE(size), TAKE(stride);
    TAKE(box), TAKE(step), TAKE(interleave), TAKE(swizzle), TAKE(promotion), TAKE(fill);
    TAKE(lower), TAKE(upper), TAKE(channels), TAKE(pixels), TAKE(coordinate), TAKE(offset);
    TAKE(shared_at), TAKE(words), TAKE(expected), TAKE(shared_data), TAKE(data), TAKE(value);
#undef TAKE
    ck_assert_ptr_eq(at, all + NUMBERS);
}

/* --- one case --------------------------------------------------------------------------- */

/* False: refused. */
static bool encode(const struct tried *tried, uint64_t address, unsigned char bytes[128])
{
    struct tensor_map map = {.address = address + (uint64_t)tried->at,
                             .rank = (unsigned)tried->rank, .im2col = tried->im2col,
                             .type = (enum tensor_element)tried->type,
                             .interleave = (enum tensor_interleave)tried->interleave,
                             .swizzle = (enum tensor_swizzle)tried->swizzle,
                             .promotion = (unsigned)tried->promotion, .nan_fill = tried->fill,
                             .channels = (uint32_t)tried->channels,
                             .pixels = (uint32_t)tried->pixels};

    if (tried->type >= TENSOR_MAP_TYPES || tried->interleave > 2 || tried->swizzle > 3 ||
        tried->promotion > 3 || tried->fill > 1)
        return false;
    for (unsigned k = 0; k < 5; k++) {
        map.size[k] = (uint64_t)tried->size[k];
        map.step[k] = (uint32_t)tried->step[k];
        map.box[k] = (uint32_t)tried->box[k];
        if (k < 4)
            map.stride[k] = (uint64_t)tried->stride[k];
        if (k < 3) {
            map.lower[k] = (int32_t)tried->lower[k];
            map.upper[k] = (int32_t)tried->upper[k];
        }
    }
    return tensor_map_encode(&map, bytes) == NULL;
}

/* Runs the kernel; true when nothing was found. Contents: what came of it. */
static bool launch(struct machine *m, const struct tried *tried, const unsigned char map[128],
                   uint32_t *contents, unsigned *bytes, unsigned *done)
{
    static uint32_t in[BUFFER / 4], tensor[BUFFER / 4];
    const uint32_t one[3] = {1, 1, 1}, threads[3] = {128, 1, 1};
    bool replaces = !strncmp(tried->kernel, "rep_", 4), loads = !strncmp(tried->kernel, "load", 4);
    unsigned words = (unsigned)tried->words;
    sl_kernel *kernel;
    sl_report *report;

    ck_assert_int_eq(sl_module_find(m->module, tried->kernel, &kernel), SL_OK);
    uint64_t from = sl_buffer_address(m->in), to = sl_buffer_address(m->out);
    if (!replaces) {
        fill(in, words, loads ? 2 : tried->shared_data, 7 * (uint64_t)tried->id + 1);
        for (unsigned i = 0; i < BUFFER / 4; i++)
            tensor[i] = 0x7fc0dead;
        fill(tensor, (unsigned)tried->bytes / 4, tried->data, 7 * (uint64_t)tried->id + 2);
        sl_buffer_write(m->in, 0, in, 4 * words);
        sl_buffer_write(m->tensor, 0, tensor, BUFFER);
        memset(in, 0, 4 * words + 4);
        sl_buffer_write(m->out, 0, in, 4 * words + 4);
    }
    uint32_t number[11];
    const void *arguments[14] = {map, &from, &to};
    for (unsigned i = 0; i < 11; i++) {
        number[i] = (uint32_t)(i < 5   ? tried->coordinate[i]
                               : i < 8 ? tried->offset[i - 5]
                               : i < 9 ? tried->shared_at
                               : i < 10 ? tried->words
                                        : tried->expected);
        arguments[3 + i] = &number[i];
    }
    if (replaces) {
        arguments[1] = &to;
        arguments[2] = &tried->value;
    }
    sl_status status = sl_launch(kernel, one, replaces ? one : threads,
                                 replaces ? 0 : 2048 + 4 * words, arguments, replaces ? 3 : 14,
                                 &report);
    ck_assert_msg(status == SL_OK, "case %d: %s", tried->id, sl_context_error(m->context));
    bool clean = sl_report_problems(report) == 0;
    if (!clean && getenv("CHECK_COPIES_SHOW"))
        printf("case %d: %s", tried->id, sl_report_text(report));
    sl_report_destroy(report);
    *bytes = replaces ? 128 : loads ? 4 * words : (unsigned)tried->bytes;
    *done = 1;
    if (!replaces)
        sl_buffer_read(m->out, 4 * words, done, 4);
    sl_buffer_read(replaces || loads ? m->out : m->tensor, 0, contents, *bytes);
    return clean;
}

/* Whether it came out as recorded. */
static bool same(struct machine *m, const struct tried *tried, const struct recorded *recorded)
{
    static uint32_t contents[BUFFER / 4];
    unsigned char map[128] = {0};
    uint64_t tensor = sl_buffer_address(m->tensor);
    bool replaces = !strncmp(tried->kernel, "rep_", 4);
    bool made = encode(tried, tensor, map);
    unsigned bytes, done;

    if (made == (recorded->refused != 0))
        return false;
    if (made && map_hash(map, tensor + (uint64_t)tried->at) != recorded->map)
        return false;
    if (!strcmp(tried->kernel, "encode") || (!made && !replaces))
        return true;
    bool clean = launch(m, tried, map, contents, &bytes, &done);
    if (recorded->end)
        return !clean;
    if (!clean || (recorded->done < 2 && done != recorded->done) || bytes != recorded->bytes)
        return false;
    return (replaces ? map_hash((unsigned char *)contents, tensor + (uint64_t)tried->at)
                     : hash(contents, bytes)) == recorded->contents;
}

/* The wait of the kernels ends sooner here: copies are done when they begin. */
static void shorten(char *text)
{
    for (char *at = text; (at = strstr(at, "200000")) != NULL;)
        memcpy(at, "    10", 6);
}

static void open_machine(struct machine *m)
{
    char *text = read_whole("copies.ptx");

    shorten(text);
    ck_assert_int_eq(sl_context_create("sm_90", &m->context), SL_OK);
    bool loaded = sl_module_load(m->context, SL_FORMAT_PTX, "copies.ptx", text, strlen(text),
                                 &m->module) == SL_OK;
    ck_assert_msg(loaded, "%.900s", sl_context_error(m->context));
    sl_buffer_create(m->context, BUFFER, NULL, &m->in);
    sl_buffer_create(m->context, BUFFER, NULL, &m->tensor);
    sl_buffer_create(m->context, BUFFER, NULL, &m->out);
}

START_TEST(as_recorded)
{
    struct machine m;
    struct recorded r;
    struct tried tried;
    unsigned count = 0, wrong = 0;

    open_machine(&m);
    char *cases = read_whole("cases"), *answers = read_whole("h200.txt"), *line = cases;
    int used;
    for (; *answers == '#'; answers = strchr(answers, '\n') + 1)
        ;
    for (; sscanf(answers, "%d %u %u %u %u %" SCNx64 " %" SCNx64 "\n%n", &r.id, &r.refused,
                  &r.end, &r.done, &r.bytes, &r.contents, &r.map, &used) == 7;
         answers += used) {
        for (; atoi(line) != r.id; line = strchr(line, '\n') + 1)
            ck_assert_ptr_ne(strchr(line, '\n'), NULL);
        read_case(line, &tried);
        bool good = same(&m, &tried, &r);
        count++;
        wrong += !good;
        if (!good)
            printf("case %d: %.*s\n", r.id, (int)strcspn(line, "\n"), line);
    }
    printf("%u of %u cases as recorded\n", count - wrong, count);
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_eq(wrong, 0);
    sl_buffer_destroy(m.in);
    sl_buffer_destroy(m.tensor);
    sl_buffer_destroy(m.out);
    sl_module_destroy(m.module);
    sl_context_destroy(m.context);
}
END_TEST

SUITE("copies", { TEST(as_recorded); })
