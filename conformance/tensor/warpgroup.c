/* SPDX-License-Identifier: Apache-2.0
 *
 * warpgroup.c - the part of a kernel that is of wgmma.
 *
 * Operands come as in kernel.c, but out of loops, since there are many: tiles go to
 * shared memory, C to the place of the results. */
#include "conformance/tensor/kernel.h"

/* Byte strides of the matrix descriptor, and the size of the tile. PTX ISA, "Matrix
 * descriptor", "Strides": of core matrices of 8 rows of 16 bytes. */
struct tile {
    unsigned leading, stride, size;
};

static struct tile tile_of(const struct variant *v, enum variant_matrix matrix)
{
    bool along_k = matrix == MATRIX_A ? !v->a_column : !v->b_row;
    unsigned lines = matrix == MATRIX_A ? v->m : v->n;
    unsigned bytes = v->sparse && matrix == MATRIX_B ? 64 : 32; /* of a line along k */

    if (!v->swizzle)
        return (struct tile){128, 8 * bytes, lines * bytes};
    if (along_k && bytes > v->swizzle)
        return (struct tile){lines * v->swizzle, 8 * v->swizzle, lines * bytes};
    if (along_k)
        return (struct tile){16, 8 * v->swizzle, lines * v->swizzle};
    unsigned blocks = (lines * 2 + v->swizzle - 1) / v->swizzle, k = bytes / 2;
    return (struct tile){k * v->swizzle, 8 * v->swizzle, blocks * k * v->swizzle};
}

static unsigned room(const struct variant *v, enum variant_matrix matrix)
{
    return (tile_of(v, matrix).size + 1023) / 1024 * 1024;
}

unsigned wgmma_bytes(const struct variant *v)
{
    unsigned bytes = 0;

    for (unsigned m = 0; m < 2; m++)
        if (in_memory(v, m))
            bytes += room(v, m);
    return bytes;
}

static void emit_descriptor(const struct variant *v, struct text *ptx, enum variant_matrix matrix,
                            unsigned at, const char *name)
{
    struct tile tile = tile_of(v, matrix);
    uint64_t mode = v->swizzle == 128 ? 1 : v->swizzle == 64 ? 2 : v->swizzle == 32 ? 3 : 0;

    text_printf(ptx,
                "add.u32 %%x, %%tile, %u; cvt.u64.u32 %%wide, %%x; shr.u64 %%wide, %%wide, 4;\n"
                "and.b64 %%wide, %%wide, 0x3fff; or.b64 %s, %%wide, 0x%llx;\n",
                at + v->offset, name,
                (unsigned long long)((uint64_t)(tile.leading >> 4) << 16 |
                                     (uint64_t)(tile.stride >> 4) << 32 | mode << 62));
}

/* Words %lane, %lane + 128 and on, `words` in all, made and stored. */
static void emit_words(struct text *ptx, const char *label, unsigned words, unsigned first_slot,
                       const char *store)
{
    text_printf(ptx, "mov.u32 %%i, %%lane;\n%s:\n", label);
    emit_word_i(ptx, first_slot);
    text_printf(ptx, "%s\nadd.u32 %%i, %%i, 128; setp.lt.u32 %%p, %%i, %u; @%%p bra %s;\n", store,
                words, label);
}

static void emit_tile(const struct variant *v, struct text *ptx, enum variant_matrix matrix,
                      unsigned at, unsigned first_slot)
{
    char store[96];

    emit_row(ptx, matrix);
    snprintf(store, sizeof store,
             "shl.b32 %%to, %%i, 2; add.u32 %%to, %%to, %%tile; st.shared.b32 [%%to+%u], %%v;", at);
    emit_words(ptx, matrix == MATRIX_A ? "fill_a" : "fill_b", tile_of(v, matrix).size / 4,
               first_slot, store);
}

static void emit_product(const struct variant *v, struct text *ptx, unsigned results)
{
    text_printf(ptx, "wgmma.mma_async%s.sync.aligned.m64n%uk%u%s.%s.%s.%s%s\n    ",
                v->sparse ? ".sp" : "", v->n, v->k, v->a == TYPE_B1 ? "" : v->modifier,
                variant_type_name(v->d), variant_type_name(v->a), variant_type_name(v->b),
                v->a == TYPE_B1 ? v->modifier : "");
    emit_list(ptx, 'd', results);
    text_puts(ptx, ", ");
    if (v->a_registers)
        emit_list(ptx, 'a', 4);
    else
        text_puts(ptx, "%da");
    text_puts(ptx, ", %db");
    if (v->sparse)
        text_printf(ptx, ", %%meta, %u", v->selector);
    text_puts(ptx, ", %p");
    if (v->a <= TYPE_E5M2)
        text_printf(ptx, ", %s, %s", v->negate_a ? "-1" : "1", v->negate_b ? "-1" : "1");
    if (v->a <= TYPE_BF16 && !v->a_registers)
        text_printf(ptx, ", %u, %u", v->a_column, v->b_row);
    else if (v->a <= TYPE_BF16)
        text_printf(ptx, ", %u", v->b_row);
    text_puts(ptx, ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n");
}

void emit_wgmma(const struct variant *v, struct text *ptx)
{
    enum { SLOT_A = 0, SLOT_B = 512, SLOT_C = 1536, SLOT_METADATA = 8192 };
    unsigned results = v->output / 512, b_at = in_memory(v, MATRIX_A) ? room(v, MATRIX_A) : 0;

    text_puts(ptx, "mad.wide.u32 %out, %lane, 4, %out;\n");
    if (v->a_registers) {
        emit_row(ptx, MATRIX_A);
        for (unsigned r = 0; r < 4; r++) {
            text_printf(ptx, "add.u32 %%i, %%lane, %u;\n", 128 * r);
            emit_word_i(ptx, SLOT_A);
            text_printf(ptx, "mov.b32 %%a%u, %%v;\n", r);
        }
    } else {
        emit_tile(v, ptx, MATRIX_A, 0, SLOT_A);
    }
    emit_tile(v, ptx, MATRIX_B, b_at, SLOT_B);
    emit_row(ptx, MATRIX_C);
    text_puts(ptx, "mov.u64 %wide, %out;\n");
    emit_words(ptx, "fill_c", 128 * results, SLOT_C,
               "st.global.b32 [%wide], %v; add.u64 %wide, %wide, 512;");
    for (unsigned r = 0; r < results; r++)
        text_printf(ptx, "ld.global.b32 %%d%u, [%%out+%u];\n", r, 512 * r);
    if (v->sparse)
        emit_metadata(v, ptx, SLOT_METADATA);
    emit_descriptor(v, ptx, MATRIX_A, 0, "%da");
    emit_descriptor(v, ptx, MATRIX_B, b_at, "%db");
    text_printf(ptx, "fence.proxy.async; bar.sync 0; setp.eq.u32 %%p, %%lane, %%lane;\n%s"
                     "wgmma.fence.sync.aligned;\n",
                v->ignore_c ? "not.pred %p, %p;\n" : "");
    emit_product(v, ptx, results);
    for (unsigned r = 0; r < results; r++)
        text_printf(ptx, "st.global.b32 [%%out+%u], %%d%u;\n", 512 * r, r);
}

/* --- where the matrices lie -------------------------------------------------------------- */

/* Shared memory holds its own addresses, in units of an element, in two parts one after the
 * other; the other matrix picks one element of each line, so that D is a map of what a
 * descriptor names. The descriptor is made of a hash, by distribution: whole patterns of the
 * swizzle; any start; any strides; both; and the same with a base offset. */
enum { LAYOUT_BYTES = 40960 };

unsigned layout_bytes(const struct variant *v)
{
    return LAYOUT_BYTES + (v->probed == MATRIX_A ? 2048 : 0);
}

static unsigned low_bits(const struct variant *v)
{
    return variant_bits(v->a) == 8 ? 8 : 10;
}

/* %v: the word at %i, part `high` of each element's address. */
static void emit_address_word(const struct variant *v, struct text *ptx, bool high)
{
    unsigned bits = variant_bits(v->a), low = low_bits(v);

    if (bits == 8) {
        if (high)
            text_puts(ptx, "shr.u32 %v, %i, 6; mul.lo.u32 %v, %v, 0x1010101;\n");
        else
            text_puts(ptx, "and.b32 %v, %i, 63; mul.lo.u32 %v, %v, 0x4040404;\n"
                           "add.u32 %v, %v, 0x03020100;\n");
        return;
    }
    text_puts(ptx, "mov.b32 %v, 0;\n");
    for (unsigned e = 0; e < 32 / bits; e++) {
        text_printf(ptx, "mad.lo.u32 %%x, %%i, %u, %u;\n", 32 / bits, e);
        text_printf(ptx, high ? "shr.u32 %%x, %%x, %u;\n" : "and.b32 %%x, %%x, %u;\n",
                    high ? low : (1u << low) - 1);
        if (bits == 32)
            text_puts(ptx, "cvt.rn.f32.u32 %v, %x;\n");
        else
            text_printf(ptx, "cvt.rn.f16.u32 %%half, %%x; mov.b32 %%x, {%%half, %%half};\n"
                             "and.b32 %%x, %%x, 0x%x; or.b32 %%v, %%v, %%x;\n",
                        e ? 0xffff0000u : 0xffffu);
    }
}

static const char *one_of(const struct variant *v)
{
    return v->a == TYPE_F16 ? "0x3c00" : v->a == TYPE_TF32 ? "0x3f800000" : "1";
}

/* A in registers: row m has a one at k = m, modulo its length. */
static void emit_picking_a(const struct variant *v, struct text *ptx)
{
    unsigned bits = variant_bits(v->a), elements = 32 / bits, k = 256 / bits;

    for (unsigned r = 0; r < 4; r++) {
        text_printf(ptx, "shr.u32 %%x, %%lane, 5; shl.b32 %%x, %%x, 4; shr.u32 %%y, %%lane, 2;\n"
                         "and.b32 %%y, %%y, 7; add.u32 %%x, %%x, %%y; add.u32 %%x, %%x, %u;\n"
                         "and.b32 %%x, %%x, %u; and.b32 %%y, %%lane, 3;\n"
                         "mad.lo.u32 %%y, %%y, %u, %u; mov.b32 %%a%u, 0;\n",
                    8 * (r & 1), k - 1, elements, 4 * elements * (r >> 1), r);
        for (unsigned e = 0; e < elements; e++)
            text_printf(ptx, "add.u32 %%z, %%y, %u; setp.eq.u32 %%p, %%z, %%x;\n"
                             "selp.b32 %%z, %s, 0, %%p; shl.b32 %%z, %%z, %u;\n"
                             "or.b32 %%a%u, %%a%u, %%z;\n",
                        e, one_of(v), e * bits % 32, r, r);
    }
    /* The first two places of a group, then the last two, as the rows go on. */
    if (bits == 32)
        text_puts(ptx, "mov.b32 %meta, 0xeeee4444;\n");
    else
        text_printf(ptx, "and.b32 %%x, %%lane, %u; setp.ne.u32 %%p, %%x, 0;\n"
                         "selp.b32 %%meta, 0xeeeeeeee, 0x44444444, %%p;\n",
                    bits == 16 ? 32 : 64);
}

/* B behind A: column n has a one at k = n. */
static void emit_picking_b(const struct variant *v, struct text *ptx)
{
    unsigned bits = variant_bits(v->a), bytes = bits / 8;

    text_printf(ptx, "shl.b32 %%x, %%lane, 2; add.u32 %%to, %%tile, %%x; mov.b32 %%v, 0;\n");
    for (unsigned w = 0; w < v->n * 8; w += 128)
        text_printf(ptx, "st.shared.b32 [%%to+%u], %%v;\n", LAYOUT_BYTES + 4 * w);
    /* 16 bytes of line n in the core matrix of half k * bytes / 16. */
    text_printf(ptx, "bar.sync 0; setp.lt.u32 %%p, %%lane, %u; mov.b32 %%v, %s;\n"
                     "shr.u32 %%x, %%lane, 3; shl.b32 %%x, %%x, 8; and.b32 %%y, %%lane, 7;\n"
                     "shl.b32 %%y, %%y, 4; add.u32 %%x, %%x, %%y; mul.lo.u32 %%y, %%lane, %u;\n"
                     "shr.u32 %%z, %%y, 4; shl.b32 %%z, %%z, 7; add.u32 %%x, %%x, %%z;\n"
                     "and.b32 %%y, %%y, 15; add.u32 %%x, %%x, %%y; add.u32 %%to, %%tile, %%x;\n"
                     "@%%p st.shared.b%u [%%to+%u], %%v;\n",
                v->n, one_of(v), bytes, bits, LAYOUT_BYTES);
}

/* %wide: the descriptor of what is probed. */
static void emit_probed(const struct variant *v, struct text *ptx)
{
    uint64_t mode = v->swizzle == 128 ? 1 : v->swizzle == 64 ? 2 : v->swizzle == 32 ? 3 : 0;

    /* The order of the distributions: the most general ones first. */
    text_puts(ptx, "mov.u32 %i, %ctaid.y; mov.u32 %x, %key; shl.b32 %i, %i, 2;\n"
                   "mov.u32 %z, 0x65421073; shr.u32 %i, %z, %i;\n"
                   "mul.lo.u32 %h, %x, 0x9e3779b1; shr.u32 %y, %h, 15; xor.b32 %h, %h, %y;\n"
                   "mul.lo.u32 %h, %h, 0x85ebca6b; shr.u32 %y, %h, 13; xor.b32 %h, %h, %y;\n"
                   "mul.lo.u32 %h, %h, 0xc2b2ae35; shr.u32 %y, %h, 16; xor.b32 %h, %h, %y;\n"
                   /* start: bits 0..5 of the hash; strides: 6..13, 14..21; base: 22..24 */
                   "and.b32 %x, %h, 63; and.b32 %y, %i, 1; setp.eq.u32 %p, %y, 0;\n"
                   "@%p mov.b32 %x, 0; shr.u32 %y, %tile, 4; add.u32 %x, %x, %y;\n"
                   "cvt.u64.u32 %wide, %x;\n"
                   "and.b32 %y, %i, 2; setp.eq.u32 %p, %y, 0; selp.b32 %v, 0xf8, 0xff, %p;\n"
                   "shr.u32 %x, %h, 6; and.b32 %x, %x, %v; cvt.u64.u32 %da, %x;\n"
                   "shl.b64 %da, %da, 16; or.b64 %wide, %wide, %da;\n"
                   "shr.u32 %x, %h, 14; and.b32 %x, %x, %v; cvt.u64.u32 %da, %x;\n"
                   "shl.b64 %da, %da, 32; or.b64 %wide, %wide, %da;\n"
                   "and.b32 %y, %i, 4; setp.eq.u32 %p, %y, 0; shr.u32 %x, %h, 22;\n"
                   "and.b32 %x, %x, 7; @%p mov.b32 %x, 0; cvt.u64.u32 %da, %x;\n"
                   "shl.b64 %da, %da, 49; or.b64 %wide, %wide, %da;\n");
    text_printf(ptx, "or.b64 %%wide, %%wide, 0x%llx;\n", (unsigned long long)(mode << 62));
}

static void emit_pass(const struct variant *v, struct text *ptx, bool high)
{
    unsigned results = v->n / 2;

    text_printf(ptx, "mov.u32 %%i, %%lane;\nfill%d:\n", high);
    emit_address_word(v, ptx, high);
    text_printf(ptx, "shl.b32 %%to, %%i, 2; add.u32 %%to, %%to, %%tile; st.shared.b32 [%%to], %%v;\n"
                     "add.u32 %%i, %%i, 128; setp.lt.u32 %%p, %%i, %u; @%%p bra fill%d;\n"
                     "fence.proxy.async; bar.sync 0; setp.ne.u32 %%p, %%lane, %%lane;\n"
                     "wgmma.fence.sync.aligned;\n",
                LAYOUT_BYTES / 4, high);
    emit_product(v, ptx, results);
    for (unsigned r = 0; r < results; r++) {
        text_printf(ptx, v->d == TYPE_S32 ? "mov.b32 %%x, %%d%u;\n" : "cvt.rzi.u32.f32 %%x, %%d%u;\n",
                    r);
        if (high)
            text_printf(ptx, "shl.b32 %%x, %%x, %u; or.b32 %%e%u, %%e%u, %%x;\n"
                             "mul.lo.u32 %%e%u, %%e%u, %u;\n",
                        low_bits(v), r, r, r, r, variant_bits(v->a) / 8);
        else
            text_printf(ptx, "mov.b32 %%e%u, %%x;\n", r);
    }
    text_puts(ptx, "bar.sync 0;\n");
}

void emit_layout(const struct variant *v, struct text *ptx)
{
    text_puts(ptx, ".reg .b16 %half; .reg .b32 %e<16>;\n");
    if (v->probed == MATRIX_A)
        emit_picking_b(v, ptx);
    else
        emit_picking_a(v, ptx);
    emit_probed(v, ptx);
    if (v->probed == MATRIX_B)
        text_puts(ptx, "mov.b64 %db, %wide;\n");
    else
        text_printf(ptx, "mov.b64 %%da, %%wide; add.u32 %%x, %%tile, %u; shr.u32 %%x, %%x, 4;\n"
                         "cvt.u64.u32 %%db, %%x; or.b64 %%db, %%db, 0x%llx;\n",
                    LAYOUT_BYTES, 16ull << 32 | 8ull << 16);
    emit_pass(v, ptx, false);
    emit_pass(v, ptx, true);
    text_puts(ptx, "mad.wide.u32 %out, %lane, 4, %out;\n");
    for (unsigned r = 0; r < v->n / 2; r++)
        text_printf(ptx, "st.global.b32 [%%out+%u], %%e%u;\n", 512 * r, r);
}
