/* SPDX-License-Identifier: Apache-2.0
 *
 * debug.c - source locations as LLVM's debug metadata.
 *
 * LLVM writes .loc with a line and a column, without what was inlined where. For PTX
 * the line is therefore the number of the location in the module, and finish.c writes
 * the rest; the LLVM IR that people read has true lines and chains. */
#include <string.h>

#include "codegen/gen.h"

/* DICompileUnit::DebugDirectivesOnly, which the C interface has no name for: .loc
 * without sections. */
enum { DIRECTIVES_ONLY = 3 };

static bool has_lines(const struct ir_module *module)
{
    for (uint32_t l = 1; l < module->location_count; l++)
        if (module->locations[l].line && module->locations[l].file)
            return true;
    return false;
}

static LLVMMetadataRef file(struct gen *g, uint32_t index)
{
    const char *path = index ? g->module->files[index] : g->module->name;

    if (!g->debug_files[index])
        g->debug_files[index] =
            LLVMDIBuilderCreateFile(g->debug, path, strlen(path), "", 0);
    return g->debug_files[index];
}

void gen_debug_begin(struct gen *g)
{
    if (!has_lines(g->module))
        return;
    g->debug = LLVMCreateDIBuilder(g->llvm);
    g->debug_files = ARENA_NEW_ARRAY(g->arena, g->module->file_count, LLVMMetadataRef);
    LLVMDIBuilderCreateCompileUnit(g->debug, LLVMDWARFSourceLanguageC_plus_plus, file(g, 0),
                                   "simtlab", 7, 0, "", 0, 0, "", 0,
                                   (LLVMDWARFEmissionKind)DIRECTIVES_ONLY, 0, 0, 0, "", 0, "", 0);
    LLVMAddModuleFlag(g->llvm, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18,
                      LLVMValueAsMetadata(gen_number(g, 32, LLVMDebugMetadataVersion())));
}

static LLVMMetadataRef subprogram(struct gen *g, const char *name, uint32_t line)
{
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(g->debug, file(g, 0), NULL, 0, 0);

    return LLVMDIBuilderCreateFunction(g->debug, file(g, 0), name, strlen(name), "", 0,
                                       file(g, 0), line, type, 1, 1, line, 0, 0);
}

void gen_debug_function(struct gen *g)
{
    if (!g->debug)
        return;
    g->debug_locations =
        ARENA_NEW_ARRAY(g->arena, g->module->location_count, LLVMMetadataRef);
    g->debug_function = subprogram(g, g->function->name, g->function->at.line);
    LLVMSetSubprogram(g->llvm_function, g->debug_function);
}

/* A true location, in a function that was inlined or in this one. */
static LLVMMetadataRef location(struct gen *g, uint32_t index)
{
    const struct ir_location *l = &g->module->locations[index];
    LLVMMetadataRef scope, outer;

    if (g->debug_locations[index])
        return g->debug_locations[index];
    /* Chains lead to earlier ones; a chain that does not is cut. */
    outer = l->inlined_at && l->inlined_at < index ? location(g, l->inlined_at) : NULL;
    scope = outer ? subprogram(g, l->function ? l->function : "", l->line) : g->debug_function;
    scope = LLVMDIBuilderCreateLexicalBlockFile(g->debug, scope, file(g, l->file), 0);
    g->debug_locations[index] =
        LLVMDIBuilderCreateDebugLocation(g->context, l->line, l->column, scope, outer);
    return g->debug_locations[index];
}

void gen_debug_instruction(struct gen *g)
{
    const struct ir_location *l = &g->module->locations[g->inst->loc];
    LLVMMetadataRef made = NULL;

    if (!g->debug)
        return;
    /* inlined_at is of PTX 7.2; where that is too new the line alone stays. */
    if (l->inlined_at && !g->need.forced_version && g->need.version < 72)
        g->need.version = 72;
    if (!l->line || !l->file)
        made = LLVMDIBuilderCreateDebugLocation(g->context, 0, 0, g->debug_function, NULL);
    else if (g->options->llvm)
        made = location(g, g->inst->loc);
    else
        made = LLVMDIBuilderCreateDebugLocation(g->context, g->inst->loc, 0,
                                                g->debug_function, NULL);
    LLVMSetCurrentDebugLocation2(g->builder, made);
}

void gen_debug_end(struct gen *g)
{
    if (!g->debug)
        return;
    LLVMDIBuilderFinalize(g->debug);
    LLVMDisposeDIBuilder(g->debug);
}
