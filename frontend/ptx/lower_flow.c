/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_flow.c - branches, calls and returns.
 *
 * Branches and returns end blocks, calls carry no guard; a guard on any of
 * them becomes a branch around it. */
#include "frontend/ptx/lower_ops.h"

/* The label an operand names; false after an error. */
static bool label_operand(struct lower *l, struct ptx_name name, struct loc at,
                          ir_operand *out)
{
    struct entity *entity = scope_need(l, name, at);

    if (!entity)
        return false;
    if (entity->kind != ENTITY_LABEL) {
        diag_error(l->diags, at, "'%.*s' is no label", NAME_ARGS(name));
        return false;
    }
    *out = ir_operand_make(IR_OPERAND_BLOCK, entity->value);
    return true;
}

void lower_bra(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operand = i->syntax->operands;
    ir_operand target;

    if (!operand_count(l, i, 1, 1))
        return;
    if (operand->kind != OPERAND_NAME || operand->component.size ||
        operand->has_offset || operand->negated) {
        diag_error(l->diags, operand->at, "'bra' needs a label");
        return;
    }
    if (!label_operand(l, operand->name, operand->at, &target))
        return;
    if (!l->guard) {
        emit(l, &(struct ir_inst){.op = IR_OP_bra, .sources = 1}, NULL, &target);
        return;
    }
    uint32_t behind = label_new(l);
    ir_operand next = ir_operand_make(IR_OPERAND_BLOCK, behind);
    ir_operand sources[3] = {l->guard, l->guard_not ? next : target,
                             l->guard_not ? target : next};
    l->guard = 0;
    emit(l, &(struct ir_inst){.op = IR_OP_br, .sources = 3}, NULL, sources);
    label_place(l, behind, NULL);
}

/* brx.idx index, list */
void lower_brx(struct lower *l, struct instruction *i)
{
    const struct ptx_operand *operands = i->syntax->operands;

    if (!operand_count(l, i, 2, 2))
        return;
    ir_operand index = source(l, &operands[0], W_u32, false);
    struct entity *list = operands[1].kind == OPERAND_NAME
        ? scope_need(l, operands[1].name, operands[1].at) : NULL;
    if (operands[1].kind == OPERAND_NAME && !list)
        return;
    if (!list || list->kind != ENTITY_TARGETS ||
        list->targets->word != W_branchtargets) {
        diag_error(l->diags, operands[1].at, "'brx.idx' needs a .branchtargets list");
        return;
    }
    const struct ptx_targets *targets = list->targets;
    if (targets->count > UINT16_MAX - 1) {
        unsupported(l, operands[1].at, "more than %d branch targets", UINT16_MAX - 1);
        return;
    }
    ir_operand *sources =
        ARENA_NEW_ARRAY(&l->scratch, targets->count + 1, ir_operand);
    sources[0] = index;
    for (uint32_t k = 0; k < targets->count; k++)
        if (!label_operand(l, targets->names[k], targets->places[k], &sources[k + 1]))
            return;
    if (!index)
        return;
    uint32_t behind = guard_begin(l);
    emit(l, &(struct ir_inst){.op = IR_OP_brx,
                              .sources = (uint16_t)(targets->count + 1)},
         NULL, sources);
    guard_end(l, behind);
}

void lower_ret(struct lower *l, struct instruction *i)
{
    if (!operand_count(l, i, 0, 0))
        return;
    uint32_t behind = guard_begin(l);
    lower_return(l);
    guard_end(l, behind);
}

void lower_exit(struct lower *l, struct instruction *i)
{
    if (!operand_count(l, i, 0, 0))
        return;
    uint32_t behind = guard_begin(l);
    emit(l, &(struct ir_inst){.op = IR_OP_exit}, NULL, NULL);
    guard_end(l, behind);
}

/* --- calls --- */

/* The parts of a call as written. */
struct call_parts {
    const struct ptx_operand *returns, *target, *arguments, *prototype;
};

static bool call_parts(struct lower *l, struct instruction *i,
                       struct call_parts *parts)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint32_t count = i->syntax->operand_count, k = 0;

    *parts = (struct call_parts){0};
    if (k < count && operands[k].kind == OPERAND_LIST)
        parts->returns = &operands[k++];
    if (k < count && operands[k].kind == OPERAND_NAME)
        parts->target = &operands[k++];
    if (k < count && operands[k].kind == OPERAND_LIST)
        parts->arguments = &operands[k++];
    if (k < count && operands[k].kind == OPERAND_NAME)
        parts->prototype = &operands[k++];
    if (!parts->target || k != count) {
        diag_error(l->diags, i->at,
                   "a call is written (result), function, (arguments), prototype");
        return false;
    }
    return true;
}

/* The signature behind the last operand of an indirect call. */
static const struct ptx_signature *indirect_signature(struct lower *l,
                                                      const struct ptx_operand *operand,
                                                      uint32_t *prototype)
{
    struct entity *entity = scope_need(l, operand->name, operand->at);

    if (!entity)
        return NULL;
    if (entity->kind == ENTITY_PROTOTYPE) {
        *prototype = entity->value;
        return entity->prototype;
    }
    if (entity->kind == ENTITY_TARGETS && entity->targets->word == W_calltargets &&
        entity->targets->count) {
        struct entity *function =
            scope_need(l, entity->targets->names[0], entity->targets->places[0]);
        if (!function)
            return NULL;
        if (function->kind == ENTITY_FUNCTION) {
            *prototype = lower_prototype(l, &function->function->signature,
                                         operand->name);
            return &function->function->signature;
        }
    }
    diag_error(l->diags, operand->at,
               "an indirect call needs a .callprototype or .calltargets label");
    return NULL;
}

/* One argument or result as a variable of the parameter space. A register or
 * constant goes through a new one: *reg is the register then. */
static bool call_variable(struct lower *l, const struct ptx_operand *operand,
                          const struct ptx_variable *formal, bool is_result,
                          ir_operand *variable, ir_operand *reg)
{
    uint64_t size;
    uint32_t align;

    *reg = 0;
    struct entity *entity = operand->kind == OPERAND_NAME && !operand->negated &&
                                    !operand->component.size
        ? scope_find(l, operand->name) : NULL;
    variable_bytes(l, formal, &size, &align);
    if (entity && entity->kind == ENTITY_VARIABLE) {
        uint32_t index = ir_operand_index(entity->value);
        if (entity->space != IR_SPACE_ARGUMENT) {
            diag_error(l->diags, operand->at, "'%.*s' cannot be passed: it is in .%s",
                       NAME_ARGS(operand->name), ir_space_names[entity->space]);
            return false;
        }
        if (l->f->variables[index].size != size && !formal->unsized_array) {
            diag_error(l->diags, operand->at,
                       "'%.*s' has %llu bytes, the function's has %llu",
                       NAME_ARGS(operand->name),
                       (unsigned long long)l->f->variables[index].size,
                       (unsigned long long)size);
            return false;
        }
        *variable = entity->value;
        return true;
    }
    if (formal->dimensions ||
        (formal->vector > 1 && (!entity || entity->kind != ENTITY_REGISTER ||
                                entity->vector != formal->vector))) {
        diag_error(l->diags, operand->at, "a .param of %llu bytes must be passed here",
                   (unsigned long long)size);
        return false;
    }
    /* There are no registers of 8 bits. */
    bool narrow = word_bits(formal->type) == 8;
    if (formal->vector > 1)
        *reg = entity->value;
    else
        *reg = is_result ? destination_or_sink(l, operand, formal->type, narrow)
                         : source(l, operand, formal->type, narrow);
    if (!*reg && operand->kind != OPERAND_SINK)
        return false;
    struct ir_variable made = parameter_variable(l, formal, IR_SPACE_ARGUMENT);
    made.name = arena_printf(l->arena, "arg$%u", l->f->variable_count);
    *variable = ir_add_variable(l->module, l->f, &made);
    return true;
}

static const struct ptx_signature *callee(struct lower *l, struct instruction *i,
                                          const struct call_parts *parts,
                                          struct ir_inst *inst, ir_operand *target)
{
    const struct ptx_operand *operand = parts->target;
    struct entity *entity = scope_need(l, operand->name, operand->at);

    if (!entity)
        return NULL;
    if (entity->kind == ENTITY_FUNCTION) {
        if (entity->function->is_entry) {
            unsupported(l, operand->at, "a call of a kernel");
            return NULL;
        }
        inst->op = IR_OP_call;
        *target = entity->value;
        return &entity->function->signature;
    }
    if (!parts->prototype) {
        diag_error(l->diags, i->at, "an indirect call needs a prototype");
        return NULL;
    }
    uint32_t prototype = 0;
    const struct ptx_signature *signature =
        indirect_signature(l, parts->prototype, &prototype);
    inst->op = IR_OP_call_indirect;
    inst->extra = prototype;
    bool narrow = entity->kind == ENTITY_REGISTER && word_bits(entity->type) == 32;
    bool wide = l->module->address_bits == 64;
    *target = source(l, operand, wide && !narrow ? W_b64 : W_b32, false);
    if (*target && wide && narrow)
        *target = emit_value(l, IR_OP_cvt, IR_u64, IR_u32, 0, target, 1);
    return *target ? signature : NULL;
}

void lower_call(struct lower *l, struct instruction *i)
{
    struct ir_inst inst = {0};
    struct call_parts parts;
    ir_operand target;

    if (!call_parts(l, i, &parts))
        return;
    const struct ptx_signature *signature = callee(l, i, &parts, &inst, &target);
    if (!signature)
        return;
    uint32_t results = parts.returns ? parts.returns->count : 0;
    uint32_t arguments = parts.arguments ? parts.arguments->count : 0;
    if (results != signature->return_count || arguments != signature->parameter_count) {
        diag_error(l->diags, i->at,
                   "'%.*s' takes %u argument%s and gives %u result%s, not %u and %u",
                   NAME_ARGS(parts.target->name), signature->parameter_count,
                   signature->parameter_count == 1 ? "" : "s",
                   signature->return_count, signature->return_count == 1 ? "" : "s",
                   arguments, results);
        return;
    }
    ir_operand *sources = ARENA_NEW_ARRAY(&l->scratch, arguments + 1, ir_operand);
    ir_operand *to = ARENA_NEW_ARRAY(&l->scratch, results + 1, ir_operand);
    ir_operand *registers = ARENA_NEW_ARRAY(&l->scratch, results + 1, ir_operand);
    uint32_t behind = guard_begin(l);
    bool good = true;
    sources[0] = target;
    for (uint32_t k = 0; k < arguments; k++) {
        const struct ptx_variable *formal = &signature->parameters[k];
        ir_operand value;
        if (!call_variable(l, &parts.arguments->items[k], formal, false,
                           &sources[k + 1], &value))
            good = false;
        else if (value)
            parameter_move(l, IR_OP_st, sources[k + 1], value, formal);
    }
    for (uint32_t k = 0; k < results; k++)
        good &= call_variable(l, &parts.returns->items[k], &signature->returns[k],
                              true, &to[k], &registers[k]);
    if (good) {
        inst.destinations = (uint16_t)results;
        inst.sources = (uint16_t)(arguments + 1);
        emit(l, &inst, to, sources);
        for (uint32_t k = 0; k < results; k++)
            if (registers[k])
                parameter_move(l, IR_OP_ld, to[k], registers[k], &signature->returns[k]);
    }
    guard_end(l, behind);
}
