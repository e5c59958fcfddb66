/* SPDX-License-Identifier: Apache-2.0
 *
 * probe.c - see probe.h. The IR of the kernel, and of the functions that it may call, gets
 * a few instructions behind each one that has a result, and the code generator writes it
 * as PTX. Functions find the words by a variable that the kernel's threads set. */
#include "conformance/probe.h"

#include <inttypes.h>
#include <string.h>

#include "api/objects.h"
#include "codegen/codegen.h"
#include "conformance/align.h"
#include "gpu/launch_lines.h"

/* Offsets in PTX have 31 bits. */
enum { MOST_BYTES = 1 << 30 };

struct probing {
    struct arena *arena;
    struct ir_module *module;
    struct ir_function *f;
    const struct recording_launch *launch;
    struct probes *out;
    struct ir_inst *insts; /* as they will be */
    uint32_t inst_count;
    ir_operand *operands;
    uint32_t operand_count;
    ir_operand variable;   /* where the buffer is, for functions; 0 when there are none */
    ir_operand here;       /* the thread's word in the first slot */
    ir_operand limit;      /* probes of a thread that count */
    ir_operand value, sum, old, count; /* 64-bit registers of the probes */
    ir_operand within;     /* a predicate */
    uint32_t loc;
    ir_operand guard;
    uint8_t guard_not;
    uint32_t names;
};

static ir_operand reg(struct probing *p, enum ir_type width)
{
    return ir_add_register(p->module, p->f, width,
                           arena_printf(p->arena, "probe_%u", p->names++));
}

static ir_operand number(struct probing *p, uint64_t value)
{
    return ir_add_constant(p->module, p->f, value);
}

static void put(struct probing *p, struct ir_inst inst, ir_operand to, const ir_operand *sources,
                uint32_t count)
{
    inst.first = p->operand_count;
    inst.destinations = to != 0;
    inst.sources = (uint16_t)count;
    inst.loc = p->loc;
    inst.guard = p->guard;
    inst.guard_not = p->guard_not;
    if (to)
        p->operands[p->operand_count++] = to;
    for (uint32_t i = 0; i < count; i++)
        p->operands[p->operand_count++] = sources[i];
    p->insts[p->inst_count++] = inst;
}

static void put_lane(struct probing *p, enum ir_op op, enum ir_type type, enum ir_type type2,
                     ir_operand to, ir_operand a, ir_operand b, ir_operand c)
{
    put(p, (struct ir_inst){.op = (uint16_t)op, .type = (uint8_t)type, .type2 = (uint8_t)type2},
        to, (ir_operand[3]){a, b, c}, c ? 3 : b ? 2 : 1);
}

static ir_operand special(struct probing *p, enum ir_sreg sreg)
{
    ir_operand to = reg(p, IR_b32), from = ir_operand_make(IR_OPERAND_SREG, sreg);

    put(p, (struct ir_inst){.op = IR_OP_sreg, .type = IR_b32, .type2 = IR_b32}, to, &from, 1);
    return to;
}

/* ((z * size_y) + y) * size_x + x */
static ir_operand linear(struct probing *p, enum ir_sreg x, const uint32_t size[3])
{
    ir_operand index = special(p, (enum ir_sreg)(x + 2));

    for (int i = 1; i >= 0; i--) {
        ir_operand next = reg(p, IR_b32), own = special(p, (enum ir_sreg)(x + i));
        put_lane(p, IR_OP_mad, IR_u32, IR_u32, next, index, number(p, size[i]), own);
        index = next;
    }
    return index;
}

static void put_access(struct probing *p, enum ir_op op, ir_operand to, ir_operand base,
                       uint64_t offset)
{
    ir_operand sources[3] = {base, number(p, offset), to};
    struct ir_inst access = {.op = (uint16_t)op, .type = IR_u64, .type2 = IR_u64,
                             .space = IR_SPACE_GLOBAL, .vector = 1};

    put(p, access, op == IR_OP_ld ? to : 0, sources, op == IR_OP_ld ? 2 : 3);
}

static void put_parameter(struct probing *p, ir_operand to, ir_operand parameter)
{
    put(p, (struct ir_inst){.op = IR_OP_ld, .type = IR_u64, .type2 = IR_u64,
                            .space = IR_SPACE_PARAM, .vector = 1},
        to, (ir_operand[2]){parameter, number(p, 0)}, 2);
}

/* At the begin of a function: where this thread's words are. parameters: the kernel's two,
 * or NULL. */
static void put_address(struct probing *p, const ir_operand *parameters)
{
    const uint32_t *block = p->launch->block, *grid = p->launch->grid;
    ir_operand base = reg(p, IR_b64), thread = linear(p, IR_SREG_tid_x, block);
    ir_operand index = reg(p, IR_b32), offset = reg(p, IR_b64);

    put_lane(p, IR_OP_mad, IR_u32, IR_u32, index, linear(p, IR_SREG_ctaid_x, grid),
             number(p, block[0] * block[1] * block[2]), thread);
    put_lane(p, IR_OP_mul_wide, IR_u64, IR_u32, offset, index, number(p, 8), 0);
    p->limit = reg(p, IR_b64);
    if (parameters) {
        put_parameter(p, base, parameters[0]);
        put_parameter(p, p->limit, parameters[1]);
    } else {
        put_access(p, IR_OP_ld, base, p->variable, 0);
        put_access(p, IR_OP_ld, p->limit, p->variable, 8);
    }
    if (parameters && p->variable) { /* all threads the same words */
        put_access(p, IR_OP_st, base, p->variable, 0);
        put_access(p, IR_OP_st, p->limit, p->variable, 8);
    }
    p->here = reg(p, IR_b64);
    put_lane(p, IR_OP_add, IR_u64, IR_u64, p->here, base, offset, 0);
}

/* What a register holds as 64 bits in p->value; false for what is left out. */
static bool put_value(struct probing *p, const struct ir_inst *inst, ir_operand from)
{
    switch (p->f->registers[ir_operand_index(from)].width) {
    case IR_b16:
        put_lane(p, IR_OP_cvt, IR_u64, IR_u16, p->value, from, 0, 0);
        return true;
    case IR_b32:
        put_lane(p, IR_OP_cvt, IR_u64, IR_u32, p->value, from, 0, 0);
        return true;
    case IR_b64:
        if (inst->type == IR_f64)
            put_lane(p, IR_OP_mov, IR_b64, IR_b64, p->value, from, 0, 0);
        return inst->type == IR_f64;
    default:
        return false;
    }
}

static bool is_probed(const struct probing *p, const struct ir_inst *inst, ir_operand to)
{
    if (ir_operand_kind(to) != IR_OPERAND_REGISTER || inst->op == IR_OP_sreg ||
        (inst->guard && inst->guard == to))
        return false;
    unsigned width = p->f->registers[ir_operand_index(to)].width;
    return width == IR_b16 || width == IR_b32 || (width == IR_b64 && inst->type == IR_f64);
}

/* Behind the instruction: word = word * prime + value + 1, for each of its results; but not
 * any more when the thread has met more probes than the limit. It counts them in the last
 * slot. */
static void put_probe(struct probing *p, const struct ir_inst *inst, uint32_t slot)
{
    uint64_t place = slot * p->out->threads * 8, counter = p->out->slots * p->out->threads * 8;

    p->guard = inst->guard;
    p->guard_not = inst->guard_not;
    put_access(p, IR_OP_ld, p->count, p->here, counter);
    put_lane(p, IR_OP_add, IR_u64, IR_u64, p->count, p->count, number(p, 1), 0);
    put_access(p, IR_OP_st, p->count, p->here, counter);
    put_lane(p, IR_OP_le, IR_pred, IR_u64, p->within, p->count, p->limit, 0);
    put_access(p, IR_OP_ld, p->old, p->here, place);
    put_lane(p, IR_OP_mov, IR_b64, IR_b64, p->sum, p->old, 0, 0);
    for (uint32_t i = 0; i < inst->destinations; i++) {
        ir_operand to = ir_destinations(p->f, inst)[i];
        if (!is_probed(p, inst, to) || !put_value(p, inst, to))
            continue;
        put_lane(p, IR_OP_mul, IR_u64, IR_u64, p->sum, p->sum,
                 number(p, UINT64_C(0x100000001b3)), 0);
        put_lane(p, IR_OP_add, IR_u64, IR_u64, p->sum, p->sum, p->value, 0);
        put_lane(p, IR_OP_add, IR_u64, IR_u64, p->sum, p->sum, number(p, 1), 0);
    }
    put_lane(p, IR_OP_selp, IR_b64, IR_b64, p->sum, p->sum, p->old, p->within);
    put_access(p, IR_OP_st, p->sum, p->here, place);
    p->guard = 0;
    p->guard_not = 0;
}

static bool has_probe(const struct probing *p, const struct ir_inst *inst)
{
    bool any = false;

    for (uint32_t i = 0; i < inst->destinations; i++)
        any |= is_probed(p, inst, ir_destinations(p->f, inst)[i]);
    return any && !(ir_ops[inst->op].flags & IR_FLAG_ENDS);
}

static void describe(struct probing *p, const struct ir_inst *inst, struct probe_slot *slot)
{
    const struct ir_location *location = &p->module->locations[inst->loc];

    slot->text_line = location->at.line;
    slot->line = location->file ? location->line : 0;
    slot->file = location->file ? arena_strdup(p->arena, p->module->files[location->file]) : NULL;
    slot->statement = statement_text(p->arena, p->module, p->module->locations[inst->loc].at);
}

/* The function with its probes, the first of which has this slot; how many it has. */
static uint32_t rewrite(struct probing *p, struct ir_function *f, const ir_operand *parameters,
                        uint32_t slot)
{
    uint32_t count = f->inst_count, results = f->operand_count, first_slot = slot;

    p->f = f;
    p->insts = ARENA_NEW_ARRAY(p->module->arena, 60 + count * 16 + results * 5, struct ir_inst);
    p->operands = ARENA_NEW_ARRAY(p->module->arena, 300 + count * 60 + results * 20, ir_operand);
    memcpy(p->operands, f->operands, f->operand_count * sizeof *p->operands);
    p->operand_count = f->operand_count;
    p->inst_count = 0;
    p->value = reg(p, IR_b64);
    p->sum = reg(p, IR_b64);
    p->old = reg(p, IR_b64);
    p->count = reg(p, IR_b64);
    p->within = reg(p, IR_pred);
    for (uint32_t b = 0; b < f->block_count; b++) {
        uint32_t first = f->blocks[b].first, end = first + f->blocks[b].count;
        f->blocks[b].first = p->inst_count;
        if (b == 0) {
            p->loc = f->insts[first].loc;
            put_address(p, parameters);
        }
        for (uint32_t i = first; i < end; i++) {
            struct ir_inst inst = f->insts[i];
            p->insts[p->inst_count++] = inst;
            if (!has_probe(p, &inst))
                continue;
            p->loc = inst.loc;
            describe(p, &inst, &p->out->slot[slot]);
            put_probe(p, &inst, slot++);
        }
        f->blocks[b].count = p->inst_count - f->blocks[b].first;
    }
    f->insts = p->insts;
    f->inst_count = f->inst_capacity = p->inst_count;
    f->operands = p->operands;
    f->operand_count = f->operand_capacity = p->operand_count;
    return slot - first_slot;
}

static ir_operand add_parameter(struct probing *p, const char *name)
{
    struct ir_function *f = p->f;
    uint64_t at = (f->parameter_bytes + 7) / 8 * 8;
    ir_operand made = ir_add_variable(
        p->module, f, &(struct ir_variable){.name = name, .size = 8, .align = 8,
                                            .space = IR_SPACE_PARAM, .type = IR_u64,
                                            .offset = at});
    uint32_t *parameters = ARENA_NEW_ARRAY(p->module->arena, f->parameter_count + 1, uint32_t);

    if (f->parameter_count)
        memcpy(parameters, f->parameters, f->parameter_count * sizeof *parameters);
    parameters[f->parameter_count++] = ir_operand_index(made);
    f->parameters = parameters;
    f->parameter_bytes = at + 8;
    return made;
}

/* --- what is called ------------------------------------------------------------------------ */

struct callees {
    bool *reached;
    uint32_t *waiting, count;
};

static void reach(struct callees *c, ir_operand operand)
{
    uint32_t index = ir_operand_index(operand);

    if (ir_operand_kind(operand) != IR_OPERAND_FUNCTION || c->reached[index])
        return;
    c->reached[index] = true;
    c->waiting[c->count++] = index;
}

/* By function: whether the kernel may come to it, by a call or by its address. */
static bool *callees_of(struct probing *p, uint32_t kernel)
{
    const struct ir_module *module = p->module;
    struct callees c = {ARENA_NEW_ARRAY(p->arena, module->function_count, bool),
                        ARENA_NEW_ARRAY(p->arena, module->function_count, uint32_t), 0};

    reach(&c, ir_operand_make(IR_OPERAND_FUNCTION, kernel));
    for (uint32_t s = 0; s < module->symbol_count; s++)
        for (uint32_t r = 0; r < module->symbols[s].relocation_count; r++)
            reach(&c, module->symbols[s].relocations[r].target);
    while (c.count) {
        const struct ir_function *f = &module->functions[c.waiting[--c.count]];
        for (uint32_t o = 0; o < f->operand_count; o++)
            reach(&c, f->operands[o]);
    }
    for (uint32_t f = 0; f < module->function_count; f++)
        c.reached[f] = c.reached[f] && module->functions[f].block_count &&
                       (!module->functions[f].is_kernel || f == kernel);
    return c.reached;
}

static uint32_t probes_in(struct probing *p, struct ir_function *f)
{
    uint32_t count = 0;

    p->f = f;
    for (uint32_t i = 0; i < f->inst_count; i++)
        count += has_probe(p, &f->insts[i]);
    return count;
}

/* In all that the kernel may come to, in the order of the module. */
static const char *probe_all(struct probing *p, uint32_t kernel)
{
    bool *reached = callees_of(p, kernel);
    uint32_t functions = 0, slot = 0;

    for (uint32_t f = 0; f < p->module->function_count; f++)
        if (reached[f]) {
            p->out->slots += probes_in(p, &p->module->functions[f]);
            functions++;
        }
    if (!p->out->slots)
        return "the kernel has nothing to probe";
    if (p->out->threads * 8 > MOST_BYTES / (p->out->slots + 1))
        return "too many threads for probes in all instructions";
    p->out->slot = ARENA_NEW_ARRAY(p->arena, p->out->slots, struct probe_slot);
    p->f = &p->module->functions[kernel];
    ir_operand parameters[2];
    parameters[0] = add_parameter(p, "simtlab_probes");
    parameters[1] = add_parameter(p, "simtlab_limit");
    if (functions > 1)
        p->variable = ir_operand_make(
            IR_OPERAND_SYMBOL,
            ir_add_symbol(p->module, &(struct ir_symbol){
                                         .name = "simtlab_probes", .size = 16, .align = 8,
                                         .space = IR_SPACE_GLOBAL, .type = IR_u64}));
    for (uint32_t f = 0; f < p->module->function_count; f++)
        if (reached[f])
            slot += rewrite(p, &p->module->functions[f], f == kernel ? parameters : NULL, slot);
    return NULL;
}

/* Other kernels of the file do not run: what they hold need not be written. */
static void empty_others(struct probing *p)
{
    for (uint32_t i = 0; i < p->module->function_count; i++) {
        struct ir_function *other = &p->module->functions[i];
        uint32_t end = 0;

        while (end < other->inst_count && other->insts[end].op != IR_OP_ret)
            end++;
        if (!other->is_kernel || other == p->f || end == other->inst_count)
            continue;
        other->insts[0] = other->insts[end];
        other->insts[0].guard = 0;
        other->insts[0].guard_not = 0;
        other->inst_count = 1;
        other->block_count = 1;
        other->blocks[0].first = 0;
        other->blocks[0].count = 1;
    }
}

static const char *make(struct probing *p, const struct conform_case *c, sl_module *module)
{
    const struct recording_launch *launch = p->launch, *l = &c->recorded->launch;
    struct text text = {0};
    sl_kernel *kernel, *other;

    if (sl_module_find(module, launch->kernel, &kernel) != SL_OK)
        return arena_strdup(p->arena, sl_context_error(module->context));
    for (; l != launch; l = l->next) /* which would need the new argument, too */
        if (sl_module_find(module, l->kernel, &other) == SL_OK && other == kernel)
            return "the kernel is launched more than once in the job";
    p->module = module->ir;
    p->f = &p->module->functions[kernel->function];
    empty_others(p);
    p->out->threads = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2] *
                      launch->block[0] * launch->block[1] * launch->block[2];
    const char *wrong = probe_all(p, kernel->function);
    if (wrong)
        return wrong;
    struct diags diags = {.arena = p->arena, .name = module->ir->name};
    if (!ir_verify(p->module, &diags) ||
        !codegen_write(p->module, &(struct codegen_options){0}, &text, &diags)) {
        struct text why = {0};
        diag_print(&why, &diags);
        const char *words = arena_copy(p->arena, text_string(&why),
                                       strcspn(text_string(&why), "\n"));
        text_free(&why);
        text_free(&text);
        return words;
    }
    p->out->ptx = arena_copy(p->arena, text_string(&text), text.size);
    p->out->size = text.size;
    text_free(&text);
    return NULL;
}

const char *probes_make(struct arena *arena, const struct conform_case *c, struct probes *out)
{
    struct probing p = {.arena = arena, .out = out, .launch = case_last_launch(c)};
    const char *wrong = NULL;
    sl_context *context;
    sl_module *module;

    *out = (struct probes){0};
    if (!codegen_available())
        return "this build has no LLVM 19 to write probes with";
    if (sl_context_create(c->target, &context) != SL_OK)
        return "there is no profile of the chip";
    if (sl_module_load(context, SL_FORMAT_PTX, c->recorded->launch.ptx, c->ptx, c->ptx_size,
                       &module) != SL_OK)
        wrong = arena_strdup(arena, sl_context_error(context));
    else
        wrong = make(&p, c, module);
    sl_context_destroy(context);
    return wrong;
}

struct conform_case probes_case(struct arena *arena, const struct conform_case *c,
                                const struct probes *probes, uint64_t limit)
{
    struct conform_case made = *c;
    struct recording_job *job = ARENA_NEW(arena, struct recording_job);
    struct recording_launch *launch = &job->launch;

    *job = *c->recorded;
    while (launch->next) { /* the others are as they were */
        struct recording_launch *copy = ARENA_NEW(arena, struct recording_launch);
        *copy = *launch->next;
        launch->next = copy;
        launch = copy;
    }
    const char **arguments = ARENA_NEW_ARRAY(arena, launch->argument_count + 2, const char *);
    if (launch->argument_count)
        memcpy(arguments, launch->arguments, launch->argument_count * sizeof *arguments);
    arguments[launch->argument_count] =
        arena_printf(arena, "u64[%" PRIu64 "]=0", probes->threads * (probes->slots + 1));
    arguments[launch->argument_count + 1] = arena_printf(arena, "%" PRIu64, limit);
    launch->arguments = arguments;
    job->items = ARENA_NEW(arena, struct recording_output);
    *job->items = (struct recording_output){
        .source = RECORDED_ARGUMENT, .argument = launch->first_argument + launch->argument_count,
        .name = "", .element = ELEMENT_U64, .count = probes->threads * (probes->slots + 1)};
    launch->argument_count += 2;
    job->count = job->capacity = 1;
    made.recorded = job;
    made.ptx = probes->ptx;
    made.ptx_size = probes->size;
    return made;
}

void probes_job(struct text *out, const struct conform_case *probed, const char *ptx)
{
    struct recording_launch launch = probed->recorded->launch;

    launch.ptx = ptx;
    text_printf(out, "job %s, probes\n", launch.name);
    launch_lines_write(out, &launch);
    text_printf(out, "output %u\n", probed->recorded->items[0].argument);
}
