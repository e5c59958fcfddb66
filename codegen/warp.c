/* SPDX-License-Identifier: Apache-2.0
 *
 * warp.c - lanes of a warp together: shuffles, votes, matrices. */
#include <string.h>

#include "codegen/assembly.h"
#include "codegen/memory.h"
#include "codegen/warp.h"
#include "ir/matrix.h"

enum { TOGETHER = ASSEMBLY_EFFECT | ASSEMBLY_CONVERGENT };

static void shuffle(struct gen *g, const char *how)
{
    struct assembly a;

    assembly_begin(&a, g, TOGETHER, "shfl.sync.%s.b32", how);
    assembly_pair(&a, gen_destination(g, 0), gen_destination(g, 1), false);
    for (unsigned i = 0; i < 4; i++)
        assembly_input(&a, gen_source(g, i), IR_b32);
    assembly_end(&a);
}

static void vote(struct gen *g, const char *how, enum ir_type type)
{
    struct assembly a;

    assembly_begin(&a, g, TOGETHER, "vote.sync.%s.%s", how, ir_types[type].name);
    assembly_output(&a, gen_destination(g, 0), type);
    assembly_input(&a, gen_source(g, 0), IR_pred);
    assembly_input(&a, gen_source(g, 1), IR_b32);
    assembly_end(&a);
}

static void match(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool all = inst->op == IR_OP_match_all;
    enum ir_type type = ir_types[inst->type].bits == 64 ? IR_b64 : IR_b32;
    struct assembly a;

    assembly_begin(&a, g, TOGETHER, "match.%s.sync.%s", all ? "all" : "any",
                   ir_types[type].name);
    assembly_pair(&a, gen_destination(g, 0), all ? gen_destination(g, 1) : 0, false);
    assembly_input(&a, gen_source(g, 0), type);
    assembly_input(&a, gen_source(g, 1), IR_b32);
    assembly_end(&a);
}

static void reduce(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    bool logic = inst->sub == IR_OP_and || inst->sub == IR_OP_or || inst->sub == IR_OP_xor;
    bool arithmetic =
        inst->sub == IR_OP_add || inst->sub == IR_OP_min || inst->sub == IR_OP_max;
    bool number = ir_types[inst->type].kind == IR_KIND_U || ir_types[inst->type].kind == IR_KIND_S;
    struct assembly a;

    if (inst->mode || !(logic || (arithmetic && number))) {
        gen_refuse(g, "PTX has no reduction of %s by %s in a warp", ir_types[inst->type].name,
                   ir_ops[inst->sub].name);
        return;
    }
    assembly_begin(&a, g, TOGETHER, "redux.sync.%s.%s", ir_ops[inst->sub].name,
                   logic ? "b32" : ir_types[inst->type].name);
    assembly_output(&a, gen_destination(g, 0), IR_b32);
    assembly_input(&a, gen_source(g, 0), IR_b32);
    assembly_input(&a, gen_source(g, 1), IR_b32);
    assembly_end(&a);
}

static void elect(struct gen *g)
{
    struct assembly a;

    assembly_begin(&a, g, TOGETHER, "elect.sync");
    assembly_pair(&a, gen_destination(g, 0), gen_destination(g, 1), true);
    assembly_input(&a, gen_source(g, 0), IR_b32);
    assembly_end(&a);
}

/* --- matrices ------------------------------------------------------------- */

const char *warp_tensor_name(enum tensor_type type)
{
    static const char *const names[] = {
        [TENSOR_F16] = "f16", [TENSOR_BF16] = "bf16", [TENSOR_TF32] = "tf32",
        [TENSOR_E4M3] = "e4m3", [TENSOR_E5M2] = "e5m2", [TENSOR_S8] = "s8",
        [TENSOR_U8] = "u8", [TENSOR_S4] = "s4", [TENSOR_U4] = "u4", [TENSOR_B1] = "b1",
        [TENSOR_F64] = "f64", [TENSOR_F32] = "f32", [TENSOR_S32] = "s32"};

    return names[type];
}

/* PTX requires all lanes there, which is all that its .aligned forms can say. */
bool warp_is_whole(struct gen *g, ir_operand mask)
{
    if (gen_is_constant(mask) && (uint32_t)gen_constant(g, mask) == UINT32_MAX)
        return true;
    gen_refuse(g, "'%s' of a part of the warp cannot be written", ir_ops[g->inst->op].name);
    return false;
}

/* A value that one instruction makes of another. */
static LLVMValueRef converted(struct gen *g, const char *opcode, LLVMValueRef value,
                              unsigned bits)
{
    LLVMTypeRef from = LLVMTypeOf(value), type = LLVMFunctionType(gen_int(g, bits), &from, 1, 0);
    const char *text = arena_printf(g->arena, "%s $0, $1;", opcode);
    char constraints[] = "=r,h";

    if (bits == 16)
        memcpy(constraints, "=h,r", sizeof constraints);
    LLVMValueRef code = LLVMGetInlineAsm(type, (char *)text, strlen(text), constraints,
                                         sizeof constraints - 1, 0, 0,
                                         LLVMInlineAsmDialectATT, 0);
    need_instruction(&g->need, opcode, g->at);
    return LLVMBuildCall2(g->builder, type, code, &value, 1, "");
}

/* One half of a register as f32, exactly. */
static LLVMValueRef widened(struct gen *g, LLVMValueRef pair, unsigned half)
{
    LLVMValueRef bits = LLVMBuildLShr(g->builder, pair, gen_number(g, 32, 16 * half), "");

    return converted(g, "cvt.f32.f16", LLVMBuildTrunc(g->builder, bits, gen_int(g, 16), ""), 32);
}

/* wmma sums in f32 what starts in f16; mma has no such form. Each pair of C becomes two
 * registers of the same elements. */
static void widened_start(struct assembly *a, struct gen *g, const ir_operand *c, unsigned count)
{
    LLVMValueRef values[16];

    for (unsigned i = 0; i < 2 * count; i++)
        values[i] = widened(g, gen_value(g, c[i / 2], IR_b32), i & 1);
    assembly_text(a, ", {");
    for (unsigned i = 0; i < 2 * count; i++) {
        assembly_text(a, i ? ", " : "");
        assembly_plain_value(a, values[i]);
    }
    assembly_text(a, "}");
}

/* wmma rounds once to f16 what it summed in f32; mma has no such form. */
static void narrowed_results(struct assembly *a, unsigned count)
{
    struct gen *g = a->g;
    const char *opcode = g->inst->mode & MODE_SATFINITE ? "cvt.rz.f16.f32" : "cvt.rn.f16.f32";

    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef low = converted(g, opcode, a->values[2 * i], 16);
        LLVMValueRef high = converted(g, opcode, a->values[2 * i + 1], 16);
        low = LLVMBuildZExt(g->builder, low, gen_int(g, 32), "");
        high = LLVMBuildZExt(g->builder, high, gen_int(g, 32), "");
        high = LLVMBuildShl(g->builder, high, gen_number(g, 32, 16), "");
        gen_guarded_result(g, gen_destination(g, i), LLVMBuildOr(g->builder, low, high, ""));
    }
}

static const char *mma_rounding(unsigned mode)
{
    static const char *const words[] = {[ROUND_NEAREST_EVEN] = "", [ROUND_ZERO] = ".rz",
                                        [ROUND_DOWN] = ".rm", [ROUND_UP] = ".rp"};

    return words[mode & ROUND_MASK];
}

static void mma(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    const ir_operand *sources = ir_sources(g->function, inst);
    struct assembly a;
    struct ir_mma m;

    if (!warp_is_whole(g, gen_source(g, inst->sources - 1u)))
        return;
    bool sparse = inst->op == IR_OP_mma_sp;
    if (!(sparse ? ir_mma_sp_read : ir_mma_read)(inst->sub, inst->type, inst->type2, &m)) {
        gen_refuse(g, "there is no such mma");
        return;
    }
    /* m8n8k4 of f16 has any types of C and D. */
    bool quads = m.parts > 1, widen = m.d == TENSOR_F32 && m.c == TENSOR_F16 && !quads;
    bool narrow = m.d == TENSOR_F16 && m.c == TENSOR_F32 && !quads;
    if ((inst->mode & ROUND_MASK) == ROUND_NEAREST_AWAY) {
        gen_refuse(g, "PTX has no mma with this rounding");
        return;
    }
    bool wide = m.a == TENSOR_F64;
    /* The IR counts words of bits, and elements that are there. Metadata in any order is
     * what .sp::ordered_metadata only restricts. */
    unsigned k = sparse ? m.sparse : m.a == TENSOR_B1 ? 32 * m.k : m.k;
    assembly_begin(&a, g, TOGETHER, "mma%s.sync.aligned.m%un%uk%u.%s.%s%s%s.%s.%s.%s.%s%s",
                   sparse ? ".sp" : "", m.m, m.n, k, m.a_column ? "col" : "row", m.b_row ? "row" : "col",
                   inst->mode & MODE_SATFINITE && !narrow ? ".satfinite" : "",
                   mma_rounding(inst->mode), warp_tensor_name(narrow ? m.c : m.d),
                   warp_tensor_name(m.a), warp_tensor_name(m.b), warp_tensor_name(widen ? m.d : m.c),
                   m.a != TENSOR_B1 ? "" : m.exclusive ? ".xor.popc" : ".and.popc");
    enum ir_type in = wide ? IR_f64 : IR_b32;
    enum ir_type sum = wide ? IR_f64 : m.d == TENSOR_F32 ? IR_f32 : IR_b32;
    enum ir_type start = wide ? IR_f64 : m.c == TENSOR_F32 ? IR_f32 : IR_b32;
    ir_operand sums[4] = {0};
    if (narrow)
        assembly_fragment_to(&a, sums, 2 * m.d_registers, IR_f32);
    else
        assembly_fragment_to(&a, ir_destinations(g->function, inst), m.d_registers, sum);
    assembly_fragment(&a, sources, m.a_registers, in);
    assembly_fragment(&a, sources + m.a_registers, m.b_registers, in);
    const ir_operand *c = sources + m.a_registers + m.b_registers;
    if (widen)
        widened_start(&a, g, c, m.c_registers);
    else
        assembly_fragment(&a, c, m.c_registers, start);
    if (sparse) {
        assembly_value(&a, gen_value(g, c[m.c_registers], IR_b32));
        assembly_immediate(&a, gen_constant(g, c[m.c_registers + 1]));
    }
    assembly_end(&a);
    if (narrow)
        narrowed_results(&a, m.d_registers);
}

static void move_matrices(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    const ir_operand *sources = ir_sources(g->function, inst);
    bool load = inst->op == IR_OP_ldmatrix;
    unsigned count = load ? inst->destinations : inst->sources - 3u;
    struct assembly a;

    if (!warp_is_whole(g, sources[inst->sources - 1u]))
        return;
    assembly_begin(&a, g, ASSEMBLY_SYNC, "%s.sync.aligned.m8n8.x%u%s%s.b16",
                   ir_ops[inst->op].name, count,
                   inst->sub & IR_MATRIX_TRANSPOSE ? ".trans" : "",
                   memory_space(g, inst->space));
    if (load)
        assembly_fragment_to(&a, ir_destinations(g->function, inst), count, IR_b32);
    assembly_address(&a, sources[0], sources[1]);
    if (!load)
        assembly_fragment(&a, sources + 2, count, IR_b32);
    assembly_end(&a);
}

static void transpose(struct gen *g)
{
    struct assembly a;

    if (!warp_is_whole(g, gen_source(g, 1)))
        return;
    assembly_begin(&a, g, TOGETHER, "movmatrix.sync.aligned.m8n8.trans.b16");
    assembly_output(&a, gen_destination(g, 0), IR_b32);
    assembly_input(&a, gen_source(g, 0), IR_b32);
    assembly_end(&a);
}

void gen_warp(struct gen *g)
{
    struct assembly a;

    switch (g->inst->op) {
    case IR_OP_activemask:
        assembly_begin(&a, g, TOGETHER, "activemask.b32");
        assembly_output(&a, gen_destination(g, 0), IR_b32);
        assembly_end(&a);
        return;
    case IR_OP_shfl_up: shuffle(g, "up"); return;
    case IR_OP_shfl_down: shuffle(g, "down"); return;
    case IR_OP_shfl_bfly: shuffle(g, "bfly"); return;
    case IR_OP_shfl_idx: shuffle(g, "idx"); return;
    case IR_OP_vote_all: vote(g, "all", IR_pred); return;
    case IR_OP_vote_any: vote(g, "any", IR_pred); return;
    case IR_OP_vote_uni: vote(g, "uni", IR_pred); return;
    case IR_OP_vote_ballot: vote(g, "ballot", IR_b32); return;
    case IR_OP_match_any:
    case IR_OP_match_all: match(g); return;
    case IR_OP_redux: reduce(g); return;
    case IR_OP_elect: elect(g); return;
    case IR_OP_bar_warp:
        assembly_begin(&a, g, ASSEMBLY_SYNC, "bar.warp.sync");
        assembly_input(&a, gen_source(g, 0), IR_b32);
        assembly_end(&a);
        return;
    case IR_OP_mma:
    case IR_OP_mma_sp: mma(g); return;
    case IR_OP_ldmatrix:
    case IR_OP_stmatrix: move_matrices(g); return;
    case IR_OP_movmatrix: transpose(g); return;
    case IR_OP_wgmma:
    case IR_OP_wgmma_sp:
    case IR_OP_wgmma_fence:
    case IR_OP_wgmma_commit:
    case IR_OP_wgmma_wait: warp_group(g); return;
    default: gen_refuse(g, "'%s' cannot be written", ir_ops[g->inst->op].name); return;
    }
}
