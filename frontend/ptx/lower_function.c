/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_function.c - functions: signatures, directives, bodies, aliases. */
#include "frontend/ptx/lower.h"

/* --- signatures --- */

uint32_t lower_prototype(struct lower *l, const struct ptx_signature *signature,
                         struct ptx_name name)
{
    struct ir_prototype prototype = {
        .name = arena_copy(l->arena, name.text, name.size),
        .result_count = signature->return_count,
        .parameter_count = signature->parameter_count,
        .noreturn = signature->noreturn,
    };
    uint64_t *results = ARENA_NEW_ARRAY(l->arena, signature->return_count, uint64_t);
    uint64_t *parameters =
        ARENA_NEW_ARRAY(l->arena, signature->parameter_count, uint64_t);
    uint32_t align;

    for (uint32_t k = 0; k < signature->return_count; k++)
        variable_bytes(l, &signature->returns[k], &results[k], &align);
    for (uint32_t k = 0; k < signature->parameter_count; k++)
        variable_bytes(l, &signature->parameters[k], &parameters[k], &align);
    prototype.result_sizes = results;
    prototype.parameter_sizes = parameters;
    return ir_add_prototype(l->module, &prototype);
}

/* Variables for the formal parameters or results. With a body they get names,
 * and .reg ones their registers. */
static uint32_t *formals(struct lower *l, const struct ptx_variable *list,
                         uint32_t count, bool has_body, enum entity_role role)
{
    uint32_t *indices = ARENA_NEW_ARRAY(l->arena, count, uint32_t);

    for (uint32_t k = 0; k < count; k++) {
        const struct ptx_variable *formal = &list[k];
        struct entity entity = {.kind = ENTITY_VARIABLE, .type = formal->type,
                                .vector = 1, .at = formal->at};
        entity.role = l->f->is_kernel ? ROLE_NONE : role;
        entity.space = l->f->is_kernel ? IR_SPACE_PARAM : IR_SPACE_ARGUMENT;
        struct ir_variable made =
            parameter_variable(l, formal, (enum ir_space)entity.space);
        entity.value = ir_add_variable(l->module, l->f, &made);
        indices[k] = ir_operand_index(entity.value);
        if (formal->space == W_reg && (formal->dimensions || l->f->is_kernel))
            diag_error(l->diags, formal->at, "a register cannot be declared so here");
        if (formal->space != W_reg && formal->vector > 1)
            diag_error(l->diags, formal->at, "a .param is no vector");
        if (l->f->is_kernel && formal->unsized_array)
            diag_error(l->diags, formal->at, "a kernel's parameters have known sizes");
        if (has_body && name_is(formal->name, "_"))
            diag_error(l->diags, formal->at, "a parameter needs a name");
        if (formal->space != W_reg && formal->type == W_pred)
            diag_error(l->diags, formal->at, "a predicate must be in .reg");
        if (!has_body)
            continue;
        if (word_class(formal->type) == CLASS_OPAQUE)
            entity.kind = ENTITY_OPAQUE;
        if (formal->space == W_reg) {
            entity.kind = ENTITY_REGISTER;
            entity.vector = formal->vector;
            entity.value = register_new(l, formal->type, formal->vector, formal->name);
        }
        scope_declare(l, formal->name, entity);
    }
    return indices;
}

/* A predicate travels as a word that is 1 or 0. */
static void predicate_move(struct lower *l, enum ir_op op, ir_operand variable,
                           ir_operand reg)
{
    struct ir_inst inst = {.op = (uint16_t)op, .type = IR_b32, .type2 = IR_b32,
                           .space = IR_SPACE_ARGUMENT, .vector = 1,
                           .destinations = op == IR_OP_ld,
                           .sources = op == IR_OP_ld ? 2 : 3};
    ir_operand sources[3] = {variable, constant(l, 0)}, word;

    if (op == IR_OP_ld) {
        word = temporary(l, IR_b32);
        emit(l, &inst, &word, sources);
        emit_lane(l, IR_OP_ne, IR_pred, IR_b32, 0, reg,
                  (ir_operand[2]){word, constant(l, 0)}, 2);
    } else {
        sources[2] = emit_value(l, IR_OP_selp, IR_b32, IR_b32, 0,
                                (ir_operand[3]){constant(l, 1), constant(l, 0), reg}, 3);
        emit(l, &inst, NULL, sources);
    }
}

void parameter_move(struct lower *l, enum ir_op op, ir_operand variable,
                    ir_operand reg, const struct ptx_variable *formal)
{
    if (formal->type == W_pred) {
        predicate_move(l, op, variable, reg);
        return;
    }
    uint32_t count = formal->vector;
    bool load = op == IR_OP_ld;
    struct ir_inst inst = {
        .op = (uint16_t)op, .type = (uint8_t)type_of(formal->type),
        .type2 = (uint8_t)type_of(formal->type), .space = IR_SPACE_ARGUMENT,
        .vector = (uint8_t)count, .destinations = (uint16_t)(load ? count : 0),
        .sources = (uint16_t)(load ? 2 : 2 + count)};
    ir_operand sources[10] = {variable, constant(l, 0)}, to[8];

    for (uint32_t k = 0; k < count; k++) /* components are consecutive registers */
        to[k] = sources[2 + k] =
            ir_operand_kind(reg) == IR_OPERAND_REGISTER ? reg + k : reg;
    emit(l, &inst, to, sources);
}

void lower_return(struct lower *l)
{
    const struct ptx_signature *signature = &l->function_syntax->signature;

    /* The results' own registers, whatever shadows their names here. */
    for (uint32_t k = 0; k < signature->return_count; k++) {
        const struct ptx_variable *formal = &signature->returns[k];
        if (formal->space != W_reg)
            continue;
        parameter_move(l, IR_OP_st,
                       ir_operand_make(IR_OPERAND_VARIABLE, l->f->results[k]),
                       l->return_registers[k], formal);
    }
    emit(l, &(struct ir_inst){.op = IR_OP_ret}, NULL, NULL);
}

/* --- functions --- */

enum { MAX_PARAMETERS = 32764, MAX_LOCAL = 1 << 30 };

static void copy3(uint32_t *to, const struct ptx_directive *directive)
{
    for (int k = 0; k < 3; k++)
        to[k] = directive->values[k] > UINT32_MAX ? UINT32_MAX
                                                  : (uint32_t)directive->values[k];
}

static void directives(struct lower *l, const struct ptx_function *function)
{
    bool most = false, exactly = false;

    if (function->signature.noreturn)
        gate_directive(&l->gate, l->diags, W_noreturn, function->at);
    if (function->is_entry && function->signature.noreturn)
        diag_error(l->diags, function->at, "a kernel cannot be .noreturn");
    for (uint32_t d = 0; d < function->directive_count; d++) {
        const struct ptx_directive *directive = &function->directives[d];
        uint32_t first = directive->values[0] > UINT32_MAX
            ? UINT32_MAX : (uint32_t)directive->values[0];
        bool for_kernel = directive->word != W_pragma && directive->word != W_maxnreg &&
                          directive->word != W_abi_preserve &&
                          directive->word != W_abi_preserve_control;
        gate_directive(&l->gate, l->diags, directive->word, directive->at);
        if (!for_kernel && (directive->word != W_maxnreg || !function->is_entry))
            ir_leave_out(l->module, directive->at,
                         directive->word == W_pragma ? "this pragma" : "this directive");
        if (for_kernel && !function->is_entry) {
            diag_error(l->diags, directive->at, ".%s is for kernels only",
                       word_text(directive->word));
            continue;
        }
        most |= directive->word == W_maxntid;
        exactly |= directive->word == W_reqntid;
        if (most && exactly && (directive->word == W_maxntid || directive->word == W_reqntid))
            diag_error(l->diags, directive->at, ".maxntid and .reqntid exclude each other");
        for (uint32_t k = 0; k < directive->count; k++)
            if (!directive->values[k] && directive->word != W_minnctapersm) {
                diag_error(l->diags, directive->at, ".%s must be positive",
                           word_text(directive->word));
                break;
            }
        switch (directive->word) {
        case W_maxntid: copy3(l->f->max_threads, directive); break;
        case W_reqntid: copy3(l->f->required_threads, directive); break;
        case W_reqnctapercluster: copy3(l->f->required_cluster, directive); break;
        case W_minnctapersm: l->f->min_blocks_per_sm = first; break;
        case W_maxnreg: l->f->max_registers = first; break;
        case W_maxclusterrank: l->f->max_cluster_rank = first; break;
        case W_explicitcluster: l->f->explicit_cluster = 1; break;
        case W_blocksareclusters:
            unsupported(l, directive->at, ".blocksareclusters");
            break;
        }
    }
}

/* Label numbers in block operands become block indices. */
static void resolve_labels(struct lower *l)
{
    for (uint32_t o = 0; o < l->f->operand_count; o++) {
        ir_operand operand = l->f->operands[o];
        if (ir_operand_kind(operand) != IR_OPERAND_BLOCK)
            continue;
        uint32_t block = l->labels.items[ir_operand_index(operand)].block;
        l->f->operands[o] = ir_operand_make(
            IR_OPERAND_BLOCK, block == UINT32_MAX ? 0 : block);
    }
}

static void body(struct lower *l, const struct ptx_function *function)
{
    const struct ptx_signature *signature = &function->signature;

    l->return_registers =
        ARENA_NEW_ARRAY(&l->scratch, signature->return_count, uint32_t);
    for (uint32_t k = 0; k < signature->return_count; k++) {
        struct entity *entity = scope_find(l, signature->returns[k].name);
        l->return_registers[k] = entity ? entity->value : 0;
    }
    l->location = ir_add_location(l->module, &(struct ir_location){.at = function->at});
    for (uint32_t k = 0; k < signature->parameter_count; k++) {
        const struct ptx_variable *formal = &signature->parameters[k];
        struct entity *entity = scope_find(l, formal->name);
        if (formal->space == W_reg && entity && entity->kind == ENTITY_REGISTER)
            parameter_move(l, IR_OP_ld,
                           ir_operand_make(IR_OPERAND_VARIABLE, l->f->parameters[k]),
                           entity->value, formal);
    }
    lower_block(l, function->body);
    if (l->block_open || !l->f->block_count ||
        !l->f->blocks[l->f->block_count - 1].count) {
        l->location = ir_add_location(
            l->module, &(struct ir_location){.at = function->body->end});
        lower_return(l);
    }
    resolve_labels(l);
    contract(l);
    exchange(l);
}

/* The function already declared under this name, NULL when there is none. */
static struct entity *declared(struct lower *l, const struct ptx_function *function)
{
    uint32_t index;

    if (!map_get(&l->scope->names, function->name.text, function->name.size, &index))
        return NULL;
    struct entity *entity = &l->entities.items[index];
    return entity->kind == ENTITY_FUNCTION ? entity : NULL;
}

static bool same_signature(struct lower *l, const struct ptx_signature *a,
                           const struct ptx_signature *b)
{
    uint64_t size_a, size_b;
    uint32_t align;

    if (a->return_count != b->return_count || a->parameter_count != b->parameter_count)
        return false;
    for (uint32_t k = 0; k < a->parameter_count; k++) {
        variable_bytes(l, &a->parameters[k], &size_a, &align);
        variable_bytes(l, &b->parameters[k], &size_b, &align);
        if (size_a != size_b)
            return false;
    }
    return true;
}

void lower_function_item(struct lower *l, const struct ptx_function *function)
{
    static const uint8_t linkages[] = {
        [LINKAGE_NONE] = IR_LINKAGE_INTERNAL, [LINKAGE_VISIBLE] = IR_LINKAGE_VISIBLE,
        [LINKAGE_WEAK] = IR_LINKAGE_WEAK, [LINKAGE_EXTERN] = IR_LINKAGE_EXTERN,
        [LINKAGE_COMMON] = IR_LINKAGE_COMMON};
    const struct ptx_signature *signature = &function->signature;
    struct entity *before = declared(l, function);

    if (before && before->function->body && function->body) {
        diag_error(l->diags, function->at, "duplicate definition of '%.*s'",
                   NAME_ARGS(function->name));
        return;
    }
    if (function->linkage == LINKAGE_EXTERN && function->body) {
        diag_error(l->diags, function->at, "'%.*s' is extern and has a body",
                   NAME_ARGS(function->name));
        return;
    }
    if (before && before->function->linkage != function->linkage &&
        !(before->function->linkage == LINKAGE_EXTERN &&
          function->linkage != LINKAGE_NONE)) {
        diag_error(l->diags, function->at, "'%.*s' was declared with other linkage before",
                   NAME_ARGS(function->name));
        return;
    }
    if (before && (before->function->is_entry != function->is_entry ||
                   !same_signature(l, &before->function->signature, signature))) {
        diag_error(l->diags, function->at, "'%.*s' was declared otherwise before",
                   NAME_ARGS(function->name));
        return;
    }
    if (before && !function->body)
        return;
    if (before) {
        l->function_index = ir_operand_index(before->value);
        before->function = function;
    } else {
        l->function_index =
            ir_add_function(l->module, name_string(l, function->name));
        scope_declare(l, function->name,
                      (struct entity){.kind = ENTITY_FUNCTION,
                                      .value = ir_operand_make(IR_OPERAND_FUNCTION,
                                                               l->function_index),
                                      .at = function->at,
                                      .function = function});
    }
    l->f = &l->module->functions[l->function_index];
    l->function_syntax = function;
    l->labels.count = 0;
    l->register_names = (struct map){0};
    l->block_names = (struct map){0};
    l->locations = (struct map){0};
    l->source = (struct ir_location){0};
    l->name_serial = 0;
    l->block_open = false;
    l->carry = 0;
    l->wide = 0;
    l->used_bytes = 0;
    l->loose.count = 0;
    l->f->variable_count = 0; /* a declaration's are replaced */
    l->f->is_kernel = function->is_entry;
    l->f->noreturn = signature->noreturn;
    l->f->at = function->at;
    /* What has no body here must come from outside. */
    l->f->linkage = function->body ? linkages[function->linkage] : IR_LINKAGE_EXTERN;
    scope_enter(l);
    l->f->results = formals(l, signature->returns, signature->return_count,
                            function->body != NULL, ROLE_RESULT);
    l->f->result_count = signature->return_count;
    l->f->parameters = formals(l, signature->parameters, signature->parameter_count,
                               function->body != NULL, ROLE_INPUT);
    l->f->parameter_count = signature->parameter_count;
    directives(l, function);
    if (function->body)
        body(l, function);
    scope_leave(l);
    ir_lay_out(l->f);
    /* PTX ISA, "Kernel Function Parameters"; the rest only keeps sums small. */
    if (l->f->parameter_bytes > MAX_PARAMETERS && l->f->is_kernel)
        diag_error(l->diags, function->at, "kernel '%.*s' has %llu bytes of parameters, %d "
                   "is the most", NAME_ARGS(function->name),
                   (unsigned long long)l->f->parameter_bytes, MAX_PARAMETERS);
    if (l->f->local_bytes > MAX_LOCAL)
        unsupported(l, function->at, "%llu bytes of local memory in one function",
                    (unsigned long long)l->f->local_bytes);
    l->f = NULL;
}

/* .alias a, b: a is another name of b. Calls of a that came before its alias
 * are redirected when the module is complete. */
void lower_alias(struct lower *l, const struct ptx_alias *alias)
{
    struct entity *target = scope_need(l, alias->target, alias->target_at);
    struct entity *name = scope_need(l, alias->name, alias->at);

    if (!target || !name)
        return;
    if (target->kind != ENTITY_FUNCTION || name->kind != ENTITY_FUNCTION ||
        !target->function->body || name->function->body) {
        diag_error(l->diags, alias->at,
                   ".alias needs a declared function and a defined one");
        return;
    }
    gate_directive(&l->gate, l->diags, W_alias, alias->at);
    ir_leave_out(l->module, alias->at, ".alias (calls go to what it names)");
    *ARENA_PUSH(&l->scratch, &l->redirections) =
        (struct redirection){name->value, target->value};
    *name = *target;
}

void lower_redirect(struct lower *l)
{
    struct ir_module *module = l->module;
    ir_operand *to = ARENA_NEW_ARRAY(&l->scratch, module->function_count, ir_operand);

    if (!l->redirections.count)
        return;
    for (uint32_t r = 0; r < l->redirections.count; r++)
        to[ir_operand_index(l->redirections.items[r].from)] = l->redirections.items[r].to;
    for (uint32_t f = 0; f < module->function_count; f++) {
        struct ir_function *function = &module->functions[f];
        for (uint32_t o = 0; o < function->operand_count; o++) {
            ir_operand *operand = &function->operands[o];
            if (ir_operand_kind(*operand) == IR_OPERAND_FUNCTION &&
                to[ir_operand_index(*operand)])
                *operand = to[ir_operand_index(*operand)];
        }
    }
}
