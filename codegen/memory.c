/* SPDX-License-Identifier: Apache-2.0
 *
 * memory.c - loads, stores, atomics, fences, address conversions. */
#include "codegen/memory.h"

#include <stdio.h>
#include <string.h>

#include "codegen/exists.h"

const char *memory_space(const struct gen *g, enum ir_space space)
{
    switch (space) {
    case IR_SPACE_GLOBAL: return ".global";
    case IR_SPACE_SHARED: return ".shared";
    case IR_SPACE_CLUSTER: return ".shared::cluster";
    case IR_SPACE_CONST: return ".const";
    case IR_SPACE_PARAM: return g->function->is_kernel ? ".param" : ".param::entry";
    case IR_SPACE_LOCAL:
    case IR_SPACE_ARGUMENT: return ".local";
    default: return "";
    }
}

const char *memory_scope(enum ir_scope scope)
{
    static const char *const names[] = {
        [IR_SCOPE_NONE] = "", [IR_SCOPE_CTA] = ".cta", [IR_SCOPE_CLUSTER] = ".cluster",
        [IR_SCOPE_GPU] = ".gpu", [IR_SCOPE_SYS] = ".sys"};

    return names[scope];
}

/* --- ld and st ------------------------------------------------------------ */

/* Types that ld and st know: floats of 16 bits and packed ones are bits there. */
static const char *memory_type(enum ir_type type)
{
    enum ir_kind kind = ir_types[type].kind;

    if (kind == IR_KIND_B || kind == IR_KIND_U || kind == IR_KIND_S || type == IR_f32 ||
        type == IR_f64)
        return ir_types[type].name;
    return ir_types[type].bits == 16 ? "b16" : ir_types[type].bits == 32 ? "b32" : "b64";
}

static const char *order(const struct ir_inst *inst, char *buffer, size_t size)
{
    const char *scope = memory_scope(inst->scope);

    switch (inst->order) {
    case IR_ORDER_VOLATILE: return ".volatile";
    case IR_ORDER_MMIO: return ".mmio.relaxed.sys";
    case IR_ORDER_RELAXED: snprintf(buffer, size, ".relaxed%s", scope); return buffer;
    case IR_ORDER_ACQUIRE: snprintf(buffer, size, ".acquire%s", scope); return buffer;
    case IR_ORDER_RELEASE: snprintf(buffer, size, ".release%s", scope); return buffer;
    default: return "";
    }
}

/* The cache operators in the order of ir_inst.cache; strong accesses have none. */
static const char *cache(const struct ir_inst *inst)
{
    static const char *const names[] = {"", ".ca", ".cg", ".cs", ".lu", ".cv", ".wb", ".wt",
                                        ".nc"};

    if (inst->order != IR_ORDER_WEAK || inst->cache >= sizeof names / sizeof *names ||
        (inst->cache == 8 && inst->space != IR_SPACE_GLOBAL))
        return "";
    return names[inst->cache];
}

void memory_hints(const struct gen *g, char text[MEMORY_HINTS])
{
    static const char *const first[] = {"", ".L1::evict_normal", ".L1::evict_unchanged",
                                        ".L1::evict_first", ".L1::evict_last",
                                        ".L1::no_allocate"};
    static const char *const second[] = {"", ".L2::evict_normal", ".L2::evict_unchanged",
                                         ".L2::evict_first", ".L2::evict_last"};
    static const char *const sizes[] = {"", ".L2::64B", ".L2::128B", ".L2::256B"};
    unsigned hints = g->inst->hints;

    snprintf(text, MEMORY_HINTS, "%s%s%s%s", first[hints & IR_HINT_L1],
             second[(hints & IR_HINT_L2) >> 3], g->inst->policy ? ".L2::cache_hint" : "",
             sizes[(hints & IR_HINT_FETCH) >> 6]);
}

void memory_policy(struct assembly *a, bool hinted)
{
    if (hinted && a->g->inst->policy)
        assembly_value(a, gen_value(a->g, a->g->inst->policy, IR_b64));
}

/* A version or target that has no such hints goes without. */
static bool begin_access(struct assembly *a, struct gen *g)
{
    static const char *const vectors[] = {"", "", ".v2", "", ".v4", "", "", "", ".v8"};
    const struct ir_inst *inst = g->inst;
    char buffer[40], hints[MEMORY_HINTS], opcode[200];

    memory_hints(g, hints);
    for (int plain = !*hints; plain < 2; plain++) {
        snprintf(opcode, sizeof opcode, "%s%s%s%s%s%s.%s", ir_ops[inst->op].name,
                 order(inst, buffer, sizeof buffer), memory_space(g, inst->space), cache(inst),
                 plain ? "" : hints, vectors[inst->vector], memory_type(inst->type));
        if (plain || (instruction_exists(opcode) && need_allows(&g->need, opcode))) {
            assembly_begin(a, g, ASSEMBLY_MEMORY, "%s", opcode);
            return !plain;
        }
    }
    return false;
}

/* The whole of a kernel's scalar parameter is what LLVM calls an argument. */
static bool load_parameter(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    const struct ir_function *function = g->function;
    uint32_t variable = ir_operand_index(gen_source(g, 0)), index = 0;

    if (inst->space != IR_SPACE_PARAM || inst->vector != 1 || !gen_destination(g, 0) ||
        ir_operand_kind(gen_source(g, 0)) != IR_OPERAND_VARIABLE ||
        gen_constant(g, gen_source(g, 1)) || !gen_is_scalar(&function->variables[variable]) ||
        function->variables[variable].size != ir_type_bytes(inst->type))
        return false;
    while (index < function->parameter_count && function->parameters[index] != variable)
        index++;
    ir_operand to = gen_destination(g, 0);
    unsigned width = function->registers[ir_operand_index(to)].width;
    LLVMValueRef value = gen_resize(g, LLVMGetParam(g->llvm_function, index),
                                    ir_types[width].bits,
                                    ir_types[inst->type].kind == IR_KIND_S);
    gen_guarded_result(g, to, value);
    return true;
}

/* A parameter by its name, a part of it or all. */
static bool named_parameter(struct assembly *a, struct gen *g)
{
    const struct ir_function *function = g->function;
    uint32_t index = 0;

    if (ir_operand_kind(gen_source(g, 0)) != IR_OPERAND_VARIABLE ||
        g->inst->space != IR_SPACE_PARAM)
        return false;
    while (index < function->parameter_count &&
           function->parameters[index] != ir_operand_index(gen_source(g, 0)))
        index++;
    assembly_text(a, ", [%s_param_%u+%lld]", function->name, index,
                  (long long)gen_constant(g, gen_source(g, 1)));
    return true;
}

/* Which bytes of a load the program uses, for tools that watch. PTX ISA, "Pragma
 * Strings: used_bytes_mask"; a version that does not know it goes without. */
static const char *used_bytes(struct gen *g)
{
    uint32_t mask = g->inst->extra;

    if (!mask || (g->need.forced_version && g->need.forced_version < 83))
        return NULL;
    need_feature(&g->need, "used_bytes_mask", 83, 20, g->at);
    return arena_printf(g->arena, ".pragma \"used_bytes_mask 0x%x\";\n\t", mask);
}

const char *memory_reference(const struct gen *g, const struct ir_inst *inst)
{
    const ir_operand *sources = ir_sources(g->function, inst);

    if (inst->op != IR_OP_ld || ir_operand_kind(sources[0]) != IR_OPERAND_SYMBOL ||
        g->function->constants[ir_operand_index(sources[1])].value || inst->vector != 1 ||
        ir_types[inst->type].bits != 64)
        return NULL;
    const struct ir_symbol *symbol = &g->module->symbols[ir_operand_index(sources[0])];
    return symbol->reference ? symbol->name : NULL;
}

/* What a .texref holds is its address. */
static bool load_reference(struct gen *g)
{
    if (!memory_reference(g, g->inst))
        return false;
    uint32_t symbol = ir_operand_index(gen_source(g, 0));
    LLVMValueRef address = LLVMConstPtrToInt(g->symbols[symbol], gen_int(g, 64));
    gen_guarded_result(g, gen_destination(g, 0), address);
    return true;
}

static void load(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    if (gen_argument_access(g) || load_parameter(g) || load_reference(g))
        return;
    bool hinted = begin_access(&a, g);
    a.front = used_bytes(g);
    assembly_outputs(&a, ir_destinations(g->function, inst), inst->vector, inst->type);
    if (!named_parameter(&a, g))
        assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    if (inst->hints & IR_HINT_UNIFIED && !(g->need.forced_version && g->need.version < 80)) {
        need_directive(&g->need, "unified", g->at);
        assembly_text(&a, ".unified");
    }
    memory_policy(&a, hinted);
    assembly_end(&a);
}

static void store(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    if (gen_argument_access(g))
        return;
    bool hinted = begin_access(&a, g);
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    assembly_inputs(&a, ir_sources(g->function, inst) + 2, inst->vector, inst->type);
    memory_policy(&a, hinted);
    assembly_end(&a);
}

/* --- atom and red --------------------------------------------------------- */

/* The one spelling of each type that PTX has for an operation. */
static const char *atomic_type(const struct ir_inst *inst)
{
    unsigned bits = ir_types[inst->type].bits;

    switch (inst->sub) {
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor:
    case IR_OP_exch:
    case IR_OP_cas:
        return bits == 16 ? "b16" : bits == 32 ? "b32" : bits == 64 ? "b64" : "b128";
    case IR_OP_add:
        return inst->type == IR_s64 ? "u64" : ir_types[inst->type].name;
    default:
        return ir_types[inst->type].name;
    }
}

static bool is_half(enum ir_type type)
{
    return type == IR_f16 || type == IR_bf16 || type == IR_f16x2 || type == IR_bf16x2;
}

static const char *atomic_order(enum ir_order order)
{
    switch (order) {
    case IR_ORDER_ACQUIRE: return ".acquire";
    case IR_ORDER_RELEASE: return ".release";
    case IR_ORDER_ACQ_REL: return ".acq_rel";
    default: return ""; /* relaxed is what PTX takes when nothing is said */
    }
}

static void atomic(struct gen *g)
{
    static const char *const vectors[] = {"", "", ".v2", "", ".v4", "", "", "", ".v8"};
    const struct ir_inst *inst = g->inst;
    const ir_operand *sources = ir_sources(g->function, inst);
    bool exchange = inst->sub == IR_OP_exch || inst->sub == IR_OP_cas;
    bool reduce = !inst->destinations && !exchange && inst->order != IR_ORDER_ACQUIRE &&
                  inst->order != IR_ORDER_ACQ_REL;
    ir_operand nowhere[8] = {0};
    struct assembly a;

    if (inst->mode) {
        gen_refuse(g, "PTX has no atomics with this mode");
        return;
    }
    /* .gpu is the scope when nothing is said. */
    const char *scope = inst->scope == IR_SCOPE_GPU && inst->order == IR_ORDER_RELAXED
                            ? ""
                            : memory_scope(inst->scope);
    char opcode[160];
    bool hinted = inst->policy != 0;
    for (int trial = 0; trial < 2; trial++) {
        snprintf(opcode, sizeof opcode, "%s%s%s%s.%s%s%s%s.%s", reduce ? "red" : "atom",
                 atomic_order(inst->order), scope, memory_space(g, inst->space),
                 ir_ops[inst->sub].name, is_half(inst->type) ? ".noftz" : "",
                 hinted ? ".L2::cache_hint" : "", vectors[inst->vector], atomic_type(inst));
        if (!hinted || (instruction_exists(opcode) && need_allows(&g->need, opcode)))
            break;
        hinted = false;
    }
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "%s", opcode);
    if (!reduce)
        assembly_outputs(&a,
                         inst->destinations ? ir_destinations(g->function, inst) : nowhere,
                         inst->vector, inst->type);
    assembly_address(&a, sources[0], sources[1]);
    assembly_inputs(&a, sources + 2, inst->vector, inst->type);
    if (inst->sub == IR_OP_cas)
        assembly_inputs(&a, sources + 2 + inst->vector, inst->vector, inst->type);
    memory_policy(&a, hinted);
    assembly_end(&a);
}

/* --- fences --------------------------------------------------------------- */

static void fence(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    /* Before sm_70 there is membar only, which is as strong as any fence. */
    if (g->need.forced_sm && g->need.sm < 70 && inst->scope != IR_SCOPE_CLUSTER)
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "membar.%s",
                       inst->scope == IR_SCOPE_CTA   ? "cta"
                       : inst->scope == IR_SCOPE_GPU ? "gl"
                                                     : "sys");
    else
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "fence.%s%s", ir_order_names[inst->order],
                       memory_scope(inst->scope));
    if (inst->order == IR_ORDER_ACQUIRE || inst->order == IR_ORDER_RELEASE)
        need_feature(&g->need, "a fence of one direction", 86, 90, g->at);
    assembly_end(&a);
}

static void fence_proxy(struct gen *g)
{
    static const char *const names[] = {
        [IR_PROXY_ALIAS] = "alias", [IR_PROXY_ASYNC] = "async",
        [IR_PROXY_ASYNC_GLOBAL] = "async.global",
        [IR_PROXY_ASYNC_SHARED_CTA] = "async.shared::cta",
        [IR_PROXY_ASYNC_SHARED_CLUSTER] = "async.shared::cluster"};
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    if (inst->sub != IR_PROXY_TENSORMAP) {
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "fence.proxy.%s", names[inst->sub]);
    } else if (inst->order == IR_ORDER_RELEASE) {
        assembly_begin(&a, g, ASSEMBLY_MEMORY, "fence.proxy.tensormap::generic.release%s",
                       memory_scope(inst->scope));
    } else {
        gen_refuse(g, "fence.proxy.tensormap without its address");
        return;
    }
    assembly_end(&a);
}

/* --- addresses ------------------------------------------------------------ */

static void convert_address(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    unsigned bits = ir_types[inst->type].bits;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_PURE, "cvta%s%s.u%u",
                   inst->op == IR_OP_from_generic ? ".to" : "", memory_space(g, inst->space),
                   bits);
    assembly_output(&a, gen_destination(g, 0), inst->type);
    assembly_value(&a, gen_value(g, gen_source(g, 0), inst->type));
    assembly_end(&a);
}

static void is_in_space(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_PURE, "isspacep%s", memory_space(g, inst->space));
    assembly_output(&a, gen_destination(g, 0), IR_pred);
    assembly_value(&a, gen_value(g, gen_source(g, 0), inst->type2));
    assembly_end(&a);
}

/* mapa and getctarank: address, and block for the first. */
static void cluster_address(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    enum ir_type address = inst->op == IR_OP_mapa ? inst->type : inst->type2;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_PURE, "%s%s.u%u", ir_ops[inst->op].name,
                   inst->space == IR_SPACE_GENERIC ? "" : ".shared::cluster",
                   ir_types[address].bits);
    assembly_output(&a, gen_destination(g, 0), inst->op == IR_OP_mapa ? address : IR_u32);
    assembly_value(&a, gen_value(g, gen_source(g, 0), address));
    if (inst->op == IR_OP_mapa)
        assembly_input(&a, gen_source(g, 1), IR_u32);
    assembly_end(&a);
}

static void prefetch(struct gen *g)
{
    static const char *const names[] = {
        [IR_PREFETCH_L2] = "prefetch%s.L2", [IR_PREFETCH_L1] = "prefetch%s.L1",
        [IR_PREFETCH_L2_EVICT_LAST] = "prefetch%s.L2::evict_last",
        [IR_PREFETCH_L2_EVICT_NORMAL] = "prefetch%s.L2::evict_normal",
        [IR_PREFETCH_UNIFORM] = "prefetchu.L1",
        [IR_PREFETCH_PRIORITY] = "applypriority%s.L2::evict_normal",
        [IR_PREFETCH_DISCARD] = "discard%s.L2",
        [IR_PREFETCH_BULK] = "cp.async.bulk.prefetch.L2%s"};
    const struct ir_inst *inst = g->inst;
    bool hinted = inst->policy && inst->sub == IR_PREFETCH_BULK;
    char opcode[80];
    struct assembly a;

    /* A hint about memory that has no such cache. */
    if (inst->space != IR_SPACE_GENERIC && inst->space != IR_SPACE_GLOBAL &&
        inst->space != IR_SPACE_LOCAL)
        return;
    snprintf(opcode, sizeof opcode, names[inst->sub], memory_space(g, inst->space));
    if (hinted)
        strcat(opcode, ".L2::cache_hint");
    if (!need_allows(&g->need, opcode)) {
        snprintf(opcode, sizeof opcode, "prefetch%s.L2", memory_space(g, inst->space));
        hinted = false;
    }
    assembly_begin(&a, g, ASSEMBLY_MEMORY, "%s", opcode);
    assembly_address(&a, gen_source(g, 0), gen_source(g, 1));
    if (strncmp(opcode, "applypriority", 13) == 0 || strncmp(opcode, "discard", 7) == 0)
        assembly_immediate(&a, 128);
    if (strncmp(opcode, "cp", 2) == 0)
        assembly_immediate(&a, inst->extra);
    memory_policy(&a, hinted);
    assembly_end(&a);
}

static bool is_used(const struct gen *g, ir_operand word)
{
    for (uint32_t i = 0; i < g->function->inst_count; i++) {
        const struct ir_inst *inst = &g->function->insts[i];
        if (inst->policy == word)
            return true;
        for (unsigned s = 0; s < inst->sources; s++)
            if (ir_sources(g->function, inst)[s] == word)
                return true;
    }
    return false;
}

/* Where there are no policies their words are zero, which nobody reads. */
static void policy(struct gen *g)
{
    static const char *const names[] = {"", ".L2::evict_normal", ".L2::evict_unchanged",
                                        ".L2::evict_first", ".L2::evict_last"};
    const struct ir_inst *inst = g->inst;
    bool range = inst->sub & IR_POLICY_RANGE, convert = inst->sub & IR_POLICY_CONVERT;
    unsigned first = (inst->sub & IR_POLICY_FIRST) >> 2, second = inst->sub >> 5;
    char opcode[120];
    struct assembly a;

    if (first > IR_EVICT_LAST || second > IR_EVICT_LAST) {
        gen_refuse(g, "there is no such cache policy");
        return;
    }
    snprintf(opcode, sizeof opcode, "createpolicy.%s%s%s%s.b64",
             range ? "range" : convert ? "cvt.L2" : "fractional",
             range ? memory_space(g, inst->space) : "", convert ? "" : names[first],
             convert ? "" : names[second]);
    if (!is_used(g, gen_destination(g, 0)) || !need_allows(&g->need, opcode))
        return;
    assembly_begin(&a, g, ASSEMBLY_PURE, "%s", opcode);
    assembly_output(&a, gen_destination(g, 0), IR_b64);
    if (range)
        assembly_word_address(&a, gen_source(g, 0));
    for (unsigned i = range; i < inst->sources; i++)
        assembly_input(&a, gen_source(g, i), range ? IR_u32 : convert ? IR_b64 : IR_f32);
    assembly_end(&a);
}

void gen_memory(struct gen *g)
{
    switch (g->inst->op) {
    case IR_OP_ld: load(g); return;
    case IR_OP_st: store(g); return;
    case IR_OP_atom: atomic(g); return;
    case IR_OP_fence: fence(g); return;
    case IR_OP_fence_proxy: fence_proxy(g); return;
    case IR_OP_to_generic:
    case IR_OP_from_generic: convert_address(g); return;
    case IR_OP_isspacep: is_in_space(g); return;
    case IR_OP_mapa:
    case IR_OP_getctarank: cluster_address(g); return;
    case IR_OP_prefetch: prefetch(g); return;
    case IR_OP_createpolicy: policy(g); return;
    case IR_OP_tex:
    case IR_OP_txq:
    case IR_OP_suq:
    case IR_OP_suld:
    case IR_OP_sust:
    case IR_OP_sured: gen_texture(g); return;
    default: gen_async(g); return;
    }
}
