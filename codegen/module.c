/* SPDX-License-Identifier: Apache-2.0
 *
 * module.c - from the IR to LLVM, through few passes, to text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "codegen/gen.h"
#include "codegen/plugin.h"

void gen_refuse(struct gen *g, const char *format, ...)
{
    char text[300];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    diag_error(g->diags, g->at, "%s", text);
}

/* --- LLVM's own target ---------------------------------------------------- */

/* What LLVM itself writes is old; the newest version and chip that it knows and the
 * text may use are enough for it. */
static LLVMTargetMachineRef target_machine(struct gen *g)
{
    static const uint16_t chips[] = {90, 89, 87, 86, 80, 75, 72, 70, 62, 61, 60,
                                     53, 52, 50, 37, 35, 32, 30, 21, 20};
    static const uint16_t versions[] = {85, 84, 83, 82, 81, 80, 78, 77, 76, 75, 74, 73, 72,
                                        71, 70, 65, 64, 63, 62, 61, 60, 50, 43, 42, 41, 40, 32};
    const char *triple =
        g->module->address_bits == 32 ? "nvptx-nvidia-cuda" : "nvptx64-nvidia-cuda";
    LLVMTargetRef target;
    char chip[16], features[16], *message;
    unsigned c = 0, v = 0;

    while (c + 1 < sizeof chips / sizeof *chips && chips[c] > g->need.sm)
        c++;
    while (v + 1 < sizeof versions / sizeof *versions && versions[v] > g->need.version)
        v++;
    snprintf(chip, sizeof chip, "sm_%u", chips[c]);
    snprintf(features, sizeof features, "+ptx%u", versions[v]);
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        diag_error(g->diags, (struct loc){0, 0}, "LLVM: %s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, triple, chip, features, LLVMCodeGenLevelNone,
                                   LLVMRelocDefault, LLVMCodeModelDefault);
}

/* LLVM gives up on what it cannot handle by ending the program; then at least with a
 * word and our status. */
static void give_up(const char *reason)
{
    fprintf(stderr, "simtlab: LLVM: %s\n", reason);
    exit(2);
}

static void start_llvm(void)
{
    LLVMResetFatalErrorHandler();
    LLVMInstallFatalErrorHandler(give_up);
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

/* --- diagnostics ---------------------------------------------------------- */

/* LLVM's own complaints, about inline assembly and the like. */
static void complain(LLVMDiagnosticInfoRef info, void *self)
{
    struct gen *g = self;
    char *text;

    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    text = LLVMGetDiagInfoDescription(info);
    diag_error(g->diags, (struct loc){0, 0}, "LLVM: %s", text);
    LLVMDisposeMessage(text);
}

/* --- the module ----------------------------------------------------------- */

/* Too new a version stops nobody from finding what else is wrong. */
static void build(struct gen *g)
{
    uint32_t errors = g->diags->errors;

    gen_declare_functions(g);
    gen_symbols(g);
    if (g->diags->errors - errors > g->need.errors)
        return;
    gen_symbol_values(g);
    gen_debug_begin(g);
    for (uint32_t f = 0; f < g->module->function_count; f++)
        if (g->module->functions[f].block_count)
            gen_function_body(g, f);
    gen_debug_end(g);
}

static bool verify(struct gen *g)
{
    char *message = NULL;
    bool broken = LLVMVerifyModule(g->llvm, LLVMReturnStatusAction, &message);

    if (broken)
        diag_error(g->diags, (struct loc){0, 0}, "LLVM finds the module broken: %.200s", message);
    LLVMDisposeMessage(message);
    return !broken;
}

/* Slots become values, and nothing else happens: no pass that moves, doubles or drops
 * an instruction. */
static bool promote(struct gen *g, LLVMTargetMachineRef machine)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error =
        LLVMRunPasses(g->llvm, "function(sroa<preserve-cfg>)", machine, options);

    LLVMDisposePassBuilderOptions(options);
    if (error) {
        char *message = LLVMGetErrorMessage(error);
        diag_error(g->diags, (struct loc){0, 0}, "LLVM: %s", message);
        LLVMDisposeErrorMessage(message);
    }
    return !error;
}

static void write_llvm(struct gen *g, struct text *out)
{
    char *text = LLVMPrintModuleToString(g->llvm);

    text_puts(out, text);
    LLVMDisposeMessage(text);
}

static void write_ptx(struct gen *g, LLVMTargetMachineRef machine, struct text *out)
{
    LLVMMemoryBufferRef buffer;
    char *message;

    if (LLVMTargetMachineEmitToMemoryBuffer(machine, g->llvm, LLVMAssemblyFile, &message,
                                            &buffer)) {
        diag_error(g->diags, (struct loc){0, 0}, "LLVM: %s", message);
        LLVMDisposeMessage(message);
        return;
    }
    if (!g->diags->errors)
        gen_finish(g, LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer), out);
    LLVMDisposeMemoryBuffer(buffer);
}

static void write(struct gen *g, struct text *out)
{
    LLVMTargetMachineRef machine = target_machine(g);

    if (!machine)
        return;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMSetModuleDataLayout(g->llvm, layout);
    LLVMSetTarget(g->llvm, triple);
    LLVMDisposeMessage(triple);
    LLVMDisposeTargetData(layout);
    if (verify(g) && promote(g, machine)) {
        if (g->options->llvm)
            write_llvm(g, out);
        else
            write_ptx(g, machine, out);
    }
    LLVMDisposeTargetMachine(machine);
}

static bool write_module(const struct ir_module *module, const struct codegen_options *options,
                         struct text *out, struct diags *diags)
{
    uint32_t errors = diags->errors;
    struct arena arena = {0};
    struct gen g = {.module = module, .options = options, .diags = diags, .arena = &arena};

    start_llvm();
    need_begin(&g.need, module, options, diags);
    g.context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(g.context, complain, &g);
    g.llvm = LLVMModuleCreateWithNameInContext("simtlab", g.context);
    LLVMSetSourceFileName(g.llvm, module->name, strlen(module->name));
    g.builder = LLVMCreateBuilderInContext(g.context);
    if (diags->errors == errors)
        build(&g);
    if (diags->errors == errors)
        need_end(&g.need);
    if (diags->errors == errors)
        write(&g, out);
    LLVMDisposeBuilder(g.builder);
    LLVMDisposeModule(g.llvm);
    LLVMContextDispose(g.context);
    arena_free(&arena);
    return diags->errors == errors;
}

const struct codegen_plugin simtlab_codegen = {CODEGEN_PLUGIN_VERSION, CODEGEN_PLUGIN_IR,
                                                write_module};
