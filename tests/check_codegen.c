/* SPDX-License-Identifier: Apache-2.0
 *
 * check_codegen.c - what codegen writes does the same as what it was written from.
 *
 * Every golden kernel is written as PTX again and then must pass its own file:
 * outputs, printed text, findings and status. The expectations are those of the file,
 * which come from the manual and from hardware. And read again it must have the same
 * accesses, atomics, fences, barriers and warp operations, one by one. SIMTLAB_GOLDEN=area/name runs one. */
#include "codegen/codegen.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "frontend/ptx/ptx.h"
#include "tests/golden.h"
#include "tests/suite.h"

static char *files[GOLDEN_FILES_MAX];
static int file_count;

/* NULL: the text is no PTX that can be read, which is what its file is about. */
static struct ir_module *read_module(struct arena *arena, const char *name, const char *text,
                                     size_t size)
{
    struct diags diags = {.arena = arena, .name = name, .source = text, .source_size = size};
    struct ir_module *module = ptx_read(arena, name, text, size, &diags);

    return module && !diags.errors && ir_verify(module, &diags) ? module : NULL;
}

static char *written(struct arena *arena, const struct ir_module *module, bool llvm,
                     size_t *size)
{
    struct diags diags = {.arena = arena, .name = module->name, .source = module->source,
                          .source_size = module->source_size};
    struct codegen_options options = {.llvm = llvm};
    struct text out = {0}, why = {0};

    if (!codegen_write(module, &options, &out, &diags)) {
        diag_print(&why, &diags);
        ck_abort_msg("%s", text_string(&why));
    }
    *size = out.size;
    char *copy = arena_copy(arena, text_string(&out), out.size);
    text_free(&out);
    return copy;
}

/* LLVM sees that x + d - d is x, so that a bad d is nobody's address any more. */
static bool finds_otherwise(const char *file)
{
    return !strcmp(file, "init/address.ptx");
}

/* Line numbers are those of the original. */
static struct golden_launch without_lines(struct arena *arena, const struct golden_launch *launch)
{
    struct golden_launch copy = *launch;

    copy.findings.items =
        ARENA_NEW_ARRAY(arena, launch->findings.count, struct golden_finding);
    for (uint32_t f = 0; f < launch->findings.count; f++) {
        copy.findings.items[f] = launch->findings.items[f];
        copy.findings.items[f].ptx_line = 0;
    }
    return copy;
}

START_TEST(same_results)
{
    struct arena arena = {0};
    struct text why = {0};
    struct golden_file file;
    char *path = arena_printf(&arena, "%s/tests/golden/%s", SIMTLAB_SOURCE_DIR, files[_i]);
    const char *problem;
    size_t size;
    char *text = file_read(&arena, path, &size, &problem);
    bool fine = true;

    ck_assert_msg(text != NULL, "%s: %s", path, problem);
    ck_assert_msg(golden_read(&arena, files[_i], text, size, &file, &why), "%s",
                  text_string(&why));
    struct ir_module *module = read_module(&arena, files[_i], text, size);
    if (module) {
        file.text = written(&arena, module, false, &file.size);
        for (uint32_t i = 0; i < file.launches.count; i++) {
            struct golden_launch launch = without_lines(&arena, &file.launches.items[i]);
            if (!finds_otherwise(files[_i]) || !launch.findings.count)
                fine &= golden_run(&file, &launch, launch.seed, &why);
        }
    }
    ck_assert_msg(fine, "%s", text_string(&why));
    text_free(&why);
    arena_free(&arena);
}
END_TEST

/* --- instructions ---------------------------------------------------------- */

/* What other threads, or memory that they see, can notice; in the order of the text. */
static bool is_noticed(const struct ir_module *module, const struct ir_function *function,
                       const struct ir_inst *inst)
{
    ir_operand from = inst->sources ? ir_sources(function, inst)[0] : 0;

    switch (inst->op) {
    case IR_OP_ld: /* handles are constant */
        if (ir_operand_kind(from) == IR_OPERAND_SYMBOL &&
            module->symbols[ir_operand_index(from)].reference)
            return false; /* fall through */
    case IR_OP_st:
        return inst->space != IR_SPACE_PARAM && inst->space != IR_SPACE_ARGUMENT &&
               inst->space != IR_SPACE_LOCAL;
    case IR_OP_to_generic: /* depend on nothing but operands */
    case IR_OP_from_generic:
    case IR_OP_isspacep:
    case IR_OP_mapa:
    case IR_OP_getctarank:
    case IR_OP_mbarrier_pending:
    case IR_OP_sreg:
    case IR_OP_call:
    case IR_OP_call_indirect:
    case IR_OP_exit: /* LLVM adds some behind what does not come back, */
    case IR_OP_trap: /* and brx.idx has one for no target */
        return false;
    default:
        return ir_ops[inst->op].group != IR_GROUP_LANE &&
               !(ir_ops[inst->op].flags & IR_FLAG_ENDS);
    }
}

struct noticed {
    const struct ir_inst **items;
    uint32_t count, capacity;
};

static struct noticed noticed(struct arena *arena, const struct ir_module *module,
                              const struct ir_function *function)
{
    struct ir_cfg *cfg = ir_cfg_build(arena, function);
    struct noticed list = {0};

    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct ir_block *block = &function->blocks[b];
        bool reached = false;
        for (uint32_t i = 0; i < cfg->order_count; i++)
            reached |= cfg->order[i] == b;
        for (uint32_t i = block->first; reached && i < block->first + block->count; i++)
            if (is_noticed(module, function, &function->insts[i]))
                *ARENA_PUSH(arena, &list) = &function->insts[i];
    }
    return list;
}

static bool same_type(enum ir_type a, enum ir_type b)
{
    return ir_types[a].bits == ir_types[b].bits &&
           (ir_types[a].kind == IR_KIND_S) == (ir_types[b].kind == IR_KIND_S);
}

static bool same_instruction(const struct ir_inst *a, const struct ir_inst *b)
{
    /* There is one addition of 64 bits, and mma starts from f32 where wmma had f16. */
    bool types = a->op == IR_OP_mma || ir_types[a->type].bits == 64
                     ? ir_types[a->type].bits == ir_types[b->type].bits
                     : same_type(a->type, b->type);

    return a->op == b->op && a->sub == b->sub && a->space == b->space &&
           a->order == b->order && a->scope == b->scope && a->mode == b->mode &&
           a->vector == b->vector && a->cache == b->cache && a->hints == b->hints &&
           !a->policy == !b->policy && types && (a->op != IR_OP_ld || a->extra == b->extra) &&
           !a->guard == !b->guard && a->guard_not == b->guard_not;
}

static char *printed(struct arena *arena, const struct ir_module *module,
                     const struct ir_function *function, const struct ir_inst *inst)
{
    struct text text = {0};

    ir_print_inst(&text, module, function, inst);
    char *copy = arena_strdup(arena, text_string(&text));
    text_free(&text);
    return copy;
}

/* Structs that calls pass lie in a stack frame, which LLVM reaches by generic addresses. */
static bool may_be_frame(const struct ir_function *function, const struct ir_inst *inst)
{
    bool has_frame = false;

    for (uint32_t v = 0; v < function->variable_count; v++)
        has_frame |= function->variables[v].space == IR_SPACE_LOCAL;
    return has_frame && (inst->op == IR_OP_ld || inst->op == IR_OP_st) &&
           inst->space == IR_SPACE_GENERIC && inst->order == IR_ORDER_WEAK;
}

static bool same_bounds(const struct ir_function *a, const struct ir_function *b)
{
    bool same = true;

    for (int i = 0; i < 3; i++)
        same = same && a->max_threads[i] == b->max_threads[i] &&
               a->required_threads[i] == b->required_threads[i] &&
               a->required_cluster[i] == b->required_cluster[i];
    return same && a->min_blocks_per_sm == b->min_blocks_per_sm &&
           a->max_registers == b->max_registers && a->max_cluster_rank == b->max_cluster_rank &&
           a->explicit_cluster == b->explicit_cluster;
}

static uint32_t rolled(const struct ir_function *function)
{
    uint32_t count = 0;

    for (uint32_t b = 0; b < function->block_count; b++)
        count += function->blocks[b].no_unroll;
    return count;
}

/* What directives and attributes say of a function. */
static void compare_heads(const char *file, const struct ir_function *a,
                          const struct ir_function *b)
{
    ck_assert_msg(a->is_kernel == b->is_kernel && a->linkage == b->linkage &&
                      a->noreturn == b->noreturn && a->parameter_count == b->parameter_count &&
                      a->result_count == b->result_count,
                  "%s: the head of %s is another", file, a->name);
    ck_assert_msg(same_bounds(a, b), "%s: the bounds of %s are others", file, a->name);
    ck_assert_msg(rolled(a) == rolled(b), "%s: %s has lost a .pragma \"nounroll\"", file, a->name);
    for (uint32_t i = 0; a->is_kernel && i < a->parameter_count; i++) {
        const struct ir_variable *p = &a->variables[a->parameters[i]];
        const struct ir_variable *q = &b->variables[b->parameters[i]];
        ck_assert_msg(p->size == q->size && p->align == q->align && p->offset == q->offset &&
                          p->pointer_space == q->pointer_space &&
                          p->pointer_align == q->pointer_align,
                      "%s: parameter %u of %s is another", file, i, a->name);
    }
}

static bool same_contents(const struct ir_symbol *a, const struct ir_symbol *b)
{
    for (uint64_t i = 0; i < a->size; i++)
        if ((a->bytes ? a->bytes[i] : 0) != (b->bytes ? b->bytes[i] : 0))
            return false;
    return true;
}

/* Variables that nobody uses are kept too. */
static void compare_variables(const struct ir_module *before, const struct ir_module *after)
{
    for (uint32_t s = 0; s < before->symbol_count; s++) {
        const struct ir_symbol *a = &before->symbols[s], *b = NULL;
        for (uint32_t t = 0; t < after->symbol_count && !b; t++)
            if (!strcmp(after->symbols[t].name, a->name))
                b = &after->symbols[t];
        if (!b && (a->owner || a->linkage == IR_LINKAGE_EXTERN))
            continue; /* nobody uses it, and nobody else can */
        ck_assert_msg(b != NULL, "%s: variable %s is lost", before->name, a->name);
        ck_assert_msg(a->size == b->size && a->align == b->align && a->space == b->space &&
                          (a->linkage == b->linkage || a->owner || a->reference) &&
                          a->managed == b->managed && a->reference == b->reference &&
                          a->relocation_count == b->relocation_count && same_contents(a, b),
                      "%s: variable %s is another", before->name, a->name);
    }
}

static void compare_functions(struct arena *arena, const struct ir_module *before,
                              const struct ir_function *a, const struct ir_module *after,
                              const struct ir_function *b)
{
    struct noticed first = noticed(arena, before, a), second = noticed(arena, after, b);
    uint32_t j = 0;

    for (uint32_t i = 0; i < first.count; i++, j++) {
        while (j < second.count && !same_instruction(first.items[i], second.items[j]) &&
               may_be_frame(b, second.items[j]))
            j++;
        ck_assert_msg(j < second.count, "%s: %s: '%s' is lost", before->name, a->name,
                      printed(arena, before, a, first.items[i]));
        ck_assert_msg(same_instruction(first.items[i], second.items[j]),
                      "%s: %s: '%s' is written as '%s'", before->name, a->name,
                      printed(arena, before, a, first.items[i]),
                      printed(arena, after, b, second.items[j]));
    }
    for (; j < second.count; j++)
        ck_assert_msg(may_be_frame(b, second.items[j]), "%s: %s: '%s' comes from nowhere",
                      before->name, a->name, printed(arena, after, b, second.items[j]));
}

/* Every form of what memory and others notice. */
static const char *const forms[] = {"directives", "forms", "tensor_maps", "textures", "values",
                                    "warpgroups"};
enum { FORMS = sizeof forms / sizeof *forms };

START_TEST(same_instructions)
{
    struct arena arena = {0};
    char *path = _i < file_count
                     ? arena_printf(&arena, "%s/tests/golden/%s", SIMTLAB_SOURCE_DIR, files[_i])
                     : arena_printf(&arena, "%s/tests/codegen/%s.ptx", SIMTLAB_SOURCE_DIR,
                                    forms[_i - file_count]);
    const char *problem;
    size_t size;
    char *text = file_read(&arena, path, &size, &problem);
    struct ir_module *before = read_module(&arena, path, text, size), *after;

    ck_assert(before != NULL || _i < file_count);
    if (before) {
        text = written(&arena, before, false, &size);
        after = read_module(&arena, "written", text, size);
        ck_assert_msg(after != NULL, "%s: what was written is not read", path);
        compare_variables(before, after);
        for (uint32_t f = 0; f < before->function_count; f++) {
            const struct ir_function *function = &before->functions[f];
            uint32_t other = ir_find_function(after, function->name);
            if (!function->block_count)
                continue;
            ck_assert_msg(other < after->function_count, "%s is lost", function->name);
            compare_heads(path, function, &after->functions[other]);
            compare_functions(&arena, before, function, after, &after->functions[other]);
        }
    }
    arena_free(&arena);
}
END_TEST

/* --- LLVM ------------------------------------------------------------------ */

/* LLVM reads its IR back and finds nothing wrong in it. */
START_TEST(llvm_is_valid)
{
    struct arena arena = {0};
    char *path = arena_printf(&arena, "%s/tests/golden/%s", SIMTLAB_SOURCE_DIR, files[_i]);
    const char *problem;
    size_t size;
    char *text = file_read(&arena, path, &size, &problem), *message = NULL;
    struct ir_module *module = read_module(&arena, files[_i], text, size);

    if (module) {
        LLVMContextRef context = LLVMContextCreate();
        LLVMModuleRef read = NULL;
        text = written(&arena, module, true, &size);
        LLVMMemoryBufferRef buffer =
            LLVMCreateMemoryBufferWithMemoryRange(text, size, files[_i], 1);
        ck_assert_msg(!LLVMParseIRInContext(context, buffer, &read, &message), "%s", message);
        ck_assert_msg(!LLVMVerifyModule(read, LLVMReturnStatusAction, &message), "%s", message);
        LLVMDisposeMessage(message);
        LLVMDisposeModule(read);
        LLVMContextDispose(context);
    }
    arena_free(&arena);
}
END_TEST

SUITE("codegen", {
    file_count = golden_files(files);
    if (!file_count)
        return EXIT_FAILURE;
    LOOP_TEST(same_results, 0, file_count);
    LOOP_TEST(same_instructions, 0, file_count + FORMS);
    LOOP_TEST(llvm_is_valid, 0, file_count);
})
