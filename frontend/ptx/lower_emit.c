/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_emit.c - writing IR instructions, blocks and guards. */
#include "frontend/ptx/lower.h"

/* Code behind the end of a block is reached by nothing unless a label comes;
 * it still gets a block of its own. */
static void open_block(struct lower *l)
{
    if (l->block_open)
        return;
    ir_add_block(l->module, l->f, NULL);
    l->block_open = true;
}

struct ir_inst *emit(struct lower *l, const struct ir_inst *inst,
                     const ir_operand *destinations, const ir_operand *sources)
{
    struct ir_inst copy = *inst;

    open_block(l);
    copy.guard = l->guard;
    copy.guard_not = l->guard && l->guard_not;
    copy.loc = l->location;
    struct ir_inst *added =
        ir_add_inst(l->module, l->f, &copy, destinations, sources);
    if (ir_ops[copy.op].flags & IR_FLAG_ENDS)
        l->block_open = false;
    return added;
}

ir_operand temporary(struct lower *l, enum ir_type width)
{
    static const uint32_t word[] = {[IR_pred] = W_pred, [IR_b16] = W_b16,
                                    [IR_b32] = W_b32, [IR_b64] = W_b64,
                                    [IR_b128] = W_b128};

    return register_new(l, word[width], 1, (struct ptx_name){"tmp", 3});
}

ir_operand constant(struct lower *l, uint64_t value)
{
    return ir_add_constant(l->module, l->f, value);
}

void emit_lane(struct lower *l, enum ir_op op, enum ir_type type,
               enum ir_type type2, unsigned mode, ir_operand destination,
               const ir_operand *sources, uint32_t count)
{
    struct ir_inst inst = {
        .op = (uint16_t)op,
        .type = (uint8_t)row_type(op, type, type2),
        .type2 = (uint8_t)type2,
        .mode = (uint16_t)mode,
        .destinations = 1,
        .sources = (uint16_t)count,
    };

    if (op == IR_OP_mov && type == IR_b128) { /* no row: rows have 64 bits */
        inst.type = IR_b128;
        emit(l, &inst, &destination, sources);
        return;
    }
    enum ir_row row = inst.type == IR_none ? IR_ROW_COUNT
                                           : ir_row_find(op, inst.type, type2);
    if (row != IR_ROW_COUNT && !ir_rows[row].moded) {
        /* Exact operations do not round, and some approximate ones give the
         * same with and without .ftz. */
        inst.mode &= (uint16_t)~(ROUND_MASK | MODE_FTZ);
        if (inst.mode)
            row = IR_ROW_COUNT;
    }
    if (row == IR_ROW_COUNT) {
        unsupported(l, l->i->at, "no meaning for '%s' yet", instruction_name(l->i));
        return;
    }
    emit(l, &inst, &destination, sources);
}

ir_operand emit_value(struct lower *l, enum ir_op op, enum ir_type type,
                      enum ir_type type2, unsigned mode,
                      const ir_operand *sources, uint32_t count)
{
    ir_operand result = temporary(l, ir_type_register(type));

    emit_lane(l, op, type, type2, mode, result, sources, count);
    return result;
}

void emit_move(struct lower *l, ir_operand destination, ir_operand source)
{
    enum ir_type width =
        (enum ir_type)l->f->registers[ir_operand_index(destination)].width;

    emit_lane(l, IR_OP_mov, width, width, 0, destination, &source, 1);
}

enum ir_type row_type(enum ir_op op, enum ir_type type, enum ir_type type2)
{
    static const enum ir_type same_width[][6] = {
        {IR_b16, IR_u16, IR_s16, IR_f16},
        {IR_b32, IR_u32, IR_s32, IR_f32},
        {IR_b64, IR_u64, IR_s64, IR_f64},
    };

    if (ir_row_find(op, type, type2) != IR_ROW_COUNT)
        return type;
    for (unsigned i = 0; i < 3; i++) {
        if (ir_types[type].bits != ir_types[same_width[i][0]].bits)
            continue;
        for (unsigned j = 0; j < 4; j++)
            if (ir_row_find(op, same_width[i][j], type2) != IR_ROW_COUNT)
                return same_width[i][j];
    }
    return IR_none;
}

uint32_t label_new(struct lower *l)
{
    *ARENA_PUSH(&l->scratch, &l->labels) = (struct label){UINT32_MAX};
    return l->labels.count - 1;
}

void emit_branch(struct lower *l, uint32_t label)
{
    /* Block operands hold label numbers until the function is complete. */
    ir_operand target = ir_operand_make(IR_OPERAND_BLOCK, label);

    emit(l, &(struct ir_inst){.op = IR_OP_bra, .sources = 1}, NULL, &target);
}

void label_place(struct lower *l, uint32_t label, const char *name)
{
    if (l->block_open) {
        ir_operand guard = l->guard;
        l->guard = 0;
        emit_branch(l, label);
        l->guard = guard;
    }
    l->labels.items[label].block = ir_add_block(l->module, l->f, name);
    l->block_open = true;
}

uint32_t guard_begin(struct lower *l)
{
    if (!l->guard)
        return UINT32_MAX;
    uint32_t inside = label_new(l), behind = label_new(l);
    ir_operand sources[3] = {l->guard,
                             ir_operand_make(IR_OPERAND_BLOCK, inside),
                             ir_operand_make(IR_OPERAND_BLOCK, behind)};
    if (l->guard_not) {
        sources[1] = ir_operand_make(IR_OPERAND_BLOCK, behind);
        sources[2] = ir_operand_make(IR_OPERAND_BLOCK, inside);
    }
    l->guard = 0;
    emit(l, &(struct ir_inst){.op = IR_OP_br, .sources = 3}, NULL, sources);
    label_place(l, inside, NULL);
    return behind;
}

void guard_end(struct lower *l, uint32_t label)
{
    if (label != UINT32_MAX)
        label_place(l, label, NULL);
}

void guard_keep(struct lower *l, ir_operand destination)
{
    if (!l->guard || destination != l->guard)
        return;
    ir_operand guard = l->guard;
    l->guard = 0;
    ir_operand copy = temporary(l, IR_pred);
    emit_move(l, copy, guard);
    l->guard = copy;
}

unsigned mode_of(const struct instruction *i)
{
    static const struct {
        uint16_t word, mode;
    } words[] = {
        {W_rz, ROUND_ZERO}, {W_rm, ROUND_DOWN}, {W_rp, ROUND_UP},
        {W_rna, ROUND_NEAREST_AWAY}, {W_rzi, ROUND_ZERO},
        {W_rmi, ROUND_DOWN}, {W_rpi, ROUND_UP}, {W_ftz, MODE_FTZ},
        {W_sat, MODE_SAT}, {W_relu, MODE_RELU}, {W_NaN, MODE_NAN},
        {W_xorsign, MODE_XORSIGN_ABS}, {W_satfinite, MODE_SATFINITE},
    };
    unsigned mode = 0;

    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
        if (has(i, words[w].word))
            mode |= words[w].mode;
    return mode;
}
