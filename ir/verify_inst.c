/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_inst.c - what the fields of an instruction may say, op by op: space,
 * order, scope, vector, mode, sub, guard; and calls against what they call. */
#include "ir/verifier.h"

#include "ir/matrix.h"
#include "ir/tensor.h"
#include "ir/texture.h"
#include "ir/words.h"
#include "numeric/video.h"

#define BIT(value) (UINT32_C(1) << (value))

/* --- spaces, orders, scopes ----------------------------------------------- */

/* The spaces an operation may name, 0 when it has none. */
static uint32_t spaces_of(enum ir_op op)
{
    const uint32_t generic = BIT(IR_SPACE_GENERIC), global = BIT(IR_SPACE_GLOBAL);
    const uint32_t shared = BIT(IR_SPACE_SHARED) | BIT(IR_SPACE_CLUSTER);
    const uint32_t frame = BIT(IR_SPACE_LOCAL) | BIT(IR_SPACE_ARGUMENT);
    const uint32_t fixed = BIT(IR_SPACE_CONST) | BIT(IR_SPACE_PARAM);

    switch (op) {
    case IR_OP_ld: return generic | global | shared | frame | fixed;
    case IR_OP_st: return generic | global | shared | frame;
    case IR_OP_atom:
    case IR_OP_bulk_reduce: return generic | global | shared;
    case IR_OP_tensormap_replace: return generic | global | BIT(IR_SPACE_SHARED);
    case IR_OP_st_async:
    case IR_OP_red_async: return generic | shared;
    case IR_OP_to_generic:
    case IR_OP_from_generic:
    case IR_OP_isspacep: return global | shared | frame | fixed;
    case IR_OP_prefetch: return generic | global | frame | fixed;
    case IR_OP_createpolicy: return generic | global;
    case IR_OP_ldmatrix:
    case IR_OP_stmatrix:
    case IR_OP_mapa:
    case IR_OP_getctarank:
    case IR_OP_cp_async:
    case IR_OP_cp_async_mbarrier:
    case IR_OP_mbarrier_init:
    case IR_OP_mbarrier_inval:
    case IR_OP_mbarrier_arrive:
    case IR_OP_mbarrier_expect_tx:
    case IR_OP_mbarrier_complete_tx:
    case IR_OP_mbarrier_test: return generic | shared;
    default: return generic; /* the field is unused */
    }
}

/* The orders an operation may have. PTX ISA, "Memory Consistency Model":
 * operation types; and the syntax of each instruction. */
static uint32_t orders_of(enum ir_op op)
{
    const uint32_t weak = BIT(IR_ORDER_WEAK), relaxed = BIT(IR_ORDER_RELAXED);
    const uint32_t acquire = BIT(IR_ORDER_ACQUIRE), release = BIT(IR_ORDER_RELEASE);
    const uint32_t acq_rel = BIT(IR_ORDER_ACQ_REL), sc = BIT(IR_ORDER_SC);
    const uint32_t odd = BIT(IR_ORDER_VOLATILE) | BIT(IR_ORDER_MMIO);

    switch (op) {
    case IR_OP_ld: return weak | odd | relaxed | acquire;
    case IR_OP_st: return weak | odd | relaxed | release;
    case IR_OP_atom: return relaxed | acquire | release | acq_rel;
    case IR_OP_red_async: return relaxed;
    case IR_OP_tensormap_copy: return release;
    case IR_OP_fence: return acquire | release | acq_rel | sc;
    case IR_OP_fence_proxy: return weak | acquire | release;
    case IR_OP_mbarrier_arrive: return weak | relaxed | release;
    case IR_OP_mbarrier_test: return weak | relaxed | acquire;
    case IR_OP_mbarrier_expect_tx:
    case IR_OP_mbarrier_complete_tx: return weak | relaxed;
    case IR_OP_cluster_arrive: return weak | relaxed | release;
    case IR_OP_cluster_wait: return weak | acquire;
    default: return weak;
    }
}

static void check_memory_fields(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    unsigned order = inst->order, scope = inst->scope;

    if (inst->space >= IR_SPACE_COUNT || !(spaces_of(inst->op) >> inst->space & 1))
        ir_verify_fail(v, "'%s' does not exist for %s space", ir_ops[inst->op].name,
                       inst->space < IR_SPACE_COUNT ? ir_space_names[inst->space] : "this");
    if (order >= IR_ORDER_COUNT || !(orders_of(inst->op) >> order & 1)) {
        ir_verify_fail(v, "'%s' cannot be %s", ir_ops[inst->op].name,
                       order < IR_ORDER_COUNT ? ir_order_names[order] : "of this order");
        return;
    }
    if (scope >= IR_SCOPE_COUNT) {
        ir_verify_fail(v, "there is no scope %u", scope);
        return;
    }
    switch (order) {
    case IR_ORDER_WEAK:
        if (scope != IR_SCOPE_NONE)
            ir_verify_fail(v, "a weak operation has no scope");
        break;
    case IR_ORDER_VOLATILE:
    case IR_ORDER_MMIO:
        if (scope != IR_SCOPE_NONE && scope != IR_SCOPE_SYS)
            ir_verify_fail(v, "%s means the scope of the system", ir_order_names[order]);
        break;
    default:
        /* A cluster barrier orders for the cluster whether it says so or not. */
        if (inst->op == IR_OP_cluster_arrive || inst->op == IR_OP_cluster_wait) {
            if (scope != IR_SCOPE_NONE && scope != IR_SCOPE_CLUSTER)
                ir_verify_fail(v, "its scope is the cluster");
        } else if (scope == IR_SCOPE_NONE) {
            ir_verify_fail(v, "an operation that is %s needs a scope",
                           ir_order_names[order]);
        }
    }
}

/* --- vectors -------------------------------------------------------------- */

/* How many operands an atomic takes for each element. */
static unsigned atomic_operands(enum ir_op sub)
{
    return sub == IR_OP_cas ? 2 : 1;
}

static void check_vector(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    unsigned vector = inst->vector;

    if (!ir_default_vector(inst->op)) {
        if (vector)
            ir_verify_fail(v, "'%s' has no vectors", ir_ops[inst->op].name);
        return;
    }
    if (vector != 1 && vector != 2 && vector != 4 && vector != 8) {
        ir_verify_fail(v, "a vector has 1, 2, 4 or 8 elements, not %u", vector);
        return;
    }
    if (vector * ir_type_bytes(inst->type) > 32)
        ir_verify_fail(v, "a vector has at most 32 bytes");
    if (inst->op == IR_OP_ld && inst->destinations != vector)
        ir_verify_fail(v, "%u destinations for %u elements", inst->destinations, vector);
    if ((inst->op == IR_OP_st || inst->op == IR_OP_st_async) && inst->sources != 2 + vector)
        ir_verify_fail(v, "%d values for %u elements", (int)inst->sources - 2, vector);
    if (inst->op == IR_OP_atom) {
        if (inst->destinations && inst->destinations != vector)
            ir_verify_fail(v, "%u destinations for %u elements", inst->destinations, vector);
        if (inst->sources != 2 + vector * atomic_operands(inst->sub))
            ir_verify_fail(v, "%d values for %u elements", (int)inst->sources - 2, vector);
    }
}

/* --- types ---------------------------------------------------------------- */

static bool atomic_exists(enum ir_op sub, enum ir_type type)
{
    unsigned bits = ir_types[type].bits;
    enum ir_kind kind = ir_types[type].kind;
    bool packed = type == IR_f16 || type == IR_bf16 || type == IR_f16x2 || type == IR_bf16x2;
    bool number = (kind == IR_KIND_U || kind == IR_KIND_S) && bits >= 32;

    switch (sub) {
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor: return bits == 32 || bits == 64;
    case IR_OP_exch: return bits == 32 || bits == 64 || bits == 128;
    case IR_OP_cas: return bits == 16 || bits == 32 || bits == 64 || bits == 128;
    case IR_OP_inc:
    case IR_OP_dec: return type == IR_u32;
    case IR_OP_min:
    case IR_OP_max: return number || packed;
    case IR_OP_add: return number || packed || type == IR_f32 || type == IR_f64;
    default: return false;
    }
}

/* PTX ISA, "red.async"; s64 as ptxas 13.0 takes it. */
static bool red_async_exists(enum ir_op sub, enum ir_type type)
{
    switch (sub) {
    case IR_OP_inc:
    case IR_OP_dec: return type == IR_u32;
    case IR_OP_min:
    case IR_OP_max: return type == IR_u32 || type == IR_s32;
    case IR_OP_add:
        return type == IR_u32 || type == IR_s32 || type == IR_u64 || type == IR_s64;
    case IR_OP_and:
    case IR_OP_or:
    case IR_OP_xor: return type == IR_b32;
    default: return false;
    }
}

/* Does this op of another group than LANE look at the type? */
static bool needs_type(enum ir_op op)
{
    switch (op) {
    case IR_OP_shfl_up:
    case IR_OP_shfl_down:
    case IR_OP_shfl_bfly:
    case IR_OP_shfl_idx:
    case IR_OP_match_any:
    case IR_OP_match_all:
    case IR_OP_redux:
    case IR_OP_sreg:
    case IR_OP_ld:
    case IR_OP_st:
    case IR_OP_atom:
    case IR_OP_bulk_reduce:
    case IR_OP_st_async:
    case IR_OP_red_async:
    case IR_OP_to_generic:
    case IR_OP_from_generic:
    case IR_OP_mapa:
    case IR_OP_alloca:
    case IR_OP_stacksave:
    case IR_OP_stackrestore: return true;
    default: return false;
    }
}

static void check_type(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    enum ir_type width = ir_type_register(inst->type), special;

    if (!needs_type(inst->op))
        return;
    switch (inst->op) {
    case IR_OP_atom:
    case IR_OP_bulk_reduce:
        if (!atomic_exists(inst->sub, inst->type))
            ir_verify_fail(v, "there is no such atomic for %s", ir_types[inst->type].name);
        return;
    case IR_OP_red_async:
        if (!red_async_exists(inst->sub, inst->type))
            ir_verify_fail(v, "there is no such red.async for %s", ir_types[inst->type].name);
        return;
    case IR_OP_st_async:
        if ((width != IR_b32 && width != IR_b64) ||
            inst->vector * ir_types[inst->type].bits > 128)
            ir_verify_fail(v, "there is no st.async of %u elements of %s", inst->vector,
                           ir_types[inst->type].name);
        return;
    case IR_OP_redux:
        if (inst->sub >= IR_OP_COUNT || width != IR_b32 ||
            (!(ir_ops[inst->sub].flags & IR_FLAG_COMMUTES)) ||
            ir_row_find(inst->sub, inst->type, inst->type) == IR_ROW_COUNT)
            ir_verify_fail(v, "there is no such reduction for %s",
                           ir_types[inst->type].name);
        return;
    case IR_OP_ld:
    case IR_OP_st:
        if (width == IR_none || width == IR_pred)
            ir_verify_fail(v, "memory holds no %s", ir_types[inst->type].name);
        return;
    case IR_OP_sreg:
        special = ir_sreg_type(ir_operand_index(ir_sources(v->function, inst)[0]));
        if (width != special)
            ir_verify_fail(v, "this special register is %s", ir_types[special].name);
        return;
    default:
        break;
    }
    /* Shuffles and matches move words, the others addresses. */
    bool shuffles = inst->op >= IR_OP_shfl_up && inst->op <= IR_OP_shfl_idx;
    if (width != IR_b32 && (width != IR_b64 || shuffles))
        ir_verify_fail(v, "'%s' does not exist for %s", ir_ops[inst->op].name,
                       ir_types[inst->type].name);
}

/* --- mode, sub, guard ----------------------------------------------------- */

static void check_mode(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    bool obeys = inst->op == IR_OP_atom || inst->op == IR_OP_redux || inst->op == IR_OP_mma ||
                 inst->op == IR_OP_mma_sp || inst->op == IR_OP_wgmma ||
                 inst->op == IR_OP_wgmma_sp;

    if (ir_ops[inst->op].group == IR_GROUP_LANE) {
        enum ir_row row = ir_row_find(inst->op, inst->type, inst->type2);
        obeys = row == IR_ROW_COUNT || ir_rows[row].moded; /* no row: reported */
    }
    if (inst->mode && !obeys)
        ir_verify_fail(v, "'%s' on these types has no mode", ir_ops[inst->op].name);
    if ((inst->mode & ROUND_MASK) > ROUND_NEAREST_AWAY || inst->mode & ~(unsigned)MODE_ALL)
        ir_verify_fail(v, "there is no mode %u", inst->mode);
}

static void check_sub(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    const struct ir_word *words = NULL;
    unsigned all = 0, last = 0;

    switch (ir_sub_kind(inst->op, &words)) {
    case IR_SUB_OP: /* with the type */
    case IR_SUB_FIELDS:
        return;
    case IR_SUB_NUMBER:
        if (inst->sub && (ir_ops[inst->op].group == IR_GROUP_LANE ||
                          ir_ops[inst->op].group == IR_GROUP_WARP))
            ir_verify_fail(v, "'%s' has no variant %u", ir_ops[inst->op].name, inst->sub);
        return;
    case IR_SUB_ENUM:
        for (; words->text; words++)
            last = words->value;
        if (inst->sub > last)
            ir_verify_fail(v, "'%s' has no variant %u", ir_ops[inst->op].name, inst->sub);
        return;
    case IR_SUB_BITS:
        for (; words->text; words++)
            all |= words->value;
        if (inst->sub & ~all)
            ir_verify_fail(v, "'%s' has no variant %u", ir_ops[inst->op].name, inst->sub);
        return;
    }
}

/* numeric/video.h: what the selectors of a video instruction may say. */
static void check_video(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;

    if (inst->op < IR_OP_vadd || inst->op > IR_OP_vset4)
        return;
    ir_operand selectors = ir_sources(v->function, inst)[inst->sources - 1u];
    if (ir_operand_kind(selectors) != IR_OPERAND_CONSTANT) {
        ir_verify_fail(v, "its selectors must be a constant");
        return;
    }
    uint64_t e = v->function->constants[ir_operand_index(selectors)].value;
    bool whole = inst->op <= IR_OP_vset;
    if (whole && ((e >> 20 & 7) > VIDEO_H1 || (e >> 24 & 7) > VIDEO_H1 ||
                  (e >> 28 & 7) > VIDEO_H1))
        ir_verify_fail(v, "it selects a part that does not exist");
    if ((inst->op == IR_OP_vshl || inst->op == IR_OP_vshr) && e & VIDEO_B_SIGNED)
        ir_verify_fail(v, "amounts of shifts have no sign");
}

static void check_wgmma(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    struct ir_wgmma wgmma;

    if (!ir_wgmma_read(inst->op, inst->sub, inst->type, &wgmma)) {
        ir_verify_fail(v, "there is no %s of this shape and these types", ir_ops[inst->op].name);
        return;
    }
    unsigned sources = ir_wgmma_sources(&wgmma);
    if (inst->destinations != wgmma.d_registers || inst->sources != sources)
        ir_verify_fail(v, "it has %u destinations and %u sources, not %u and %u",
                       inst->destinations, inst->sources, wgmma.d_registers, sources);
    if (inst->mode & ~(wgmma.a == TENSOR_S8 || wgmma.a == TENSOR_U8 ? (unsigned)MODE_SATFINITE : 0u))
        ir_verify_fail(v, "'wgmma' on these types has no such mode");
    if (!wgmma.sparse || inst->sources != sources)
        return;
    ir_operand selector = ir_sources(v->function, inst)[sources - 4];
    if (ir_operand_kind(selector) == IR_OPERAND_CONSTANT &&
        v->function->constants[ir_operand_index(selector)].value >= wgmma.selectors)
        ir_verify_fail(v, "its selector is %u at most", wgmma.selectors - 1);
}

static void check_tensor(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    unsigned sub = inst->sub, operation = sub & IR_TENSOR_REDUCTIONS;
    bool store = sub & IR_TENSOR_STORE, prefetch = sub & IR_TENSOR_PREFETCH;

    if (inst->op != IR_OP_tensor)
        return;
    if ((store && prefetch) || (sub & IR_TENSOR_MULTICAST && (store || prefetch)) ||
        (operation && (!store || operation & (operation - 1)))) {
        ir_verify_fail(v, "there is no such tensor copy");
        return;
    }
    unsigned rank = ir_tensor_rank(inst);
    bool im2col = sub & IR_TENSOR_IM2COL;
    if (inst->sources <= IR_TENSOR_COORDINATES || rank > 5 || (im2col && rank < 3) ||
        inst->sources != IR_TENSOR_COORDINATES + rank + ir_tensor_offsets(inst))
        ir_verify_fail(v, "%d numbers say no place in a tensor",
                       (int)inst->sources - IR_TENSOR_COORDINATES);
}

/* Shapes and types of mma, and how many registers they take. */
static void check_matrix(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    unsigned matrices = inst->op == IR_OP_ldmatrix ? inst->destinations
                                                   : (unsigned)inst->sources - 3;
    struct ir_mma mma;

    switch (inst->op) {
    case IR_OP_ldmatrix:
    case IR_OP_stmatrix:
        if (matrices != 1 && matrices != 2 && matrices != 4)
            ir_verify_fail(v, "'%s' moves 1, 2 or 4 matrices, not %u", ir_ops[inst->op].name,
                           matrices);
        return;
    case IR_OP_mma:
    case IR_OP_mma_sp:
        break;
    case IR_OP_wgmma:
    case IR_OP_wgmma_sp:
        check_wgmma(v);
        return;
    default:
        return;
    }
    bool sparse = inst->op == IR_OP_mma_sp;
    if (!(sparse ? ir_mma_sp_read : ir_mma_read)(inst->sub, inst->type, inst->type2, &mma)) {
        ir_verify_fail(v, "there is no %s of this shape and these types",
                       ir_ops[inst->op].name);
        return;
    }
    unsigned sources = mma.a_registers + mma.b_registers + mma.c_registers + (sparse ? 3 : 1);
    if (inst->destinations != mma.d_registers || inst->sources != sources)
        ir_verify_fail(v, "it has %u destinations and %u sources, not %u and %u",
                       inst->destinations, inst->sources, mma.d_registers, sources);
    unsigned allowed = mma.a == TENSOR_F64                          ? ROUND_MASK
                       : (mma.d == TENSOR_S32 && mma.a != TENSOR_B1) ||
                                 (mma.d == TENSOR_F16 && mma.c == TENSOR_F32)
                           ? MODE_SATFINITE
                                                                   : 0;
    if (inst->mode & ~allowed)
        ir_verify_fail(v, "'%s' on these types has no such mode", ir_ops[inst->op].name);
    if (!sparse || inst->sources != sources)
        return;
    ir_operand selector = ir_sources(v->function, inst)[sources - 2];
    if (ir_operand_kind(selector) != IR_OPERAND_CONSTANT ||
        v->function->constants[ir_operand_index(selector)].value >= mma.selectors)
        ir_verify_fail(v, "its selector must be a constant below %u", mma.selectors);
}

static void check_guard(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    uint32_t index = ir_operand_index(inst->guard);

    if (!inst->guard) {
        if (inst->guard_not)
            ir_verify_fail(v, "the guard that is negated is missing");
        return;
    }
    if (ir_operand_kind(inst->guard) != IR_OPERAND_REGISTER ||
        index >= v->function->register_count ||
        v->function->registers[index].width != IR_pred)
        ir_verify_fail(v, "the guard must be a predicate register");
    if (ir_ops[inst->op].flags & (IR_FLAG_ENDS | IR_FLAG_CALL))
        ir_verify_fail(v, "'%s' takes no guard", ir_ops[inst->op].name);
}

static void check_hints(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    uint32_t index = ir_operand_index(inst->policy);

    if ((inst->hints & IR_HINT_L1) > IR_EVICT_NO_ALLOCATE ||
        (inst->hints & IR_HINT_L2) >> 3 > IR_EVICT_LAST || inst->hints > 2 * IR_HINT_UNIFIED - 1)
        ir_verify_fail(v, "there are no hints %u", inst->hints);
    if (inst->policy && (ir_operand_kind(inst->policy) != IR_OPERAND_REGISTER ||
                         index >= v->function->register_count ||
                         v->function->registers[index].width != IR_b64))
        ir_verify_fail(v, "a cache policy is a register of 64 bits");
}

/* --- calls ---------------------------------------------------------------- */

/* The sizes of actual arguments against the formal ones. */
static void check_arguments(struct ir_verifier *v, const char *what, const ir_operand *actual,
                            unsigned count, const uint64_t *formal, uint32_t formal_count)
{
    if (count != formal_count) {
        ir_verify_fail(v, "%u %ss are given, %u are declared", count, what, formal_count);
        return;
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t size = v->function->variables[ir_operand_index(actual[i])].size;
        if (size != formal[i])
            ir_verify_fail(v, "%s %u has %llu bytes, %llu are declared", what, i + 1,
                           (unsigned long long)size, (unsigned long long)formal[i]);
    }
}

/* Sizes of the variables that a function lists as its formal ones. */
static const uint64_t *formal_sizes(struct arena *scratch, const struct ir_function *callee,
                                    const uint32_t *list, uint32_t count)
{
    uint64_t *sizes = ARENA_NEW_ARRAY(scratch, count, uint64_t);

    for (uint32_t i = 0; i < count; i++)
        if (list[i] < callee->variable_count) /* else: reported there */
            sizes[i] = callee->variables[list[i]].size;
    return sizes;
}

/* Operands are known to be of the right kinds. */
static void check_call(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    const ir_operand *sources = ir_sources(v->function, inst);
    struct arena scratch = {0};

    if (inst->op == IR_OP_call) {
        const struct ir_function *callee =
            &v->module->functions[ir_operand_index(sources[0])];
        if (callee->is_kernel)
            ir_verify_fail(v, "a kernel cannot be called");
        check_arguments(v, "result", ir_destinations(v->function, inst), inst->destinations,
                        formal_sizes(&scratch, callee, callee->results, callee->result_count),
                        callee->result_count);
        check_arguments(
            v, "argument", sources + 1, inst->sources - 1u,
            formal_sizes(&scratch, callee, callee->parameters, callee->parameter_count),
            callee->parameter_count);
    } else if (inst->extra >= v->module->prototype_count) {
        ir_verify_fail(v, "there is no prototype %u", inst->extra);
    } else {
        const struct ir_prototype *prototype = &v->module->prototypes[inst->extra];
        check_arguments(v, "result", ir_destinations(v->function, inst), inst->destinations,
                        prototype->result_sizes, prototype->result_count);
        check_arguments(v, "argument", sources + 1, inst->sources - 1u,
                        prototype->parameter_sizes, prototype->parameter_count);
    }
    arena_free(&scratch);
}

/* --- all of it ------------------------------------------------------------ */

bool ir_verify_shape(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    uint32_t count = v->function->operand_count;

    if (inst->first > count ||
        (uint32_t)inst->destinations + inst->sources > count - inst->first) {
        diag_error(v->diags, v->function->at,
                   "function '%s': an instruction has lost its operands", v->function->name);
        return false;
    }
    if (inst->op >= IR_OP_COUNT)
        ir_verify_fail(v, "there is no operation %u", inst->op);
    else if (inst->type >= IR_TYPE_COUNT || inst->type2 >= IR_TYPE_COUNT)
        ir_verify_fail(v, "there is no such type");
    else
        return true;
    return false;
}

void ir_verify_inst(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;

    if (inst->loc >= v->module->location_count)
        ir_verify_fail(v, "it has no location");
    check_guard(v);
    check_hints(v);
    check_memory_fields(v);
    check_mode(v);
    check_sub(v);
    uint32_t errors = v->diags->errors;
    ir_verify_operands(v);
    if (v->diags->errors != errors)
        return; /* the rest takes operands for what they should be */
    check_type(v);
    check_vector(v);
    check_video(v);
    check_matrix(v);
    check_tensor(v);
    if (ir_is_texture(inst->op) && ir_texture_wrong(inst))
        ir_verify_fail(v, "%s", ir_texture_wrong(inst));
    if (ir_ops[inst->op].flags & IR_FLAG_CALL)
        check_call(v);
}
