/* SPDX-License-Identifier: Apache-2.0
 *
 * native.c - per-lane operations that LLVM's integer instructions mean exactly: moves,
 * logic, wrapping arithmetic, comparison, choice, integer conversion. No instruction
 * here has a case that LLVM leaves undefined. */
#include "codegen/gen.h"

static LLVMValueRef operand(struct gen *g, unsigned i)
{
    const struct ir_inst *inst = g->inst;
    const struct ir_row_info *row = &ir_rows[ir_row_find(inst->op, inst->type, inst->type2)];

    return gen_value(g, gen_source(g, i), row->source[i]);
}

static bool is_integer(enum ir_type type)
{
    enum ir_kind kind = ir_types[type].kind;

    return kind == IR_KIND_B || kind == IR_KIND_U || kind == IR_KIND_S || kind == IR_KIND_P;
}

/* --- carries -------------------------------------------------------------- */

/* a + b + c or a - b - c; *out becomes the carry or borrow. */
static LLVMValueRef add_with(struct gen *g, LLVMValueRef a, LLVMValueRef b, LLVMValueRef c,
                             bool subtract, LLVMValueRef *out)
{
    LLVMBuilderRef build = g->builder;
    LLVMValueRef more = LLVMBuildZExt(build, c, LLVMTypeOf(a), ""), first, second, sum;

    if (subtract) {
        LLVMValueRef part = LLVMBuildSub(build, a, b, "");
        first = LLVMBuildICmp(build, LLVMIntULT, a, b, "");
        second = LLVMBuildICmp(build, LLVMIntULT, part, more, "");
        sum = LLVMBuildSub(build, part, more, "");
    } else {
        LLVMValueRef part = LLVMBuildAdd(build, a, b, "");
        first = LLVMBuildICmp(build, LLVMIntULT, part, a, "");
        sum = LLVMBuildAdd(build, part, more, "");
        second = LLVMBuildICmp(build, LLVMIntULT, sum, part, "");
    }
    *out = LLVMBuildOr(build, first, second, "");
    return sum;
}

/* --- comparison ----------------------------------------------------------- */

static bool predicate(enum ir_op op, bool is_signed, LLVMIntPredicate *out)
{
    switch (op) {
    case IR_OP_eq: *out = LLVMIntEQ; return true;
    case IR_OP_ne: *out = LLVMIntNE; return true;
    case IR_OP_lt: *out = is_signed ? LLVMIntSLT : LLVMIntULT; return true;
    case IR_OP_le: *out = is_signed ? LLVMIntSLE : LLVMIntULE; return true;
    case IR_OP_gt: *out = is_signed ? LLVMIntSGT : LLVMIntUGT; return true;
    case IR_OP_ge: *out = is_signed ? LLVMIntSGE : LLVMIntUGE; return true;
    default: return false;
    }
}

/* --- conversion ----------------------------------------------------------- */

/* Between integers, without saturation: cut, or extended by the source's sign; 8 bits
 * live in 16, extended by their own. */
static LLVMValueRef convert(struct gen *g)
{
    enum ir_type to = g->inst->type, from = g->inst->type2;
    LLVMValueRef value = operand(g, 0);
    bool from_signed = ir_types[from].kind == IR_KIND_S;
    bool to_signed = ir_types[to].kind == IR_KIND_S;

    value = gen_resize(g, value, ir_types[from].bits, false);
    value = gen_resize(g, value, ir_types[to].bits, from_signed);
    return gen_resize(g, value, ir_types[ir_type_register(to)].bits, to_signed);
}

/* --- arithmetic ----------------------------------------------------------- */

static LLVMValueRef atomic_meaning(struct gen *g, enum ir_op op)
{
    LLVMBuilderRef build = g->builder;
    LLVMValueRef a = operand(g, 0), b = operand(g, 1);
    LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(a));
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(a), 1, 0);

    switch (op) {
    case IR_OP_inc:
        return LLVMBuildSelect(build, LLVMBuildICmp(build, LLVMIntUGE, a, b, ""), zero,
                               LLVMBuildAdd(build, a, one, ""), "");
    case IR_OP_dec:
        return LLVMBuildSelect(
            build,
            LLVMBuildOr(build, LLVMBuildICmp(build, LLVMIntEQ, a, zero, ""),
                        LLVMBuildICmp(build, LLVMIntUGT, a, b, ""), ""),
            b, LLVMBuildSub(build, a, one, ""), "");
    case IR_OP_cas:
        return LLVMBuildSelect(build, LLVMBuildICmp(build, LLVMIntEQ, a, b, ""),
                               operand(g, 2), a, "");
    default:
        return b; /* exch */
    }
}

static LLVMValueRef halves(struct gen *g, enum ir_op op)
{
    LLVMBuilderRef build = g->builder;
    LLVMValueRef a = operand(g, 0);
    unsigned bits = ir_types[g->inst->type].bits;

    if (op == IR_OP_low)
        return LLVMBuildTrunc(build, a, gen_int(g, bits), "");
    if (op == IR_OP_high)
        return LLVMBuildTrunc(build, LLVMBuildLShr(build, a, gen_number(g, 2 * bits, bits), ""),
                              gen_int(g, bits), "");
    LLVMValueRef high = LLVMBuildZExt(build, operand(g, 1), gen_int(g, bits), "");
    high = LLVMBuildShl(build, high, gen_number(g, bits, bits / 2), "");
    return LLVMBuildOr(build, LLVMBuildZExt(build, a, gen_int(g, bits), ""), high, "");
}

/* NULL when LLVM has nothing as exact as PTX. */
static LLVMValueRef value_of(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    LLVMBuilderRef build = g->builder;
    LLVMIntPredicate comparison;
    LLVMValueRef carry;

    if (!is_integer(inst->type) || !is_integer(inst->type2) || inst->mode)
        return NULL;
    if (predicate(inst->op, ir_types[inst->type2].kind == IR_KIND_S, &comparison))
        return LLVMBuildICmp(build, comparison, operand(g, 0), operand(g, 1), "");
    switch (inst->op) {
    case IR_OP_mov: return operand(g, 0);
    case IR_OP_pack:
    case IR_OP_low:
    case IR_OP_high: return halves(g, inst->op);
    case IR_OP_and: return LLVMBuildAnd(build, operand(g, 0), operand(g, 1), "");
    case IR_OP_or: return LLVMBuildOr(build, operand(g, 0), operand(g, 1), "");
    case IR_OP_xor: return LLVMBuildXor(build, operand(g, 0), operand(g, 1), "");
    case IR_OP_not: return LLVMBuildNot(build, operand(g, 0), "");
    case IR_OP_cnot:
        return LLVMBuildZExt(build,
                             LLVMBuildICmp(build, LLVMIntEQ, operand(g, 0),
                                           LLVMConstNull(gen_type(g, inst->type)), ""),
                             gen_type(g, inst->type), "");
    case IR_OP_add: return LLVMBuildAdd(build, operand(g, 0), operand(g, 1), "");
    case IR_OP_sub: return LLVMBuildSub(build, operand(g, 0), operand(g, 1), "");
    case IR_OP_mul: return LLVMBuildMul(build, operand(g, 0), operand(g, 1), "");
    case IR_OP_addc:
    case IR_OP_subc:
        return add_with(g, operand(g, 0), operand(g, 1), operand(g, 2),
                        inst->op == IR_OP_subc, &carry);
    case IR_OP_add_carry:
    case IR_OP_sub_borrow:
        add_with(g, operand(g, 0), operand(g, 1), operand(g, 2),
                 inst->op == IR_OP_sub_borrow, &carry);
        return carry;
    case IR_OP_selp:
        return LLVMBuildSelect(build, operand(g, 2), operand(g, 0), operand(g, 1), "");
    case IR_OP_cvt: return convert(g);
    case IR_OP_inc:
    case IR_OP_dec:
    case IR_OP_exch:
    case IR_OP_cas: return atomic_meaning(g, inst->op);
    default: return NULL;
    }
}

bool gen_lane_native(struct gen *g)
{
    LLVMValueRef value = value_of(g);

    if (value)
        gen_guarded_result(g, gen_destination(g, 0), value);
    return value != NULL;
}
