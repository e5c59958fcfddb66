/* SPDX-License-Identifier: Apache-2.0
 *
 * variant.c - the list of variants (PTX ISA, "mma", "mma.sp", "wmma.mma"). */
#include "conformance/tensor/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bits;
} types[] = {
    [TYPE_F16] = {"f16", 16}, [TYPE_BF16] = {"bf16", 16}, [TYPE_TF32] = {"tf32", 32},
    [TYPE_E4M3] = {"e4m3", 8}, [TYPE_E5M2] = {"e5m2", 8}, [TYPE_S8] = {"s8", 8},
    [TYPE_U8] = {"u8", 8}, [TYPE_S4] = {"s4", 4}, [TYPE_U4] = {"u4", 4},
    [TYPE_B1] = {"b1", 1}, [TYPE_F64] = {"f64", 64}, [TYPE_F32] = {"f32", 32},
    [TYPE_S32] = {"s32", 32},
};

unsigned variant_bits(enum variant_type type)
{
    return types[type].bits;
}

const char *variant_type_name(enum variant_type type)
{
    return types[type].name;
}

struct list {
    struct variant *items;
    size_t count, capacity;
};

/* The name says everything that tells the variant from others. */
static void name(struct variant *v)
{
    static const char *const kinds[] = {"mma", "wmma", "mma_sp", "", "wgmma", "layout"};
    char modifier[24] = "", place[64] = "";

    for (size_t i = 0; v->modifier[i]; i++)
        modifier[i] = v->modifier[i] == '.' ? '_' : v->modifier[i];
    if (v->kind == VARIANT_MOVE) {
        snprintf(v->name, sizeof v->name, "%s_x%u%s%s", v->modifier, v->n,
                 v->a_column ? "_trans" : "", v->generic ? "_generic" : "");
        return;
    }
    if (v->kind == VARIANT_SPARSE)
        snprintf(place, sizeof place, "%s_at%u", v->ordered ? "_ordered" : "", v->selector);
    if (v->kind == VARIANT_WGMMA)
        snprintf(place, sizeof place, "_%s_swizzle%u%s%s%s%s%s%s", v->a_registers ? "reg" : "mem",
                 v->swizzle, v->offset ? v->offset == 64 ? "_at64" : "_at32" : "",
                 v->negate_a ? "_nega" : "", v->negate_b ? "_negb" : "", v->ignore_c ? "_noc" : "",
                 v->selector ? "_sel1" : "", v->sparse ? "_sp" : "");
    if (v->kind == VARIANT_LAYOUT)
        snprintf(place, sizeof place, "_of_%s_swizzle%u%s", v->probed == MATRIX_A ? "a" : "b",
                 v->swizzle, v->sparse ? "_sp" : "");
    snprintf(v->name, sizeof v->name, "%s_m%un%uk%u_%s_%s_%s_%s_%s_%s%s%s%s", kinds[v->kind],
             v->m, v->n, v->k, v->a_column ? "col" : "row", v->b_row ? "row" : "col",
             types[v->d].name, types[v->a].name, types[v->b].name, types[v->c].name,
             v->c_column ? "_ccol" : "", modifier, place);
}

static void add(struct list *list, struct variant v)
{
    if (!v.modifier)
        v.modifier = "";
    v.unit = v.kind >= VARIANT_WGMMA ? 128 : 32;
    v.output = v.m * v.n * types[v.d].bits / 8;
    if (v.kind == VARIANT_MOVE)
        v.output = !strcmp(v.modifier, "stmatrix") ? 512 : 128 * v.n;
    if (v.kind == VARIANT_MMA && v.a == TYPE_F16 && v.m == 8)
        v.output *= 4; /* four products */
    name(&v);
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 64;
        list->items = realloc(list->items, list->capacity * sizeof *list->items);
        if (!list->items)
            abort();
    }
    list->items[list->count++] = v;
}

struct shape {
    unsigned m, n, k;
};

#define FOR_EACH(item, array)                                                    \
    for (size_t item = 0; item < sizeof(array) / sizeof *(array); item++)

static const enum variant_type bytes[] = {TYPE_S8, TYPE_U8}, nibbles[] = {TYPE_S4, TYPE_U4},
                               fp8[] = {TYPE_E4M3, TYPE_E5M2};
static const char *const clamps[] = {"", ".satfinite"};
static const char *const roundings[] = {"", ".rn", ".rz", ".rm", ".rp"};
static const char *const popcs[] = {".xor.popc", ".and.popc"};
/* Accumulators of f16 products: d, c. */
static const enum variant_type sums[][2] = {
    {TYPE_F32, TYPE_F32}, {TYPE_F16, TYPE_F16}, {TYPE_F32, TYPE_F16}, {TYPE_F16, TYPE_F32}};

static void list_integers(struct list *list, struct variant v,
                          const enum variant_type pair[2])
{
    v.c = v.d = TYPE_S32;
    for (unsigned i = 0; i < 8; i++) {
        v.a = pair[i & 1];
        v.b = pair[i >> 1 & 1];
        v.modifier = clamps[i >> 2];
        add(list, v);
    }
}

static void list_mma(struct list *list)
{
    static const unsigned halves[] = {16, 8};
    static const struct shape byte_shapes[] = {{16, 8, 32}, {16, 8, 16}, {8, 8, 16}};
    static const struct shape nibble_shapes[] = {{16, 8, 64}, {16, 8, 32}, {8, 8, 32}};
    static const struct shape bit_shapes[] = {{16, 8, 256}, {16, 8, 128}, {8, 8, 128}};
    static const struct shape double_shapes[] = {{16, 8, 16}, {16, 8, 8}, {16, 8, 4}, {8, 8, 4}};

    FOR_EACH (s, halves) {
        struct variant v = {.m = 16, .n = 8, .k = halves[s], .a = TYPE_F16, .b = TYPE_F16};
        for (unsigned i = 0; i < 2; i++) {
            v.d = sums[i][0];
            v.c = sums[i][1];
            add(list, v);
        }
        v.a = v.b = TYPE_BF16;
        v.c = v.d = TYPE_F32;
        add(list, v);
        v.a = v.b = TYPE_TF32;
        v.k /= 2;
        add(list, v);
        v.k *= 4;
        for (unsigned i = 0; i < 8; i++) {
            v.a = fp8[i & 1];
            v.b = fp8[i >> 1 & 1];
            v.c = v.d = i >> 2 ? TYPE_F16 : TYPE_F32;
            add(list, v);
        }
    }
    for (unsigned i = 0; i < 12; i++)
        add(list, (struct variant){.m = 8, .n = 8, .k = 4, .a = TYPE_F16, .b = TYPE_F16,
                                   .d = sums[i >> 2][0], .c = sums[i >> 2][1],
                                   .a_column = i & 1, .b_row = i >> 1 & 1});
    FOR_EACH (s, double_shapes)
        FOR_EACH (r, roundings)
            add(list, (struct variant){.m = double_shapes[s].m, .n = 8, .k = double_shapes[s].k,
                                       .a = TYPE_F64, .b = TYPE_F64, .c = TYPE_F64, .d = TYPE_F64,
                                       .modifier = roundings[r]});
    FOR_EACH (s, byte_shapes)
        list_integers(list, (struct variant){.m = byte_shapes[s].m, .n = 8, .k = byte_shapes[s].k},
                      bytes);
    FOR_EACH (s, nibble_shapes)
        list_integers(list, (struct variant){.m = nibble_shapes[s].m, .n = 8,
                                             .k = nibble_shapes[s].k}, nibbles);
    FOR_EACH (s, bit_shapes)
        FOR_EACH (p, popcs)
            add(list, (struct variant){.m = bit_shapes[s].m, .n = 8, .k = bit_shapes[s].k,
                                       .a = TYPE_B1, .b = TYPE_B1, .c = TYPE_S32, .d = TYPE_S32,
                                       .modifier = popcs[p]});
}

/* All four layouts of A and B; C lies by columns in every second one. */
static void add_layouts(struct list *list, struct variant v)
{
    for (unsigned i = 0; i < 4; i++) {
        v.a_column = i & 1;
        v.b_row = i >> 1;
        v.c_column = (i ^ i >> 1 ^ (v.d == TYPE_F32)) & 1;
        add(list, v);
    }
}

static void list_wmma(struct list *list)
{
    static const struct shape shapes[] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};

    FOR_EACH (s, shapes) {
        struct variant v = {.kind = VARIANT_WMMA, .m = shapes[s].m, .n = shapes[s].n, .k = 16,
                            .a = TYPE_F16, .b = TYPE_F16};
        FOR_EACH (i, sums) {
            v.d = sums[i][0];
            v.c = sums[i][1];
            add_layouts(list, v);
        }
        v.modifier = clamps[1]; /* which PTX has up to version 6.4 */
        FOR_EACH (i, sums) {
            v.d = sums[i][0];
            v.c = sums[i][1];
            add_layouts(list, v);
        }
        v.modifier = clamps[0];
        v.a = v.b = TYPE_BF16;
        v.c = v.d = TYPE_F32;
        add_layouts(list, v);
        v.c = v.d = TYPE_S32;
        FOR_EACH (i, bytes)
            FOR_EACH (c, clamps) {
                v.a = v.b = bytes[i];
                v.modifier = clamps[c];
                add_layouts(list, v);
            }
    }
    add_layouts(list, (struct variant){.kind = VARIANT_WMMA, .m = 16, .n = 16, .k = 8,
                                       .a = TYPE_TF32, .b = TYPE_TF32, .c = TYPE_F32,
                                       .d = TYPE_F32});
    FOR_EACH (r, roundings)
        add_layouts(list, (struct variant){.kind = VARIANT_WMMA, .m = 8, .n = 8, .k = 4,
                                           .a = TYPE_F64, .b = TYPE_F64, .c = TYPE_F64,
                                           .d = TYPE_F64, .modifier = roundings[r]});
    for (unsigned i = 0; i < 4; i++)
        add(list, (struct variant){.kind = VARIANT_WMMA, .m = 8, .n = 8, .k = 32,
                                   .a = nibbles[i & 1], .b = nibbles[i & 1], .c = TYPE_S32,
                                   .d = TYPE_S32, .c_column = i & 1, .modifier = clamps[i >> 1]});
    FOR_EACH (p, popcs)
        add(list, (struct variant){.kind = VARIANT_WMMA, .m = 8, .n = 8, .k = 128, .a = TYPE_B1,
                                   .b = TYPE_B1, .c = TYPE_S32, .d = TYPE_S32, .c_column = p,
                                   .modifier = popcs[p]});
}

/* Selectors by the lanes that give metadata: PTX ISA, "mma.sp", sparsity selector. */
static void add_sparse(struct list *list, struct variant v, unsigned selectors)
{
    v.kind = VARIANT_SPARSE;
    v.m = 16;
    v.n = 8;
    for (unsigned i = 0; i < 2 * selectors; i++) {
        v.ordered = i & 1;
        v.selector = i >> 1;
        add(list, v);
    }
}

static void list_sparse(struct list *list)
{
    for (unsigned i = 0; i < 2; i++) {
        struct variant v = {.k = i ? 16 : 32, .a = TYPE_F16, .b = TYPE_F16, .c = TYPE_F32,
                            .d = TYPE_F32};
        add_sparse(list, v, i ? 4 : 2);
        v.c = v.d = TYPE_F16;
        add_sparse(list, v, i ? 4 : 2);
        v.a = v.b = TYPE_BF16;
        v.c = v.d = TYPE_F32;
        add_sparse(list, v, i ? 4 : 2);
        v.a = v.b = TYPE_TF32;
        v.k /= 2;
        add_sparse(list, v, i ? 4 : 2);
    }
    for (unsigned i = 0; i < 4; i++)
        add_sparse(list, (struct variant){.k = 64, .a = fp8[i & 1], .b = fp8[i >> 1],
                                          .c = TYPE_F32, .d = TYPE_F32}, 1);
    for (unsigned i = 0; i < 16; i++) {
        const enum variant_type *pair = i >> 3 ? nibbles : bytes;
        for (unsigned half = 0; half < 2; half++)
            add_sparse(list, (struct variant){.k = (i >> 3 ? 128 : 64) >> half, .a = pair[i & 1],
                                              .b = pair[i >> 1 & 1], .c = TYPE_S32, .d = TYPE_S32,
                                              .modifier = clamps[i >> 2 & 1]}, half ? 2 : 1);
    }
}

static void list_moves(struct list *list)
{
    for (unsigned i = 0; i < 24; i++)
        add(list, (struct variant){.kind = VARIANT_MOVE, .modifier = i & 1 ? "stmatrix" : "ldmatrix",
                                   .m = 8, .n = 1u << (i >> 1) % 3, .a_column = i / 6 & 1,
                                   .generic = i / 12, .a = TYPE_U8, .b = TYPE_U8, .c = TYPE_S32,
                                   .d = TYPE_S32});
    add(list, (struct variant){.kind = VARIANT_MOVE, .modifier = "movmatrix", .m = 8, .n = 1,
                               .a_column = true, .a = TYPE_U8, .b = TYPE_U8, .c = TYPE_S32,
                               .d = TYPE_S32});
}

/* The types that wgmma has, with k. */
static unsigned list_group_types(struct variant all[24], bool sparse)
{
    unsigned count = 0;

    for (unsigned i = 0; i < 2; i++)
        all[count++] = (struct variant){.k = 16, .a = TYPE_F16, .b = TYPE_F16,
                                        .c = sums[i][1], .d = sums[i][0]};
    all[count++] = (struct variant){.k = 16, .a = TYPE_BF16, .b = TYPE_BF16, .c = TYPE_F32,
                                    .d = TYPE_F32};
    all[count++] = (struct variant){.k = 8, .a = TYPE_TF32, .b = TYPE_TF32, .c = TYPE_F32,
                                    .d = TYPE_F32};
    for (unsigned i = 0; i < 8; i++)
        all[count++] = (struct variant){.k = 32, .a = fp8[i & 1], .b = fp8[i >> 1 & 1],
                                        .c = sums[i >> 2][1], .d = sums[i >> 2][0]};
    for (unsigned i = 0; i < 8; i++)
        all[count++] = (struct variant){.k = 32, .a = bytes[i & 1], .b = bytes[i >> 1 & 1],
                                        .c = TYPE_S32, .d = TYPE_S32,
                                        .modifier = clamps[i >> 2]};
    if (!sparse)
        all[count++] = (struct variant){.k = 256, .a = TYPE_B1, .b = TYPE_B1, .c = TYPE_S32,
                                        .d = TYPE_S32, .modifier = popcs[1]};
    for (unsigned i = 0; i < count; i++) {
        all[i].kind = VARIANT_WGMMA;
        all[i].m = 64;
        all[i].sparse = sparse;
        all[i].k <<= sparse;
    }
    return count;
}

/* Of the bits of `choice`: signs, directions, swizzle, selector; those that there are. */
static struct variant chosen(struct variant v, unsigned choice)
{
    static const unsigned swizzles[] = {128, 64, 32, 0};

    if (v.a <= TYPE_E5M2) {
        v.negate_a = choice & 1;
        v.negate_b = choice >> 1 & 1;
    }
    if (v.a <= TYPE_BF16) {
        v.b_row = choice >> 2 & 1;
        v.a_column = choice >> 3 & 1 && !v.a_registers;
    }
    v.swizzle = swizzles[choice >> 4 & 3];
    if (v.sparse && v.a <= TYPE_TF32)
        v.selector = choice >> 6 & 1;
    v.ignore_c = choice >> 7 & 1;
    return v;
}

static bool listed(const struct list *list, size_t first, struct variant v)
{
    if (!v.modifier)
        v.modifier = "";
    name(&v);
    for (size_t i = first; i < list->count; i++)
        if (!strcmp(list->items[i].name, v.name))
            return true;
    return false;
}

/* Every N of every type, A in memory and in registers, with one choice of the rest for each,
 * so that all choices come; and all choices with N of 24. */
static void list_wgmma(struct list *list, bool sparse)
{
    struct variant all[24];
    unsigned count = list_group_types(all, sparse);

    for (unsigned i = 0; i < 2 * count; i++) {
        struct variant v = all[i / 2];
        v.a_registers = i & 1;
        for (unsigned n = 8; n <= 256; n += 8) {
            if (n == 24 || (v.d == TYPE_S32 && n > 32 && n % 16))
                continue;
            v.n = n;
            unsigned index = n / 8 + i, choice = index & 15;
            choice |= (index >> 1 & 3) << 4 | (n / 8 & 1) << 6 | (n % 56 == 8) << 7;
            struct variant c = chosen(v, choice);
            c.offset = c.swizzle == 128 && !c.a_column && !c.b_row ? 32 * (n / 8 % 3) : 0;
            if (sparse && c.offset == 64 && !c.a_registers)
                c.offset = 0;
            add(list, c);
        }
        v.n = 24;
        size_t first = list->count;
        for (unsigned choice = 0; choice < 128; choice++) {
            struct variant c = chosen(v, choice | (choice * 5 & 64) << 1);
            if (!listed(list, first, c))
                add(list, c);
        }
    }
}

/* Descriptors of A and B with every swizzle and direction. */
static void list_layouts(struct list *list)
{
    static const enum variant_type types_probed[] = {TYPE_F16, TYPE_TF32, TYPE_U8};

    for (unsigned i = 0; i < 3 * 4 * 2 * 3; i++) {
        enum variant_type type = types_probed[i % 3];
        unsigned swizzle = i / 3 % 4, other = i / 12 % 2, which = i / 24, k = 256 / types[type].bits;
        struct variant v = {.kind = VARIANT_LAYOUT, .m = 64, .k = k, .a = type, .b = type,
                            .c = type == TYPE_U8 ? TYPE_S32 : TYPE_F32,
                            .d = type == TYPE_U8 ? TYPE_S32 : TYPE_F32,
                            .swizzle = swizzle ? 16u << swizzle : 0};
        if (other && type != TYPE_F16)
            continue;
        v.probed = which == 2 ? MATRIX_A : MATRIX_B;
        v.sparse = which == 1;
        v.k <<= v.sparse;
        v.a_registers = v.probed == MATRIX_B;
        v.n = v.probed == MATRIX_A ? k : 32;
        v.a_column = other && v.probed == MATRIX_A;
        v.b_row = other && v.probed == MATRIX_B;
        add(list, v);
    }
}

struct variant *variants(size_t *count)
{
    struct list list = {0};

    list_mma(&list);
    list_wmma(&list);
    list_sparse(&list);
    list_moves(&list);
    list_wgmma(&list, false);
    list_wgmma(&list, true);
    list_layouts(&list);
    *count = list.count;
    return list.items;
}
