/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor.c - tensor copies and tensor maps. */
#include "base/tensor_map.h"
#include "codegen/assembly.h"
#include "codegen/memory.h"
#include "ir/tensor.h"

/* [map, {coordinates}] */
static void tensor_place(struct gen *g, struct assembly *a)
{
    ir_operand numbers[8];
    unsigned rank = ir_tensor_rank(g->inst);

    for (unsigned k = 0; k < rank; k++)
        numbers[k] = gen_source(g, IR_TENSOR_COORDINATES + k);
    assembly_text(a, a->operands++ ? ", [" : " [");
    assembly_plain_value(a, gen_value(g, gen_source(g, IR_TENSOR_MAP), IR_b64));
    assembly_text(a, ",");
    a->operands = 0;
    assembly_fragment(a, numbers, rank, IR_b32);
    assembly_text(a, "]");
}

static void put_half(struct gen *g, struct assembly *a, ir_operand operand)
{
    assembly_plain_value(a, LLVMBuildTrunc(g->builder, gen_value(g, operand, IR_b32),
                                           gen_int(g, 16), ""));
}

static void tensor(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool store = inst->sub & IR_TENSOR_STORE, prefetch = inst->sub & IR_TENSOR_PREFETCH;
    bool reduces = inst->sub & IR_TENSOR_REDUCTIONS, load = !store && !prefetch;
    bool im2col = inst->sub & IR_TENSOR_IM2COL, multicast = inst->sub & IR_TENSOR_MULTICAST;
    unsigned rank = ir_tensor_rank(inst), offsets = ir_tensor_offsets(inst);
    const char *mode = !im2col ? ".tile" : store ? ".im2col_no_offs" : ".im2col";
    struct assembly a;

    if (prefetch)
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "cp.async.bulk.prefetch.tensor.%ud.L2.global%s",
                       rank, mode);
    else if (store)
        assembly_begin(&a, g, ASSEMBLY_MEMORY,
                       "cp%s.async.bulk.tensor.%ud.global.shared::cta%s%s%s.bulk_group",
                       reduces ? ".reduce" : "", rank, reduces ? "." : "",
                       reduces ? ir_ops[ir_tensor_reduction(inst->sub)].name : "", mode);
    else
        assembly_begin(&a, g, ASSEMBLY_MEMORY,
                       "cp.async.bulk.tensor.%ud.shared::cluster.global%s"
                       ".mbarrier::complete_tx::bytes%s",
                       rank, mode, multicast ? ".multicast::cluster" : "");
    if (load)
        assembly_word_address(&a, gen_source(g, IR_TENSOR_SHARED));
    tensor_place(g, &a);
    a.operands = 1;
    if (store)
        assembly_word_address(&a, gen_source(g, IR_TENSOR_SHARED));
    if (load)
        assembly_word_address(&a, gen_source(g, IR_TENSOR_BARRIER));
    for (unsigned k = 0; k < offsets; k++) {
        assembly_text(&a, k ? ", " : ", {");
        put_half(g, &a, gen_source(g, IR_TENSOR_COORDINATES + rank + k));
    }
    assembly_text(&a, offsets ? "}" : "");
    if (multicast) {
        assembly_text(&a, ", ");
        put_half(g, &a, gen_source(g, IR_TENSOR_BLOCKS));
    }
    assembly_end(&a);
}

/* tensormap.replace: fields of dimensions have an ordinal, some values are immediate. */
static void tensormap_replace(struct gen *g)
{
    static const struct {
        uint8_t first, count;
        const char *name;
        uint8_t bits; /* 0: immediate */
    } fields[] = {
        {TENSOR_FIELD_ADDRESS, 1, "global_address", 64}, {TENSOR_FIELD_RANK, 1, "rank", 32},
        {TENSOR_FIELD_BOX, 5, "box_dim", 32},            {TENSOR_FIELD_SIZE, 5, "global_dim", 32},
        {TENSOR_FIELD_STRIDE, 4, "global_stride", 64},   {TENSOR_FIELD_STEP, 5, "element_stride", 32},
        {TENSOR_FIELD_TYPE, 1, "elemtype", 0},           {TENSOR_FIELD_INTERLEAVE, 1, "interleave_layout", 0},
        {TENSOR_FIELD_SWIZZLE, 1, "swizzle_mode", 0},    {TENSOR_FIELD_FILL, 1, "fill_mode", 0}};
    const struct ir_inst *inst = g->inst;
    ir_operand value = gen_source(g, 2);
    struct assembly a;
    size_t f = 0;

    while (inst->sub >= fields[f].first + fields[f].count)
        f++;
    if (!fields[f].bits && !gen_is_constant(value)) {
        gen_refuse(g, "this field of a tensor map must be a constant");
        return;
    }
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "tensormap.replace.tile.%s%s.b1024.b%u",
                   fields[f].name,
                   inst->space == IR_SPACE_SHARED ? ".shared::cta" : memory_space(g, inst->space),
                   fields[f].bits == 64 ? 64 : 32);
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    if (fields[f].count > 1)
        assembly_immediate(&a, inst->sub - fields[f].first);
    if (!fields[f].bits)
        assembly_immediate(&a, gen_constant(g, value));
    else if (fields[f].bits == 64)
        assembly_input(&a, value, IR_b64);
    else
        assembly_value(&a, LLVMBuildTrunc(g->builder, gen_value(g, value, IR_b64),
                                          gen_int(g, 32), ""));
    assembly_end(&a);
}

static void tensormap_copy(struct gen *g)
{
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_MEMORY | ASSEMBLY_CONVERGENT,
                   "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release%s"
                   ".sync.aligned", memory_scope(g->inst->scope));
    assembly_word_address(&a, gen_source(g, 0));
    assembly_word_address(&a, gen_source(g, 1));
    assembly_immediate(&a, TENSOR_MAP_BYTES);
    assembly_end(&a);
}

void gen_tensor(struct gen *g)
{
    switch (g->inst->op) {
    case IR_OP_tensor: tensor(g); return;
    case IR_OP_tensormap_replace: tensormap_replace(g); return;
    default: tensormap_copy(g); return;
    }
}
