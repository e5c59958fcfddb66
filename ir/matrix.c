/* SPDX-License-Identifier: Apache-2.0
 *
 * matrix.c - see matrix.h. */
#include "ir/matrix.h"

static const struct {
    uint16_t m, n, k;
} shapes[] = {
    {0, 0, 0},
#define X(m, n, k) {m, n, k},
    IR_MMA_SHAPES(X)
#undef X
};

#define SHAPE(m, n, k) (1u << IR_MMA_M##m##N##n##K##k)

/* The shapes of each type of A. PTX ISA, "Matrix Multiply-Accumulate Operation
 * using mma instruction"; the sizes of fragments follow from the shape. */
static unsigned shapes_of(enum tensor_type a)
{
    switch (a) {
    case TENSOR_F16: return SHAPE(8, 8, 4) | SHAPE(16, 8, 8) | SHAPE(16, 8, 16);
    case TENSOR_BF16: return SHAPE(16, 8, 8) | SHAPE(16, 8, 16);
    case TENSOR_TF32: return SHAPE(16, 8, 4) | SHAPE(16, 8, 8);
    case TENSOR_F64:
        return SHAPE(8, 8, 4) | SHAPE(16, 8, 4) | SHAPE(16, 8, 8) | SHAPE(16, 8, 16);
    case TENSOR_E4M3:
    case TENSOR_E5M2: return SHAPE(16, 8, 16) | SHAPE(16, 8, 32);
    case TENSOR_S8:
    case TENSOR_U8: return SHAPE(8, 8, 16) | SHAPE(16, 8, 16) | SHAPE(16, 8, 32);
    case TENSOR_S4:
    case TENSOR_U4: return SHAPE(8, 8, 32) | SHAPE(16, 8, 32) | SHAPE(16, 8, 64);
    case TENSOR_B1: return SHAPE(8, 8, 128) | SHAPE(16, 8, 128) | SHAPE(16, 8, 256);
    default: return 0;
    }
}

/* The accumulator types of each type of A. */
static bool accumulates(enum tensor_type a, enum ir_type type)
{
    switch (a) {
    case TENSOR_F16:
    case TENSOR_E4M3:
    case TENSOR_E5M2: return type == IR_f32 || type == IR_f16x2;
    case TENSOR_BF16:
    case TENSOR_TF32: return type == IR_f32;
    case TENSOR_F64: return type == IR_f64;
    default: return type == IR_s32;
    }
}

static enum tensor_type accumulator(enum ir_type type)
{
    return type == IR_f16x2 ? TENSOR_F16
           : type == IR_f32 ? TENSOR_F32
           : type == IR_f64 ? TENSOR_F64
                            : TENSOR_S32;
}

/* Types that may stand together as A and B. */
static bool alike(enum tensor_type a, enum tensor_type b)
{
    switch (a) {
    case TENSOR_E4M3:
    case TENSOR_E5M2: return b == TENSOR_E4M3 || b == TENSOR_E5M2;
    case TENSOR_S8:
    case TENSOR_U8: return b == TENSOR_S8 || b == TENSOR_U8;
    case TENSOR_S4:
    case TENSOR_U4: return b == TENSOR_S4 || b == TENSOR_U4;
    default: return a == b;
    }
}

bool ir_mma_read(unsigned sub, enum ir_type type, enum ir_type type2, struct ir_mma *mma)
{
    unsigned shape = sub & IR_MMA_SHAPE_MASK;
    enum tensor_type a = sub >> IR_MMA_A_SHIFT & 15, b = sub >> IR_MMA_B_SHIFT & 15;

    if (shape >= IR_MMA_SHAPE_COUNT || a >= TENSOR_INPUTS || b >= TENSOR_INPUTS ||
        !(shapes_of(a) >> shape & 1) || !alike(a, b) || !accumulates(a, type) ||
        !accumulates(a, type2))
        return false;
    bool quads = shape == IR_MMA_M8N8K4 && a == TENSOR_F16;
    if ((sub & IR_MMA_XOR && a != TENSOR_B1) ||
        (sub & (IR_MMA_A_COLUMN | IR_MMA_B_ROW) && !quads) ||
        (type != type2 && a != TENSOR_F16))
        return false;
    unsigned bits = tensor_type_bits(a), width = bits == 64 ? 64 : 32;
    unsigned m = shapes[shape].m, n = shapes[shape].n, k = shapes[shape].k;
    *mma = (struct ir_mma){
        .m = m, .n = n, .k = bits == 1 ? k / 32 : k,
        .a = a, .b = b, .c = accumulator(type2), .d = accumulator(type),
        .a_registers = quads ? 2 : m * k * bits / width / 32,
        .b_registers = quads ? 2 : k * n * bits / width / 32,
        .a_elements = bits == 1 ? 1 : width / bits,
        .c_elements = type2 == IR_f16x2 ? 2 : 1,
        .d_elements = type == IR_f16x2 ? 2 : 1,
        .parts = quads ? 4 : 1,
        .exclusive = sub & IR_MMA_XOR,
        .a_column = sub & IR_MMA_A_COLUMN,
        .b_row = sub & IR_MMA_B_ROW,
    };
    unsigned elements = mma->parts * m * n / 32;
    mma->c_registers = elements / mma->c_elements;
    mma->d_registers = elements / mma->d_elements;
    return true;
}

/* PTX ISA, "Matrix multiply-accumulate operation using mma.sp instruction". */
static unsigned sparse_shapes_of(enum tensor_type a)
{
    switch (a) {
    case TENSOR_F16:
    case TENSOR_BF16: return SHAPE(16, 8, 16) | SHAPE(16, 8, 32);
    case TENSOR_TF32: return SHAPE(16, 8, 8) | SHAPE(16, 8, 16);
    case TENSOR_E4M3:
    case TENSOR_E5M2: return SHAPE(16, 8, 64);
    case TENSOR_S8:
    case TENSOR_U8: return SHAPE(16, 8, 32) | SHAPE(16, 8, 64);
    case TENSOR_S4:
    case TENSOR_U4: return SHAPE(16, 8, 64) | SHAPE(16, 8, 128);
    default: return 0;
    }
}

bool ir_mma_sp_read(unsigned sub, enum ir_type type, enum ir_type type2, struct ir_mma *mma)
{
    unsigned shape = sub & IR_MMA_SHAPE_MASK;
    enum tensor_type a = sub >> IR_MMA_A_SHIFT & 15, b = sub >> IR_MMA_B_SHIFT & 15;

    if (shape >= IR_MMA_SHAPE_COUNT || a >= TENSOR_INPUTS || b >= TENSOR_INPUTS ||
        !(sparse_shapes_of(a) >> shape & 1) || !alike(a, b) || !accumulates(a, type) ||
        type != type2 || sub & (IR_MMA_XOR | IR_MMA_A_COLUMN | IR_MMA_B_ROW))
        return false;
    unsigned bits = tensor_type_bits(a), k = shapes[shape].k;

    if ((a == TENSOR_E4M3 || a == TENSOR_E5M2) && type != IR_f32)
        return false;
    *mma = (struct ir_mma){
        .m = 16, .n = 8, .k = k / 2, .sparse = k,
        .a = a, .b = b, .c = accumulator(type2), .d = accumulator(type),
        .a_registers = 16 * k / 2 * bits / 32 / 32,
        .b_registers = 8 * k * bits / 32 / 32,
        .a_elements = 32 / bits,
        .c_elements = type2 == IR_f16x2 ? 2 : 1,
        .d_elements = type == IR_f16x2 ? 2 : 1,
        .parts = 1,
    };
    mma->c_registers = 4 / mma->c_elements;
    mma->d_registers = 4 / mma->d_elements;
    /* Four bits for each group, 32 in a lane. */
    unsigned group = bits == 32 ? 2 : bits == 4 ? 8 : 4, words = 2 * (k / group) / 8;
    mma->selectors = 4 / words;
    return true;
}

/* PTX ISA, "Sparse matrix storage" and "Matrix fragments for sparse mma": a group of
 * four elements of A's row holds two, at the places that two bits each tell; of
 * eight elements narrower than a byte, pairs; of two tf32, one. Of the lanes of row g
 * those from words * selector on hold the groups' bits. Elements of 16 bits and
 * more: the lower half of a word for row g, the upper for g + 8; narrower ones: every
 * second word is for row g + 8. */
void ir_mma_sp_rows(enum tensor_type a, unsigned selectors, unsigned selector, unsigned k,
                    const uint32_t metadata[32], uint8_t from[16][64])
{
    unsigned bits = tensor_type_bits(a), words = 4 / selectors;
    unsigned in_group = bits == 32 ? 1 : bits == 4 ? 4 : 2;

    for (unsigned row = 0; row < 16; row++)
        for (unsigned group = 0; group < k / in_group; group++) {
            unsigned lane = 4 * (row & 7) + words * selector, shift;
            if (bits >= 16) {
                lane += group / 4;
                shift = 4 * (group % 4) + 16 * (row >> 3);
            } else {
                lane += (row >> 3) + 2 * (group / 8);
                shift = 4 * (group % 8);
            }
            unsigned index = metadata[lane & 31] >> shift & 15;
            uint8_t *to = from[row] + in_group * group;
            if (bits == 32) {
                to[0] = (uint8_t)(2 * group + (index >> 1 & 1));
                continue;
            }
            for (unsigned i = 0; i < 2; i++) {
                unsigned place = index >> 2 * i & 3;
                if (bits == 4) {
                    to[2 * i] = (uint8_t)(8 * group + 2 * place);
                    to[2 * i + 1] = (uint8_t)(to[2 * i] + 1);
                } else {
                    to[i] = (uint8_t)(4 * group + place);
                }
            }
        }
}

/* PTX ISA, "wgmma.mma_async", "wgmma.mma_async.sp", and what ptxas accepts. */
bool ir_wgmma_read(enum ir_op op, unsigned sub, enum ir_type type, struct ir_wgmma *wgmma)
{
    enum tensor_type a = sub >> IR_MMA_A_SHIFT & 15, b = sub >> IR_MMA_B_SHIFT & 15;
    unsigned bits = a < TENSOR_INPUTS ? tensor_type_bits(a) : 0;
    unsigned n = 8 * ((sub & IR_MMA_SHAPE_MASK) + 1);
    bool columns = sub & (IR_MMA_A_COLUMN | IR_MMA_B_ROW), sparse = op == IR_OP_wgmma_sp;

    if (!bits || bits == 4 || bits == 64 || b >= TENSOR_INPUTS || !alike(a, b) ||
        !accumulates(a, type) || (columns && bits != 16) || (sparse && bits == 1) ||
        (type == IR_s32 && n > 32 && n % 16) ||
        (sub & IR_MMA_A_COLUMN && sub & IR_WGMMA_A_REGISTERS))
        return false;
    *wgmma = (struct ir_wgmma){
        .n = n, .k = bits == 1 ? 8 : 256 / bits,
        .a = a, .b = b, .d = accumulator(type),
        .d_elements = type == IR_f16x2 ? 2 : 1,
        .a_in_registers = sub & IR_WGMMA_A_REGISTERS,
        .a_column = sub & IR_MMA_A_COLUMN,
        .b_row = sub & IR_MMA_B_ROW,
        .sparse = sparse ? 512 / bits : 0,
        .selectors = !sparse ? 0 : bits == 8 ? 1 : 2,
    };
    wgmma->d_registers = wgmma->n / 2 / wgmma->d_elements;
    return true;
}

unsigned ir_wgmma_sources(const struct ir_wgmma *wgmma)
{
    return wgmma->d_registers + (wgmma->a_in_registers ? 4 : 1) + (wgmma->sparse ? 6 : 4);
}

/* m8n8k4 f16: four products, each by lanes 4q..4q+3 and the four 16 above. PTX
 * ISA, "Matrix Fragments for mma.m8n8k4 with .f16 floating point type". */
static struct ir_mma_place quad_place(const struct ir_mma *mma, enum ir_mma_matrix matrix,
                                      unsigned lane, unsigned i, bool paired)
{
    unsigned part = lane >> 2 & 3, upper = lane >> 4, t = lane & 3;
    struct ir_mma_place place = {.part = (uint8_t)part};
    bool along = matrix == IR_MMA_A ? !mma->a_column : mma->b_row;
    unsigned row = t + 4 * upper, column = i;

    switch (matrix) {
    case IR_MMA_A: /* .row: a lane has one row; .col: one column */
        if (!along) {
            row = i + 4 * upper;
            column = t;
        }
        break;
    case IR_MMA_B:
        row = along ? t : i;
        column = along ? i + 4 * upper : t + 4 * upper;
        break;
    default:
        if (!paired) {
            row = (lane & 1) + (i & 2) + 4 * upper;
            column = (i & 4) + (lane & 2) + (i & 1);
        }
        break;
    }
    place.row = (uint8_t)row;
    place.column = (uint8_t)column;
    return place;
}

struct ir_mma_place ir_mma_place(const struct ir_mma *mma, enum ir_mma_matrix matrix,
                                 unsigned lane, unsigned reg, unsigned element)
{
    unsigned group = lane >> 2, t = lane & 3, row, column;
    unsigned elements = matrix == IR_MMA_C   ? mma->c_elements
                        : matrix == IR_MMA_D ? mma->d_elements
                                             : mma->a_elements;

    if (mma->parts > 1)
        return quad_place(mma, matrix, lane, reg * elements + element, elements == 2);
    switch (matrix) {
    case IR_MMA_A: {
        /* Registers go down the rows first, where there are 16. */
        unsigned lower = mma->m == 16 ? reg & 1 : 0, step = mma->m == 16 ? reg >> 1 : reg;
        row = group + 8 * lower;
        column = elements * t + element + 4 * elements * step;
        break;
    }
    case IR_MMA_B:
        row = elements * t + element + 4 * elements * reg;
        column = group;
        break;
    default:
        if (elements == 2) {
            row = group + 8 * reg;
            column = 2 * t + element;
        } else {
            row = group + 8 * (reg >> 1);
            column = 2 * t + (reg & 1);
        }
        break;
    }
    return (struct ir_mma_place){0, (uint8_t)row, (uint8_t)column};
}
