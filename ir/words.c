/* SPDX-License-Identifier: Apache-2.0
 *
 * words.c - see words.h. */
#include "ir/words.h"

#include "base/tensor_map.h"
#include "ir/matrix.h"
#include "ir/tensor.h"
#include "ir/texture.h"

const struct ir_word ir_rounding_words[] = {
    {ROUND_ZERO, "rz"},
    {ROUND_DOWN, "rm"},
    {ROUND_UP, "rp"},
    {ROUND_NEAREST_AWAY, "rna"},
    {0, NULL},
};

const struct ir_word ir_mode_words[] = {
    {MODE_FTZ, "ftz"},
    {MODE_SAT, "sat"},
    {MODE_RELU, "relu"},
    {MODE_NAN, "nan"},
    {MODE_XORSIGN_ABS, "xorsign_abs"},
    {MODE_SATFINITE, "satfinite"},
    {MODE_INTEGRAL, "integral"},
    {0, NULL},
};

const char *const ir_reference_names[] = {
    [IR_REFERENCE_TEXTURE] = "texture", [IR_REFERENCE_SAMPLER] = "sampler",
    [IR_REFERENCE_SURFACE] = "surface"};
const char *const ir_linkage_names[] = {
    [IR_LINKAGE_INTERNAL] = "internal", [IR_LINKAGE_VISIBLE] = "visible",
    [IR_LINKAGE_EXTERN] = "extern",     [IR_LINKAGE_WEAK] = "weak",
    [IR_LINKAGE_COMMON] = "common",
};

const uint16_t ir_sub_fields[] = {
    IR_MMA_SHAPE_MASK, 15 << IR_MMA_A_SHIFT, 15 << IR_MMA_B_SHIFT,
    IR_MMA_XOR, IR_MMA_A_COLUMN, IR_MMA_B_ROW, 0,
};

enum ir_sub_kind ir_sub_kind(enum ir_op op, const struct ir_word **words)
{
    static const struct ir_word reductions[] = {
        {IR_RED_AND, "and"}, {IR_RED_OR, "or"}, {IR_RED_POPC, "popc"}, {0, NULL}};
    static const struct ir_word proxies[] = {
        {IR_PROXY_ALIAS, "alias"},
        {IR_PROXY_ASYNC, "async"},
        {IR_PROXY_ASYNC_GLOBAL, "async_global"},
        {IR_PROXY_ASYNC_SHARED_CTA, "async_shared_cta"},
        {IR_PROXY_ASYNC_SHARED_CLUSTER, "async_shared_cluster"},
        {IR_PROXY_TENSORMAP, "tensormap"},
        {0, NULL}};
    static const struct ir_word mbarriers[] = {
        {IR_MBARRIER_DROP, "drop"},
        {IR_MBARRIER_NO_COMPLETE, "no_complete"},
        {IR_MBARRIER_EXPECT_TX, "expect_tx"},
        {IR_MBARRIER_PARITY, "parity"},
        {IR_MBARRIER_TRY, "try"},
        {0, NULL}};
    static const struct ir_word barriers[] = {{IR_BARRIER_ALIGNED, "aligned"}, {0, NULL}};
    static const struct ir_word copies[] = {{1, "noinc"}, {0, NULL}};
    static const struct ir_word matrices[] = {{IR_MATRIX_TRANSPOSE, "trans"}, {0, NULL}};
    static const struct ir_word fetches[] = {
        {IR_TEXTURE_1D, "line"},
        {IR_TEXTURE_2D, "plane"},
        {IR_TEXTURE_3D, "space"},
        {IR_TEXTURE_1D_LAYERED, "lines"},
        {IR_TEXTURE_2D_LAYERED, "planes"},
        {IR_TEXTURE_CUBE, "cube"},
        {IR_TEXTURE_CUBE_LAYERED, "cubes"},
        {IR_TEXTURE_LEVEL, "level"},
        {IR_TEXTURE_GRAD, "grad"},
        {IR_TEXTURE_OFFSET, "offset"},
        {IR_TEXTURE_GATHER_R, "gather_r"},
        {IR_TEXTURE_GATHER_G, "gather_g"},
        {IR_TEXTURE_GATHER_B, "gather_b"},
        {IR_TEXTURE_GATHER_A, "gather_a"},
        {0, NULL}};
    static const struct ir_word surfaces[] = {
        {IR_TEXTURE_1D, "line"},
        {IR_TEXTURE_2D, "plane"},
        {IR_TEXTURE_3D, "space"},
        {IR_TEXTURE_1D_LAYERED, "lines"},
        {IR_TEXTURE_2D_LAYERED, "planes"},
        {IR_SURFACE_TRAP, "trap"},
        {IR_SURFACE_CLAMP, "clamp"},
        {IR_SURFACE_ZERO, "zero"},
        {IR_SURFACE_FORMATTED, "formatted"},
        {IR_SURFACE_ADD, "add"},
        {IR_SURFACE_MIN, "min"},
        {IR_SURFACE_MAX, "max"},
        {IR_SURFACE_AND, "and"},
        {IR_SURFACE_OR, "or"},
        {0, NULL}};
#define QUERY(NAME, text) {IR_QUERY_##NAME, #text},
    static const struct ir_word queries[] = {IR_TEXTURE_QUERIES(QUERY){0, NULL}};
#undef QUERY
#define SHAPE(m, n, k) {IR_MMA_M##m##N##n##K##k, "m" #m "n" #n "k" #k},
#define INPUT(type, text)                                                    \
    {TENSOR_##type << IR_MMA_A_SHIFT, "a_" text},                            \
    {TENSOR_##type << IR_MMA_B_SHIFT, "b_" text}
    static const struct ir_word products[] = {
        IR_MMA_SHAPES(SHAPE)
        INPUT(F16, "f16"), INPUT(BF16, "bf16"), INPUT(TF32, "tf32"), INPUT(F64, "f64"),
        INPUT(E4M3, "e4m3"), INPUT(E5M2, "e5m2"), INPUT(S8, "s8"), INPUT(U8, "u8"),
        INPUT(S4, "s4"), INPUT(U4, "u4"), INPUT(B1, "b1"),
        {IR_MMA_XOR, "xor"}, {IR_MMA_A_COLUMN, "a_col"}, {IR_MMA_B_ROW, "b_row"},
        {0, NULL}};
#define N(n) {(n) / 8 - 1, "n" #n},
    static const struct ir_word groups[] = {
        N(16) N(24) N(32) N(40) N(48) N(56) N(64) N(72) N(80) N(88) N(96) N(104) N(112)
        N(120) N(128) N(136) N(144) N(152) N(160) N(168) N(176) N(184) N(192) N(200) N(208)
        N(216) N(224) N(232) N(240) N(248) N(256)
        INPUT(F16, "f16"), INPUT(BF16, "bf16"), INPUT(TF32, "tf32"), INPUT(E4M3, "e4m3"),
        INPUT(E5M2, "e5m2"), INPUT(S8, "s8"), INPUT(U8, "u8"), INPUT(B1, "b1"),
        {IR_WGMMA_A_REGISTERS, "a_reg"}, {IR_MMA_A_COLUMN, "a_col"}, {IR_MMA_B_ROW, "b_row"},
        {0, NULL}};
#undef N
#undef SHAPE
#undef INPUT

    static const struct ir_word bulk_ways[] = {
        {IR_BULK_LOAD, "load"}, {IR_BULK_MULTICAST, "multicast"}, {IR_BULK_CLUSTER, "cluster"},
        {IR_BULK_STORE, "store"}, {0, NULL}};
    static const struct ir_word tensors[] = {
        {IR_TENSOR_IM2COL, "im2col"}, {IR_TENSOR_MULTICAST, "multicast"},
        {IR_TENSOR_STORE, "store"},   {IR_TENSOR_PREFETCH, "prefetch"},
        {IR_TENSOR_ADD, "add"},       {IR_TENSOR_MIN, "min"},
        {IR_TENSOR_MAX, "max"},       {IR_TENSOR_INC, "inc"},
        {IR_TENSOR_DEC, "dec"},       {IR_TENSOR_AND, "and"},
        {IR_TENSOR_OR, "or"},         {IR_TENSOR_XOR, "xor"},
        {0, NULL}};
#define DIMENSIONS(field, name)                                              \
    {field, name "0"}, {field + 1, name "1"}, {field + 2, name "2"}, {field + 3, name "3"}
    static const struct ir_word map_fields[] = {
        {TENSOR_FIELD_ADDRESS, "address"}, {TENSOR_FIELD_RANK, "rank"},
        DIMENSIONS(TENSOR_FIELD_BOX, "box"), {TENSOR_FIELD_BOX + 4, "box4"},
        DIMENSIONS(TENSOR_FIELD_SIZE, "size"), {TENSOR_FIELD_SIZE + 4, "size4"},
        DIMENSIONS(TENSOR_FIELD_STRIDE, "stride"),
        DIMENSIONS(TENSOR_FIELD_STEP, "step"), {TENSOR_FIELD_STEP + 4, "step4"},
        {TENSOR_FIELD_TYPE, "type"}, {TENSOR_FIELD_INTERLEAVE, "interleave"},
        {TENSOR_FIELD_SWIZZLE, "swizzle"}, {TENSOR_FIELD_FILL, "fill"}, {0, NULL}};
#undef DIMENSIONS
    static const struct ir_word bulk_waits[] = {{IR_BULK_WAIT_READ, "read"}, {0, NULL}};

    static const struct ir_word prefetches[] = {
        {IR_PREFETCH_L2, "l2"}, {IR_PREFETCH_L1, "l1"},
        {IR_PREFETCH_L2_EVICT_LAST, "l2_evict_last"},
        {IR_PREFETCH_L2_EVICT_NORMAL, "l2_evict_normal"}, {IR_PREFETCH_UNIFORM, "uniform"},
        {IR_PREFETCH_PRIORITY, "priority"}, {IR_PREFETCH_DISCARD, "discard"},
        {IR_PREFETCH_BULK, "bulk"}, {0, NULL}};

    switch (op) {
    case IR_OP_bulk:
        return *words = bulk_ways, IR_SUB_ENUM;
    case IR_OP_tensor:
        return *words = tensors, IR_SUB_BITS;
    case IR_OP_tensormap_replace:
        return *words = map_fields, IR_SUB_ENUM;
    case IR_OP_bulk_wait:
        return *words = bulk_waits, IR_SUB_BITS;
    case IR_OP_bulk_reduce:
        return IR_SUB_OP;
    case IR_OP_wgmma:
    case IR_OP_wgmma_sp:
        return *words = groups, IR_SUB_FIELDS;
    case IR_OP_atom:
    case IR_OP_red_async:
    case IR_OP_redux:
        return IR_SUB_OP;
    case IR_OP_barrier_red:
        return *words = reductions, IR_SUB_ENUM;
    case IR_OP_fence_proxy:
        return *words = proxies, IR_SUB_ENUM;
    case IR_OP_prefetch:
        return *words = prefetches, IR_SUB_ENUM;
    case IR_OP_mbarrier_arrive:
    case IR_OP_mbarrier_test:
        return *words = mbarriers, IR_SUB_BITS;
    case IR_OP_barrier_sync:
    case IR_OP_barrier_arrive:
        return *words = barriers, IR_SUB_BITS;
    case IR_OP_cp_async_mbarrier:
        return *words = copies, IR_SUB_BITS;
    case IR_OP_ldmatrix:
    case IR_OP_stmatrix:
        return *words = matrices, IR_SUB_BITS;
    case IR_OP_mma:
    case IR_OP_mma_sp:
        return *words = products, IR_SUB_FIELDS;
    case IR_OP_tex:
        return *words = fetches, IR_SUB_BITS;
    case IR_OP_txq:
    case IR_OP_suq:
        return *words = queries, IR_SUB_ENUM;
    case IR_OP_suld:
    case IR_OP_sust:
    case IR_OP_sured:
        return *words = surfaces, IR_SUB_BITS;
    default:
        return IR_SUB_NUMBER;
    }
}

unsigned ir_address_sources(enum ir_op op)
{
    switch (op) {
    case IR_OP_ld:
    case IR_OP_st:
    case IR_OP_atom:
    case IR_OP_ldmatrix:
    case IR_OP_stmatrix:
    case IR_OP_prefetch:
    case IR_OP_tensormap_replace:
    case IR_OP_cp_async_mbarrier:
    case IR_OP_mbarrier_init:
    case IR_OP_mbarrier_inval:
    case IR_OP_mbarrier_arrive:
    case IR_OP_mbarrier_expect_tx:
    case IR_OP_mbarrier_complete_tx:
    case IR_OP_mbarrier_test:
        return 1 << 0;
    case IR_OP_cp_async:
        return 1 << 0 | 1 << 2;
    default:
        return 0;
    }
}
