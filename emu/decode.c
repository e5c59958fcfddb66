/* SPDX-License-Identifier: Apache-2.0
 *
 * decode.c - from IR to code that is ready to run.
 *
 * Registers get slots in a frame, constants and addresses become constant rows
 * shared by all warps, blocks become positions, each branch learns where its
 * lanes meet again (the immediate post-dominator). An operation that nothing
 * here can execute is refused with its place; nothing is skipped. */
#include "emu/access.h"

#include <string.h>

#include "emu/launch_constants.h"
#include "ir/tensor.h"
#include "ir/liveness.h"
#include "ir/matrix.h"
#include "ir/texture.h"

struct decoder {
    struct executable *executable;
    const struct ir_module *module;
    const struct ir_function *function;
    struct arena *arena;
    struct program *program;
    uint32_t *register_offset; /* by register */
    const struct launch_constant *constants; /* by register; NULL: none is known */
    int32_t *block_pc;         /* by block */
    const struct ir_cfg *cfg;
    const struct ir_inst *inst;
    bool failed;
};

static void fail(struct decoder *decoder, const char *what)
{
    const struct ir_module *module = decoder->module;
    struct text line = {0}, quote = {0};

    if (decoder->failed)
        return;
    decoder->failed = true;
    ir_print_inst(&line, module, decoder->function, decoder->inst);
    struct loc at = module->locations[decoder->inst->loc].at;
    if (module->source)
        diag_quote(&quote, module->source, module->source_size, at);
    decoder->executable->error =
        arena_printf(&decoder->executable->arena, "%s:%u:%u: error: unsupported: %s: %s\n%s",
                     module->name, at.line, at.column, what, text_string(&line),
                     text_string(&quote));
    text_free(&line);
    text_free(&quote);
}

/* --- operands ------------------------------------------------------------------- */

static unsigned lane_bytes(enum ir_type type)
{
    return type == IR_pred ? 0 : ir_types[type].lane;
}

/* Of a constant variable, 32 bits say the offset in the constant bank, as ptxas has it. */
static uint64_t symbol_value(const struct executable *executable, uint32_t index, unsigned bytes)
{
    const struct image *image = executable->image;
    unsigned space = image->module->symbols[index].space;

    return space == IR_SPACE_SHARED ? executable->shared_offset[index]
           : space == IR_SPACE_CONST && 8 * bytes < image->module->address_bits
               ? image->bank_offset[index]
               : image->symbol_address[index];
}

bool executable_fixed_value(const struct executable *executable,
                            const struct ir_function *function, ir_operand operand,
                            unsigned bytes, uint64_t *value)
{
    const struct ir_module *module = executable->image->module;
    uint32_t index = ir_operand_index(operand);

    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_CONSTANT:
        *value = function->constants[index].value;
        return true;
    case IR_OPERAND_SYMBOL:
        *value = symbol_value(executable, index, bytes);
        return true;
    case IR_OPERAND_FUNCTION:
        *value = function_address(module, index);
        return true;
    case IR_OPERAND_VARIABLE:
        *value = function->variables[index].offset;
        return function->variables[index].space == IR_SPACE_PARAM;
    default:
        return false;
    }
}

static bool fixed_value(struct decoder *decoder, ir_operand operand, unsigned bytes,
                        uint64_t *value)
{
    return executable_fixed_value(decoder->executable, decoder->function, operand, bytes, value);
}

/* A register or constant operand, read as the given type. */
static uint32_t operand_of(struct decoder *decoder, ir_operand operand, enum ir_type type)
{
    uint64_t value;

    if (ir_operand_kind(operand) == IR_OPERAND_REGISTER) {
        uint32_t index = ir_operand_index(operand);
        if (decoder->constants && decoder->constants[index].known)
            return executable_constant(decoder->executable, decoder->constants[index].value,
                                       lane_bytes(decoder->function->registers[index].width));
        return decoder->register_offset[index];
    }
    if (ir_operand_kind(operand) == IR_OPERAND_NONE)
        return OPERAND_ABSENT;
    if (fixed_value(decoder, operand, lane_bytes(type), &value))
        return executable_constant(decoder->executable, value, lane_bytes(type));
    if (ir_operand_kind(operand) != IR_OPERAND_BLOCK &&
        ir_operand_kind(operand) != IR_OPERAND_SREG)
        fail(decoder, "address of a stack variable as an operand");
    return OPERAND_ABSENT;
}

static enum ir_type register_width(struct decoder *decoder, ir_operand operand)
{
    if (ir_operand_kind(operand) != IR_OPERAND_REGISTER)
        return IR_none;
    return decoder->function->registers[ir_operand_index(operand)].width;
}

/* The width in which source i of a non-LANE op is read when it is a constant. */
static enum ir_type source_type(const struct ir_inst *inst, unsigned i)
{
    enum ir_type whole = ir_type_register(inst->type);

    switch (inst->op) {
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_uni:
    case IR_OP_vote_ballot:
        return i == 0 ? IR_pred : IR_b32;
    case IR_OP_match_any:
    case IR_OP_match_all:
        return i == 0 ? whole : IR_b32;
    case IR_OP_barrier_red:
        return i == 0 ? IR_pred : IR_b32;
    case IR_OP_br:
        return IR_pred;
    case IR_OP_st:
    case IR_OP_atom:
    case IR_OP_st_async:
    case IR_OP_red_async:
        return i < 2 ? IR_b64 : whole;
    case IR_OP_mbarrier_test:
        return inst->sub & IR_MBARRIER_PARITY && i == 2 ? IR_b32 : IR_b64;
    case IR_OP_mbarrier_pending:
        return IR_b64;
    case IR_OP_mapa:
        return i == 0 ? whole : IR_b32;
    case IR_OP_getctarank:
    case IR_OP_to_generic:
    case IR_OP_from_generic:
    case IR_OP_isspacep:
        return i == 0 ? IR_b64 : IR_b32;
    case IR_OP_tensor:
        return i < IR_TENSOR_BLOCKS ? IR_b64 : IR_b32;
    case IR_OP_tensormap_replace:
    case IR_OP_tensormap_copy:
        return IR_b64;
    case IR_OP_bulk:
    case IR_OP_bulk_reduce:
        return i < 2 || i == 3 ? IR_b64 : IR_b32;
    case IR_OP_cp_async:
        return i < 4 ? IR_b64 : IR_b32;
    case IR_OP_ldmatrix:
    case IR_OP_stmatrix:
        return i < 2 ? IR_b64 : IR_b32;
    case IR_OP_tex:
    case IR_OP_txq:
    case IR_OP_suq:
    case IR_OP_suld:
        return i == 0 ? IR_b64 : IR_b32;
    case IR_OP_sust:
    case IR_OP_sured:
        return i == 0 ? IR_b64 : i < IR_TEXTURE_SOURCES ? IR_b32 : whole;
    case IR_OP_mma:
        return inst->type == IR_f64 && i + 1u < inst->sources ? IR_b64 : IR_b32;
    case IR_OP_wgmma:
    case IR_OP_wgmma_sp: {
        /* Descriptors have 64 bits: one of B; before it, alone, one of A. */
        bool registers = inst->sub & IR_WGMMA_A_REGISTERS;
        unsigned b = inst->destinations + (registers ? 4u : 1u);
        return i == b || (!registers && i + 1 == b) ? IR_b64 : IR_b32;
    }
    case IR_OP_alloca:
    case IR_OP_stackrestore:
        return IR_b64;
    default:
        return IR_b32;
    }
}

static void decode_address(struct decoder *decoder, struct code *code)
{
    const ir_operand *sources = ir_sources(decoder->function, decoder->inst);
    uint64_t base = 0, offset = 0;

    if (decoder->inst->sources > 1)
        fixed_value(decoder, sources[1], 8, &offset);
    code->offset = (int64_t)offset;
    if (ir_operand_kind(sources[0]) == IR_OPERAND_REGISTER) {
        code->address_kind = ADDRESS_REGISTER;
        code->address_bytes = ir_types[register_width(decoder, sources[0])].lane;
        code->o.a = operand_of(decoder, sources[0], IR_b64);
    } else if (fixed_value(decoder, sources[0], 8, &base)) {
        code->address_kind = ADDRESS_FIXED;
        code->address_bytes = 8;
        code->offset = (int64_t)(base + offset);
    } else {
        code->address_kind = ADDRESS_FRAME;
        code->address_bytes = 8;
        code->offset = (int64_t)(decoder->function->variables[ir_operand_index(sources[0])].offset +
                                 offset);
    }
}

/* Does no observer follow what registers hold? */
static bool values_unseen(const struct launch *launch)
{
    for (uint32_t i = 0; i < launch->observer_count; i++)
        if (!launch->observers[i]->knows_constants)
            return false;
    return true;
}

/* --- one instruction ---------------------------------------------------------------- */

static void decode_lane(struct decoder *decoder, struct code *code)
{
    const struct ir_inst *inst = decoder->inst;
    const ir_operand *destinations = ir_destinations(decoder->function, inst);
    const ir_operand *sources = ir_sources(decoder->function, inst);
    enum ir_row row = ir_row_find(inst->op, inst->type, inst->type2);

    if (inst->op == IR_OP_mov && ir_operand_kind(sources[0]) == IR_OPERAND_VARIABLE &&
        decoder->function->variables[ir_operand_index(sources[0])].space != IR_SPACE_PARAM) {
        /* The address of a stack variable differs from frame to frame. */
        decode_address(decoder, code);
        code->o.d = operand_of(decoder, destinations[0], inst->type);
        return;
    }
    if (inst->op == IR_OP_mov && inst->type == IR_b128) {
        code->o.d = operand_of(decoder, destinations[0], inst->type);
        code->o.a = operand_of(decoder, sources[0], inst->type);
        return;
    }
    if (row == IR_ROW_COUNT) {
        fail(decoder, "this operation on these types");
        return;
    }
    const struct ir_row_info *info = &ir_rows[row];
    uint32_t operand[IR_ROW_SOURCES] = {0};
    for (unsigned i = 0; i < info->sources && i < inst->sources; i++)
        operand[i] = operand_of(decoder, sources[i], info->source[i]);
    code->lane = lane_functions()[row];
    code->o = (struct lane_operands){operand_of(decoder, destinations[0], inst->type),
                                     operand[0], operand[1], operand[2], operand[3],
                                     inst->mode};
}

static void decode_other(struct decoder *decoder, struct code *code)
{
    const struct ir_inst *inst = decoder->inst;
    const ir_operand *destinations = ir_destinations(decoder->function, inst);
    const ir_operand *sources = ir_sources(decoder->function, inst);
    unsigned count = inst->destinations + inst->sources;
    uint32_t *operands = ARENA_NEW_ARRAY(decoder->arena, count + 1, uint32_t);
    uint32_t *place[] = {&code->o.a, &code->o.b, &code->o.c, &code->o.e};
    bool has_address = (ir_ops[inst->op].group == IR_GROUP_MEMORY && inst->sources > 0 &&
                        !ir_is_texture(inst->op) &&
                        inst->op != IR_OP_cp_async_wait && inst->op != IR_OP_bulk &&
                        inst->op != IR_OP_bulk_reduce && inst->op != IR_OP_bulk_wait &&
                        inst->op != IR_OP_tensor && inst->op != IR_OP_tensormap_copy &&
                        inst->op != IR_OP_st_async && inst->op != IR_OP_red_async &&
                        inst->op != IR_OP_mbarrier_pending &&
                        inst->op != IR_OP_createpolicy) ||
                       inst->op == IR_OP_ldmatrix || inst->op == IR_OP_stmatrix;
    bool one_address = inst->op == IR_OP_to_generic || inst->op == IR_OP_from_generic ||
                       inst->op == IR_OP_isspacep || inst->op == IR_OP_mapa ||
                       inst->op == IR_OP_getctarank;

    code->operands = operands;
    for (unsigned i = 0; i < inst->destinations; i++)
        operands[i] = ir_operand_kind(destinations[i]) == IR_OPERAND_VARIABLE
                          ? OPERAND_ABSENT /* results of calls */
                          : operand_of(decoder, destinations[i], inst->type);
    if (inst->destinations)
        code->o.d = operands[0];
    for (unsigned i = 0; i < inst->sources; i++) {
        uint32_t *at = &operands[inst->destinations + i];
        bool variable = ir_operand_kind(sources[i]) == IR_OPERAND_VARIABLE;
        if (has_address && i == 0)
            *at = variable ? OPERAND_ABSENT : operand_of(decoder, sources[i], IR_b64);
        else if (inst->op == IR_OP_call || inst->op == IR_OP_call_indirect)
            *at = variable || (i == 0 && inst->op == IR_OP_call)
                      ? OPERAND_ABSENT
                      : operand_of(decoder, sources[i], IR_b64);
        else
            *at = operand_of(decoder, sources[i], source_type(inst, i));
        if (i < 4)
            *place[i] = *at;
    }
    if (has_address) {
        struct ir_inst whole = *inst;
        if (one_address)
            whole.sources = 1;
        decoder->inst = &whole;
        decode_address(decoder, code);
        decoder->inst = inst;
    }
    if (inst->op == IR_OP_cp_async)
        code->address2_bytes = ir_operand_kind(sources[2]) == IR_OPERAND_REGISTER
                                   ? ir_types[register_width(decoder, sources[2])].lane
                                   : 8;
    /* Global and constant addresses are generic ones: a copy; but offsets in the bank. */
    if (((inst->op == IR_OP_to_generic && inst->space != IR_SPACE_CONST) ||
         inst->op == IR_OP_from_generic) &&
        values_unseen(decoder->executable->launch) && code->address_bytes == 8 &&
        code->address_kind == ADDRESS_REGISTER && ir_types[inst->type].lane == 8 &&
        code->o.d != OPERAND_ABSENT && !generic_window(decoder->module->address_bits, inst->space))
        code->lane = lane_functions()[ir_row_find(IR_OP_mov, IR_b64, IR_b64)];
    /* Values may sit in registers wider than the memory type. */
    enum ir_type value = ir_type_register(inst->type);
    unsigned first_value = inst->op == IR_OP_st || inst->op == IR_OP_atom     ? 2
                           : inst->op == IR_OP_sust || inst->op == IR_OP_sured ? IR_TEXTURE_SOURCES
                                                                               : inst->sources;
    enum ir_type width = inst->destinations ? register_width(decoder, destinations[0]) : IR_none;
    for (unsigned i = first_value; width == IR_none && i < inst->sources; i++)
        width = register_width(decoder, sources[i]);
    for (unsigned i = 1; width == IR_none && i < inst->destinations; i++)
        width = register_width(decoder, destinations[i]);
    if (width == IR_none || width == IR_pred)
        width = value;
    code->value_bytes = (uint8_t)ir_types[width].lane;
    if (ir_ops[inst->op].group == IR_GROUP_MEMORY)
        code->recent = ARENA_NEW(decoder->arena, struct allocation *);
    if (inst->op == IR_OP_sreg)
        code->extra = ir_operand_index(sources[0]);
    code->words = access_words(code);
    if (code->words)
        code->shapes = ARENA_NEW(decoder->arena, struct shape_cache);
    if (inst->op == IR_OP_st || inst->op == IR_OP_sust || inst->op == IR_OP_sured)
        for (unsigned i = first_value; i < inst->sources; i++)
            if (ir_operand_kind(sources[i]) == IR_OPERAND_CONSTANT)
                operands[i] = operand_of(decoder, sources[i], width);
}

static void decode_flow(struct decoder *decoder, struct code *code, uint32_t block)
{
    const struct ir_inst *inst = decoder->inst;
    const ir_operand *sources = ir_sources(decoder->function, inst);
    uint32_t post = decoder->cfg->meeting[block];

    code->join = post < decoder->function->block_count ? decoder->block_pc[post] : PC_EXIT;
    if (inst->op == IR_OP_bra) {
        code->target[0] = decoder->block_pc[ir_operand_index(sources[0])];
    } else if (inst->op == IR_OP_br) {
        code->target[0] = decoder->block_pc[ir_operand_index(sources[1])];
        code->target[1] = decoder->block_pc[ir_operand_index(sources[2])];
    } else if (inst->op == IR_OP_brx) {
        uint32_t *operands = (uint32_t *)code->operands;
        for (unsigned i = 1; i < inst->sources; i++)
            operands[i] = (uint32_t)decoder->block_pc[ir_operand_index(sources[i])];
    }
    if (code->join != PC_EXIT && inst->op != IR_OP_bra)
        decoder->program->code[code->join].joins = 1;
}

static void decode_inst(struct decoder *decoder, struct code *code, uint32_t index,
                        uint32_t block)
{
    const struct ir_inst *inst = &decoder->function->insts[index];
    const struct ir_op_info *info = &ir_ops[inst->op];
    uint8_t joins = code->joins;

    decoder->inst = inst;
    *code = (struct code){
        .guard = OPERAND_ABSENT, .inst = index, .op = inst->op, .sub = inst->sub,
        .type = inst->type, .type2 = inst->type2, .space = inst->space,
        .order = inst->order, .scope = inst->scope, .guard_not = inst->guard_not,
        .vector = inst->vector ? inst->vector : 1, .join = PC_EXIT,
        .extra = inst->extra, .destinations = inst->destinations,
        .sources = inst->sources, .ir = inst, .joins = joins};
    if (ir_operand_kind(inst->guard) == IR_OPERAND_REGISTER)
        code->guard = operand_of(decoder, inst->guard, IR_pred);
    if (info->group == IR_GROUP_LANE)
        decode_lane(decoder, code);
    else
        decode_other(decoder, code);
    if (info->flags & IR_FLAG_ENDS)
        decode_flow(decoder, code, block);
    if (inst->op == IR_OP_call_indirect || inst->op == IR_OP_call) {
        code->join = (int32_t)(code - decoder->program->code) + 1;
        if (inst->op == IR_OP_call_indirect)
            code[1].joins = 1;
    }
    if ((inst->op == IR_OP_atom || inst->op == IR_OP_bulk_reduce ||
         inst->op == IR_OP_red_async) &&
        !atomic_known(inst))
        fail(decoder, "this atomic operation on this type");
    if (inst->op == IR_OP_call) {
        uint32_t callee = ir_operand_index(ir_sources(decoder->function, inst)[0]);
        if (!decoder->module->functions[callee].block_count &&
            !host_call_known(decoder->executable->image, callee))
            fail(decoder, "this function has no body here and no host function is bound to it "
                          "(--bind)");
    }
}

/* --- the function --------------------------------------------------------------------- */

/* A branch to the block that follows in layout falls through and needs no code. */
static bool falls_through(const struct ir_function *function, uint32_t block)
{
    const struct ir_block *b = &function->blocks[block];
    const struct ir_inst *last = &function->insts[b->first + b->count - 1];

    return last->op == IR_OP_bra &&
           ir_operand_index(ir_sources(function, last)[0]) == block + 1;
}

static void place_registers(struct decoder *decoder, const struct ir_slots *slots)
{
    static const uint32_t size[IR_SLOT_CLASSES] = {8, 2 * LANES, 4 * LANES, 8 * LANES,
                                                   16 * LANES};
    uint32_t start[IR_SLOT_CLASSES], end = 0;
    const struct ir_function *function = decoder->function;

    for (int class = 0; class < IR_SLOT_CLASSES; class++) {
        start[class] = end;
        end += (slots->count[class] * size[class] + 63) & ~UINT32_C(63);
    }
    decoder->program->register_bytes = end;
    decoder->register_offset =
        ARENA_NEW_ARRAY(decoder->arena, function->register_count + 1, uint32_t);
    for (uint32_t r = 0; r < function->register_count; r++) {
        enum ir_slot_class class = ir_slot_class(function->registers[r].width);
        decoder->register_offset[r] =
            slots->slot[r] == IR_NO_SLOT
                ? OPERAND_ABSENT
                : start[class] + (uint32_t)slots->slot[r] * size[class];
    }
}

/* Registers that some path reads before it writes start as zero, so that the
 * outcome is the same on every run. */
static void list_zeroed(struct decoder *decoder, const struct ir_liveness *live)
{
    const struct ir_function *function = decoder->function;
    uint32_t *offset = ARENA_NEW_ARRAY(decoder->arena, function->register_count + 1, uint32_t);
    uint32_t *bytes = ARENA_NEW_ARRAY(decoder->arena, function->register_count + 1, uint32_t);
    uint32_t count = 0;

    for (uint32_t r = 0; r < function->register_count; r++) {
        if (decoder->register_offset[r] == OPERAND_ABSENT || !ir_live_in(live, 0, r))
            continue;
        enum ir_type width = function->registers[r].width;
        offset[count] = decoder->register_offset[r];
        bytes[count++] = width == IR_pred ? 8 : ir_types[width].lane * LANES;
    }
    decoder->program->zero_offset = offset;
    decoder->program->zero_bytes = bytes;
    decoder->program->zero_count = count;
}

/* Clocks count instructions and polls are counted: the careful way does it. */
static enum code_pace pace_of(const struct code *code)
{
    bool words = code->words && (code->op == IR_OP_st || code->order == IR_ORDER_WEAK);

    if (code->guard != OPERAND_ABSENT)
        return code->lane || words ? PACE_GUARDED : PACE_CAREFUL;
    return code->lane                ? PACE_LANE
           : words                   ? PACE_WORDS
           : code->op == IR_OP_br   ? PACE_BRANCH
           : code->op == IR_OP_bra  ? PACE_JUMP
           : code->op == IR_OP_sreg ? PACE_SPECIAL
                                     : PACE_CAREFUL;
}

static bool sets_constant(const struct decoder *decoder, const struct code *code)
{
    const ir_operand *to = ir_destinations(decoder->function, code->ir);

    return decoder->constants && code->destinations == 1 &&
           ir_operand_kind(to[0]) == IR_OPERAND_REGISTER &&
           decoder->constants[ir_operand_index(to[0])].known;
}

struct program *decode_function(struct executable *executable, uint32_t index)
{
    const struct ir_module *module = executable->image->module;
    const struct ir_function *function = &module->functions[index];
    struct arena scratch = {0};
    struct program *program = ARENA_NEW(&executable->arena, struct program);
    struct decoder decoder = {.executable = executable, .module = module,
                              .function = function, .arena = &executable->arena,
                              .program = program};

    program->function = function;
    program->function_index = index;
    program->local_bytes = (uint32_t)function->local_bytes;
    decoder.cfg = ir_cfg_build(&scratch, function);
    place_registers(&decoder, ir_assign_slots(&scratch, function, decoder.cfg));
    const struct ir_liveness *live = ir_liveness_build(&scratch, function, decoder.cfg);
    list_zeroed(&decoder, live);
    if (values_unseen(executable->launch))
        decoder.constants = launch_constants(&scratch, executable, function, live);

    decoder.block_pc = ARENA_NEW_ARRAY(&scratch, function->block_count + 1, int32_t);
    uint32_t pc = 0;
    for (uint32_t b = 0; b < function->block_count; b++) {
        decoder.block_pc[b] = (int32_t)pc;
        pc += function->blocks[b].count - (falls_through(function, b) ? 1 : 0);
    }
    program->count = pc;
    program->code = ARENA_NEW_ARRAY(decoder.arena, pc + 2, struct code);
    for (uint32_t b = 0; b < function->block_count; b++)
        if (decoder.cfg->first_predecessor[b + 1] - decoder.cfg->first_predecessor[b] > 1)
            program->code[decoder.block_pc[b]].joins = 1;
    pc = 0;
    for (uint32_t b = 0; b < function->block_count && !decoder.failed; b++) {
        const struct ir_block *block = &function->blocks[b];
        uint32_t count = block->count - (falls_through(function, b) ? 1 : 0);
        for (uint32_t i = 0; i < count && !decoder.failed; i++)
            decode_inst(&decoder, &program->code[pc++], block->first + i, b);
    }
    for (uint32_t i = pc; i-- > 0;) {
        struct code *code = &program->code[i];
        code->pace = sets_constant(&decoder, code) ? PACE_NOTHING : pace_of(code);
        bool more = i + 1 < pc && code[1].pace == PACE_NOTHING && !code[1].joins &&
                    code[1].idle < UINT16_MAX;
        code->idle = code->pace == PACE_NOTHING ? (uint16_t)(1 + (more ? code[1].idle : 0)) : 0;
    }
    arena_free(&scratch);
    return decoder.failed ? NULL : program;
}
