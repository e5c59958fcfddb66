/* SPDX-License-Identifier: Apache-2.0
 *
 * kernel.c - the PTX of a variant's kernel.
 *
 * A word of an operand is made of a hash of the warp, the distribution and the
 * word's number:
 *     w = hash & keep | set         the bits that vary, the bits that stand
 *     w = prmt(w, select) ^ flip    halves repeated, the second one changed
 * Numbers that differ in the bits `pair` alone have the same hash, and the one
 * with the bit set gets w ^ pair_flip: such terms of a sum nearly cancel. One
 * word in special_rate + 1 becomes w & special_keep | special_set (infinities);
 * one in zero_rate + 1 becomes zero. f64: the word is the high one, the low one
 * is another hash & low. */
#include "conformance/tensor/kernel.h"

#include <string.h>

const char *const variant_distributions[DISTRIBUTIONS] = {
    "normal", "tiny results", "cancelling", "subnormal", "special", "uniform", "same exponent",
    "small"};
enum { NORMAL, TINY, CANCELLING, SUBNORMAL, SPECIAL, UNIFORM, SAME, SMALL };

/* --- distributions ---------------------------------------------------------------------- */

static uint32_t repeated(uint32_t element, unsigned bits)
{
    uint32_t word = element;

    for (; bits < 32; bits *= 2)
        word |= word << bits;
    return word;
}

struct format {
    unsigned bits, fraction;
    uint32_t exponents; /* the field, at the bottom */
};

/* f64: of the high word. */
static struct format format_of(enum variant_type type)
{
    switch (type) {
    case TYPE_F16: return (struct format){16, 10, 0x1f};
    case TYPE_BF16: return (struct format){16, 7, 0xff};
    case TYPE_E4M3: return (struct format){8, 3, 0xf};
    case TYPE_E5M2: return (struct format){8, 2, 0x1f};
    case TYPE_F64: return (struct format){32, 20, 0x7ff};
    default: return (struct format){32, 23, 0xff}; /* f32 and tf32 */
    }
}

static struct variant_row float_row(enum variant_type type, enum variant_type input,
                                    enum variant_matrix matrix, unsigned distribution)
{
    struct format f = format_of(type);
    uint32_t sign = UINT32_C(1) << (f.bits - 1), fraction = (UINT32_C(1) << f.fraction) - 1;
    uint32_t bias = f.exponents >> 1, base, vary = fraction | sign;
    struct variant_row row = {.keep = UINT32_MAX, .select = 0x3210, .low = UINT32_MAX,
                              .special_keep = UINT32_MAX, .special_rate = UINT32_MAX,
                              .zero_rate = UINT32_MAX};
    bool sum = matrix == MATRIX_C;

    switch (distribution) {
    case UNIFORM:
        return row;
    case SAME:
        base = bias;
        break;
    case CANCELLING:
        base = sum && f.exponents >= 0xff ? bias & ~UINT32_C(31) : bias & ~UINT32_C(3);
        vary |= (sum && f.exponents >= 0xff ? 31u : 3u) << f.fraction;
        break;
    case SUBNORMAL:
        base = 0;
        if (sum && type == TYPE_F32 && input != TYPE_BF16 && input != TYPE_TF32) {
            base = input == TYPE_E4M3 ? 96 : 64; /* about where the products are */
            vary |= 31u << f.fraction;
        } else if (sum && type == TYPE_F32) {
            vary |= 31u << f.fraction;
        } else if (matrix == MATRIX_B) {
            vary |= (f.exponents & ~UINT32_C(1)) << f.fraction;
        } else {
            vary |= 1u << f.fraction;
        }
        break;
    case TINY: /* about the smallest that the result can hold; half of the sums alone */
        base = f.exponents < 0xff ? 0 : sum ? 0 : f.exponents / 4 & ~UINT32_C(15);
        vary |= (f.exponents < 0xff ? 3u : 15u) << f.fraction;
        row.zero_rate = sum ? 1 : UINT32_MAX;
        break;
    case SMALL:
        base = (bias - 1) & ~UINT32_C(1);
        vary = sign | 1u << f.fraction | 1u << (f.fraction - 1);
        row.zero_rate = 3;
        row.low = 0;
        break;
    default: /* NORMAL, SPECIAL */
        base = sum && f.exponents >= 0xff ? bias & ~UINT32_C(15) : bias & ~UINT32_C(7);
        vary |= (sum && f.exponents >= 0xff ? 15u : 7u) << f.fraction;
        break;
    }
    row.keep = repeated(vary, f.bits);
    row.set = repeated(base << f.fraction, f.bits);
    if (distribution == SPECIAL) {
        /* The lowest element: an infinity (e4m3: NaN); f64 of A: NaN with a payload. */
        row.special_rate = 31;
        row.zero_rate = 15;
        row.special_keep = ~(sign | fraction | f.exponents << f.fraction) | sign;
        row.special_set = f.exponents << f.fraction;
        if (type == TYPE_E4M3)
            row.special_set |= fraction;
        if (type == TYPE_F64 && matrix == MATRIX_B)
            row.low = 0;
        else if (type == TYPE_F64)
            row.special_keep |= fraction;
    }
    return row;
}

static struct variant_row integer_row(enum variant_type type, unsigned distribution)
{
    static const uint32_t bytes[DISTRIBUTIONS][2] = {
        [NORMAL] = {0x8f, 0}, [TINY] = {0x81, 0}, [CANCELLING] = {0xff, 0},
        [SUBNORMAL] = {0x01, 0x7e}, [SPECIAL] = {0x80, 0x7f}, [UNIFORM] = {0xff, 0},
        [SAME] = {0x3f, 0x40}, [SMALL] = {0x07, 0}};
    static const uint32_t nibbles[DISTRIBUTIONS][2] = {
        [NORMAL] = {0xb, 0}, [TINY] = {0x9, 0}, [CANCELLING] = {0xf, 0}, [SUBNORMAL] = {0x1, 0x6},
        [SPECIAL] = {0x8, 0x7}, [UNIFORM] = {0xf, 0}, [SAME] = {0x3, 0x4}, [SMALL] = {0x3, 0}};
    static const uint32_t sums[DISTRIBUTIONS][2] = {
        [NORMAL] = {0xfff, 0}, [TINY] = {1, 0}, [CANCELLING] = {0, 0},
        [SUBNORMAL] = {0x3fff, 0x80000000}, [SPECIAL] = {0x80000000, 0x7fffffff},
        [UNIFORM] = {UINT32_MAX, 0}, [SAME] = {0x80003fff, 0x7fffc000}, [SMALL] = {0xff, 0xffffff00}};
    static const uint32_t words[DISTRIBUTIONS][2] = {
        [NORMAL] = {0x0f0f0f0f, 0}, [TINY] = {3, 0}, [CANCELLING] = {UINT32_MAX, 0},
        [SUBNORMAL] = {1, 0}, [SPECIAL] = {0x80000000, 0x7fffffff}, [UNIFORM] = {UINT32_MAX, 0},
        [SAME] = {0x11111111, 0x88888888}, [SMALL] = {0x7f, 0xffffff00}};
    const uint32_t *pair = type == TYPE_S32  ? sums[distribution]
                           : type == TYPE_B1 ? words[distribution]
                           : type == TYPE_S4 || type == TYPE_U4 ? nibbles[distribution]
                                                                : bytes[distribution];
    unsigned bits = type == TYPE_B1 ? 32 : variant_bits(type);

    return (struct variant_row){
        .keep = repeated(pair[0], bits), .set = repeated(pair[1], bits), .select = 0x3210,
        .special_keep = UINT32_MAX, .special_rate = UINT32_MAX,
        .zero_rate = distribution == SMALL ? 1 : UINT32_MAX};
}

/* Words of one line of the matrix in memory (wmma), and whether k runs along it. */
static unsigned words_of_line(const struct variant *v, enum variant_matrix matrix, bool *along)
{
    bool other = matrix == MATRIX_A ? v->a_column : v->b_row;
    unsigned bits = variant_bits(v->a), k = v->sparse && matrix == MATRIX_A ? v->k / 2 : v->k;
    unsigned elements = !other ? k : matrix == MATRIX_A ? v->m : v->n;

    *along = !other;
    return bits == 64 ? elements : elements * bits / 32;
}

/* Terms that cancel: A changes its sign from one element along k to the next, B
 * only its last bit, or nothing where it has few. */
static void make_pairs(const struct variant *v, enum variant_matrix matrix,
                       struct variant_row *row)
{
    enum variant_type type = matrix == MATRIX_A ? v->a : v->b;
    unsigned bits = variant_bits(type);
    bool along = true, quads = v->kind == VARIANT_MMA && v->m == 8 && type == TYPE_F16;
    unsigned line = 1;

    if (quads)
        along = matrix == MATRIX_A ? !v->a_column : !v->b_row;
    else if (in_memory(v, matrix))
        line = words_of_line(v, matrix, &along);
    bool within = along && bits < 32 && (quads || in_memory(v, matrix));
    unsigned element = bits == 64 ? 32 : bits < 4 ? 32 : bits;
    bool integer = type >= TYPE_S8 && type <= TYPE_B1;
    uint32_t flip = repeated(integer                ? matrix == MATRIX_A ? UINT32_MAX : 0
                             : matrix == MATRIX_A ? UINT32_C(1) << (element - 1)
                                                  : 1, integer ? 32 : element);
    if (within && bits >= 8) {
        row->select = 0x1010;
        row->flip = flip & 0xffff0000;
    } else {
        row->pair = along ? 1 : line;
        row->pair_flip = flip;
    }
}

struct variant_row variant_row(const struct variant *v, enum variant_matrix matrix,
                               unsigned distribution)
{
    enum variant_type type = matrix == MATRIX_A ? v->a : matrix == MATRIX_B ? v->b : v->c;
    bool integer = type == TYPE_S32 || (type >= TYPE_S8 && type <= TYPE_B1);
    struct variant_row row = integer ? integer_row(type, distribution)
                                     : float_row(type, v->a, matrix, distribution);

    if (distribution == CANCELLING && matrix != MATRIX_C)
        make_pairs(v, matrix, &row);
    return row;
}

/* --- operands ---------------------------------------------------------------------------- */

static const char letters[] = "abc";

static void emit_table(const struct variant *v, struct text *ptx)
{
    text_puts(ptx, ".const .align 16 .b32 rows[] = {\n");
    for (unsigned d = 0; d < DISTRIBUTIONS; d++)
        for (unsigned m = 0; m < 3; m++) {
            struct variant_row row = variant_row(v, m, d);
            uint32_t words[sizeof row / 4];
            memcpy(words, &row, sizeof row);
            for (size_t i = 0; i < sizeof row / 4; i++)
                text_printf(ptx, "0x%x%s", words[i],
                            d == DISTRIBUTIONS - 1 && m == 2 && i == sizeof row / 4 - 1 ? "};\n"
                                                                                        : ",");
            text_puts(ptx, "\n");
        }
}

/* The row of matrix m into %m0..%m10. */
void emit_row(struct text *ptx, unsigned m)
{
    for (unsigned i = 0; i < 3; i++)
        text_printf(ptx, "ld.const.v4.b32 {%%m%u, %%m%u, %%m%u, %%m%u}, [%%rows+%u];\n", 4 * i,
                    4 * i + 1, 4 * i + 2, 4 * i + 3, (unsigned)(m * sizeof(struct variant_row)) +
                                                         16 * i);
}

/* %h: hash of %x. */
static void emit_hash(struct text *ptx)
{
    text_puts(ptx, "mul.lo.u32 %h, %x, 0x9e3779b1; shr.u32 %y, %h, 15; xor.b32 %h, %h, %y;\n"
                   "mul.lo.u32 %h, %h, 0x85ebca6b; shr.u32 %y, %h, 13; xor.b32 %h, %h, %y;\n"
                   "mul.lo.u32 %h, %h, 0xc2b2ae35; shr.u32 %y, %h, 16; xor.b32 %h, %h, %y;\n");
}

/* The same for word number `slot` * 32 + lane. */
static void emit_word(struct text *ptx, unsigned slot, unsigned first_slot)
{
    text_printf(ptx, "add.u32 %%i, %%lane, %u;\n", 32 * (slot - first_slot));
    emit_word_i(ptx, first_slot);
}

void emit_word_i(struct text *ptx, unsigned first_slot)
{
    text_printf(ptx, "not.b32 %%y, %%m4; and.b32 %%x, %%i, %%y; add.u32 %%x, %%x, %u;\n"
                     "add.u32 %%x, %%x, %%key;\n", 32 * first_slot);
    emit_hash(ptx);
    text_puts(ptx, "and.b32 %v, %h, %m0; or.b32 %v, %v, %m1;\n"
                   "prmt.b32 %v, %v, %v, %m2; xor.b32 %v, %v, %m3;\n"
                   "and.b32 %y, %i, %m4; setp.ne.u32 %p, %y, 0; @%p xor.b32 %v, %v, %m5;\n"
                   "mul.lo.u32 %z, %h, 0x27d4eb2f; mad.lo.u32 %z, %y, 0x165667b1, %z;\n"
                   "shr.u32 %y, %z, 16; xor.b32 %z, %z, %y;\n"
                   "and.b32 %y, %z, %m8; setp.eq.u32 %p, %y, 0;\n"
                   "@%p and.b32 %v, %v, %m6; @%p or.b32 %v, %v, %m7;\n"
                   "mul.lo.u32 %z, %z, 0x9e3779b1; shr.u32 %y, %z, 15; xor.b32 %z, %z, %y;\n"
                   "and.b32 %y, %z, %m9; setp.eq.u32 %p, %y, 0; @%p mov.b32 %v, 0;\n"
                   "mul.lo.u32 %z, %z, 0x85ebca6b; and.b32 %z, %z, %m10;\n");
}

/* --- mma and mma.sp ------------------------------------------------------------------------ */

static bool wide(const struct variant *v)
{
    return v->a == TYPE_F64;
}

static unsigned registers(const struct variant *v, enum variant_matrix matrix)
{
    unsigned width = wide(v) ? 64 : 32;
    unsigned elements = matrix == MATRIX_A ? v->m * v->k : matrix == MATRIX_B ? v->k * v->n
                                                                              : v->m * v->n;
    enum variant_type type = matrix == MATRIX_A ? v->a : matrix == MATRIX_B ? v->b : v->c;

    if (v->kind == VARIANT_SPARSE && matrix == MATRIX_A)
        elements /= 2;
    if (v->kind == VARIANT_MMA && v->a == TYPE_F16 && v->m == 8)
        elements *= matrix == MATRIX_C ? 4 : 4;
    return elements * variant_bits(type) / width / 32;
}

static unsigned result_registers(const struct variant *v)
{
    return v->output / 32 / (wide(v) ? 8 : 4);
}

void emit_list(struct text *ptx, char letter, unsigned count)
{
    text_puts(ptx, "{");
    for (unsigned i = 0; i < count; i++)
        text_printf(ptx, "%s%%%c%u", i ? ", " : "", letter, i);
    text_puts(ptx, "}");
}

/* Metadata: eight groups of four bits, each a pair of places in ascending order;
 * tf32: one place of two. PTX ISA, "Sparse matrix storage". */
void emit_metadata(const struct variant *v, struct text *ptx, unsigned slot)
{
    text_printf(ptx, "add.u32 %%i, %%lane, %u; add.u32 %%x, %%i, %%key;\n", 32 * slot);
    emit_hash(ptx);
    text_puts(ptx, "mov.b32 %meta, 0;\n");
    for (unsigned i = 0; i < 8; i++)
        text_printf(ptx, "shr.u32 %%y, %%h, %u; and.b32 %%y, %%y, 7; shl.b32 %%y, %%y, 2;\n"
                         "mov.b32 %%z, 0x%x; shr.u32 %%z, %%z, %%y; and.b32 %%z, %%z, 15;\n"
                         "shl.b32 %%z, %%z, %u; or.b32 %%meta, %%meta, %%z;\n",
                    3 * i, v->a == TYPE_TF32 ? 0x4ee4e4e4 : 0xe4ed9c84, 4 * i);
}

static void emit_mma(const struct variant *v, struct text *ptx)
{
    unsigned slot = 0, size = wide(v) ? 8 : 4, results = result_registers(v);
    bool popc = v->a == TYPE_B1;

    for (unsigned m = 0; m < 3; m++) {
        unsigned first = slot;
        emit_row(ptx, m);
        for (unsigned r = 0; r < registers(v, m); r++, slot++) {
            emit_word(ptx, slot, first);
            if (wide(v))
                text_printf(ptx, "mov.b64 %%%c%u, {%%z, %%v};\n", letters[m], r);
            else
                text_printf(ptx, "mov.b32 %%%c%u, %%v;\n", letters[m], r);
        }
    }
    if (v->kind == VARIANT_SPARSE)
        emit_metadata(v, ptx, slot);
    text_printf(ptx, "mma%s.sync.aligned.m%un%uk%u.%s.%s%s.%s.%s.%s.%s%s\n    ",
                v->kind != VARIANT_SPARSE ? "" : v->ordered ? ".sp::ordered_metadata" : ".sp",
                v->m, v->n, v->k, v->a_column ? "col" : "row", v->b_row ? "row" : "col",
                popc ? "" : v->modifier, variant_type_name(v->d), variant_type_name(v->a),
                variant_type_name(v->b), variant_type_name(v->c), popc ? v->modifier : "");
    emit_list(ptx, 'd', results);
    for (unsigned m = 0; m < 3; m++) {
        text_puts(ptx, ", ");
        emit_list(ptx, letters[m], registers(v, m));
    }
    if (v->kind == VARIANT_SPARSE)
        text_printf(ptx, ", %%meta, 0x%x", v->selector);
    text_puts(ptx, ";\n");
    text_printf(ptx, "mad.wide.u32 %%out, %%lane, %u, %%out;\n", size);
    for (unsigned r = 0; r < results; r++)
        text_printf(ptx, "st.global.b%u [%%out+%u], %%d%u;\n", 8 * size, 32 * size * r, r);
}

/* --- wmma ---------------------------------------------------------------------------------- */

static unsigned matrix_bytes(const struct variant *v, enum variant_matrix matrix)
{
    switch (matrix) {
    case MATRIX_A: return v->m * v->k * variant_bits(v->a) / 8;
    case MATRIX_B: return v->k * v->n * variant_bits(v->b) / 8;
    default: return v->m * v->n * variant_bits(v->c) / 8;
    }
}

/* Elements from one line of the matrix to the next. */
static unsigned stride(const struct variant *v, enum variant_matrix matrix)
{
    switch (matrix) {
    case MATRIX_A: return v->a_column ? v->m : v->k;
    case MATRIX_B: return v->b_row ? v->n : v->k;
    default: return v->c_column ? v->m : v->n;
    }
}

static const char *layout(const struct variant *v, enum variant_matrix matrix)
{
    bool row = matrix == MATRIX_A ? !v->a_column : matrix == MATRIX_B ? v->b_row : !v->c_column;

    return row ? "row" : "col";
}

static unsigned fragment_registers(const struct variant *v, enum variant_matrix matrix)
{
    if (v->a == TYPE_F16 && matrix != MATRIX_C)
        return 8; /* PTX ISA, "Matrix Fragments for WMMA" */
    return matrix_bytes(v, matrix) / 32 / (wide(v) ? 8 : 4);
}

static void emit_wmma(const struct variant *v, struct text *ptx)
{
    const enum variant_type types[] = {v->a, v->b, v->c};
    unsigned slot = 0, at = 0, size = wide(v) ? 8 : 4, place[3];
    bool popc = v->a == TYPE_B1;

    for (unsigned m = 0; m < 3; m++) {
        unsigned first = slot, words = matrix_bytes(v, m) / size;
        place[m] = at;
        emit_row(ptx, m);
        text_printf(ptx, "mad.lo.u32 %%to, %%lane, %u, %%tile;\n", size);
        for (unsigned w = 0; w < words; w += 32, slot++) {
            emit_word(ptx, slot, first);
            if (wide(v))
                text_printf(ptx, "mov.b64 %%wide, {%%z, %%v}; st.shared.b64 [%%to+%u], %%wide;\n",
                            at + 8 * w);
            else
                text_printf(ptx, "st.shared.b32 [%%to+%u], %%v;\n", at + 4 * w);
        }
        at += matrix_bytes(v, m);
    }
    text_puts(ptx, "bar.warp.sync -1;\n");
    for (unsigned m = 0; m < 3; m++) {
        text_printf(ptx, "wmma.load.%c.sync.aligned.%s.m%un%uk%u.shared.%s ", letters[m],
                    layout(v, m), v->m, v->n, v->k, variant_type_name(types[m]));
        emit_list(ptx, letters[m], fragment_registers(v, m));
        text_printf(ptx, ", [%%tile+%u], %u;\n", place[m], stride(v, m));
    }
    text_printf(ptx, "wmma.mma%s.sync.aligned.%s.%s.m%un%uk%u", popc ? v->modifier : "",
                layout(v, MATRIX_A), layout(v, MATRIX_B), v->m, v->n, v->k);
    if (wide(v))
        text_puts(ptx, v->modifier);
    text_printf(ptx, ".%s", variant_type_name(v->d));
    if (v->a != TYPE_F16)
        text_printf(ptx, ".%s.%s", variant_type_name(v->a), variant_type_name(v->b));
    text_printf(ptx, ".%s%s\n    ", variant_type_name(v->c),
                wide(v) || popc ? "" : v->modifier);
    unsigned results = v->output / 32 / size;
    emit_list(ptx, 'd', results);
    for (unsigned m = 0; m < 3; m++) {
        text_puts(ptx, ", ");
        emit_list(ptx, letters[m], fragment_registers(v, m));
    }
    text_printf(ptx, ";\nwmma.store.d.sync.aligned.%s.m%un%uk%u.global.%s [%%out], ",
                layout(v, MATRIX_C), v->m, v->n, v->k, variant_type_name(v->d));
    emit_list(ptx, 'd', results);
    text_printf(ptx, ", %u;\n", stride(v, MATRIX_C));
}

/* --- the whole kernel ------------------------------------------------------------------------ */

void variant_ptx(const struct variant *v, struct text *ptx)
{
    unsigned shift = v->unit == 128 ? 7 : 5, bytes = 0;

    if (v->kind == VARIANT_WMMA)
        bytes = matrix_bytes(v, MATRIX_A) + matrix_bytes(v, MATRIX_B) + matrix_bytes(v, MATRIX_C);
    bool old = v->kind == VARIANT_WMMA && v->a == TYPE_F16 && *v->modifier;
    text_printf(ptx, ".version %s\n.target %s\n.address_size 64\n", old ? "6.4" : "8.7",
                old ? "sm_70" : v->unit == 128 ? "sm_90a" : "sm_90");
    emit_table(v, ptx);
    text_printf(ptx,
                ".visible .entry %s(.param .u64 out, .param .u32 first)\n{\n"
                ".reg .pred %%p;\n.reg .b32 %%lane, %%i, %%h, %%v, %%x, %%y, %%z, %%key, %%meta;\n"
                ".reg .b32 %%unit, %%to, %%tile, %%m<12>;\n"
                ".reg .b64 %%out, %%rows, %%wide, %%da, %%db;\n"
                ".reg .b%u %%a<10>, %%b<10>, %%c<10>, %%d<130>;\n",
                v->name, wide(v) ? 64 : 32);
    if (v->kind == VARIANT_WGMMA)
        bytes = wgmma_bytes(v);
    if (v->kind == VARIANT_LAYOUT)
        bytes = layout_bytes(v);
    if (v->kind == VARIANT_MOVE)
        bytes = MOVEMENT_BYTES;
    if (bytes)
        text_printf(ptx, ".shared .align 1024 .b8 tiles[%u];\n",
                    v->unit == 128 ? bytes : 4 * bytes);
    text_printf(ptx, "ld.param.u64 %%out, [out]; ld.param.u32 %%key, [first];\n"
                     "mov.u32 %%x, %%tid.x; and.b32 %%lane, %%x, %u; shr.u32 %%unit, %%x, %u;\n",
                v->unit - 1, shift);
    if (bytes)
        text_printf(ptx, "mov.u32 %%tile, tiles; mad.lo.u32 %%tile, %%unit, %u, %%tile;\n", bytes);
    text_printf(ptx,
                "mov.u32 %%y, %%ntid.x; shr.u32 %%y, %%y, %u; mov.u32 %%x, %%ctaid.x;\n"
                "mad.lo.u32 %%unit, %%x, %%y, %%unit; mov.u32 %%x, %%nctaid.x; mul.lo.u32 %%y, %%y, %%x;\n"
                "mov.u32 %%x, %%ctaid.y; mad.lo.u32 %%i, %%x, %%y, %%unit;\n"
                "mad.wide.u32 %%out, %%i, %u, %%out;\n"
                "mov.u64 %%rows, rows; mad.wide.u32 %%rows, %%x, %u, %%rows;\n"
                "add.u32 %%unit, %%unit, %%key; mad.lo.u32 %%key, %%x, 0x3c6ef372, 0x%x;\n"
                "shl.b32 %%unit, %%unit, %u; add.u32 %%key, %%key, %%unit;\n",
                shift, v->output, (unsigned)(3 * sizeof(struct variant_row)),
                (unsigned)(v->m * 0x1234567 + v->k * 0x89abcd + 17 * v->a + 5 * v->b +
                           v->selector),
                v->unit == 128 ? 16 : 11);
    switch (v->kind) {
    case VARIANT_WMMA:
        emit_wmma(v, ptx);
        break;
    case VARIANT_WGMMA:
        emit_wgmma(v, ptx);
        break;
    case VARIANT_LAYOUT:
        emit_layout(v, ptx);
        break;
    case VARIANT_MOVE:
        emit_movement(v, ptx);
        break;
    default:
        emit_mma(v, ptx);
        break;
    }
    text_puts(ptx, "ret;\n}\n");
}
