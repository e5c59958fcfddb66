/* SPDX-License-Identifier: Apache-2.0
 *
 * verify_operand.c - how many operands an operation has, of which kinds and how
 * wide.
 *
 * Operands of LANE ops follow from the row in ops.def. For all others a string
 * says what stands where, a letter each:
 *     t  a value as wide as the type       p  a predicate
 *     w  a value as wide as the type or    2 4 8  a value of so many bytes
 *        wider, all registers alike        K  a constant
 *     A  an address                        O  a constant byte offset
 *     B  a block       F  a function       V  an argument variable
 *     X  the address of a function         S  a special register
 * followed by  _  where the operand may be left out with _, by  ?  where it may
 * be missing at the end, or by  *  for any number of them. */
#include "ir/verifier.h"

#include <stdio.h>

#include "ir/matrix.h"
#include "ir/texture.h"
#include "ir/words.h"

struct shape {
    const char *destinations, *sources;
};

static struct shape shape_of(const struct ir_inst *inst)
{
    switch (inst->op) {
    case IR_OP_activemask: return (struct shape){"4", ""};
    case IR_OP_shfl_up:
    case IR_OP_shfl_down:
    case IR_OP_shfl_bfly:
    case IR_OP_shfl_idx: return (struct shape){"t_p_", "t444"};
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_vote_uni: return (struct shape){"p", "p4"};
    case IR_OP_vote_ballot: return (struct shape){"4", "p4"};
    case IR_OP_match_any: return (struct shape){"4", "t4"};
    case IR_OP_match_all: return (struct shape){"4_p_", "t4"};
    case IR_OP_redux: return (struct shape){"t", "t4"};
    case IR_OP_elect: return (struct shape){"4_p_", "4"};
    case IR_OP_bar_warp: return (struct shape){"", "4"};
    case IR_OP_wgmma:
    case IR_OP_wgmma_sp: return (struct shape){"4*", NULL};
    case IR_OP_wgmma_fence:
    case IR_OP_wgmma_commit: return (struct shape){"", "4"};
    case IR_OP_wgmma_wait: return (struct shape){"", "K4"};
    case IR_OP_mma_sp: return (struct shape){"t*", "4*"};
    case IR_OP_mma: return (struct shape){"t*", inst->type == IR_f64 ? NULL : "4*"};
    case IR_OP_ldmatrix: return (struct shape){"4*", "AO4"};
    case IR_OP_stmatrix: return (struct shape){"", "AO4*"};
    case IR_OP_movmatrix: return (struct shape){"4", "44"};
    case IR_OP_sreg: return (struct shape){"t", "S"};
    case IR_OP_ld: return (struct shape){"w_*", "AO"};
    case IR_OP_st: return (struct shape){"", "AOw*"};
    case IR_OP_atom: return (struct shape){"w_*", "AOw*"};
    case IR_OP_to_generic:
    case IR_OP_from_generic: return (struct shape){"t", "A"};
    case IR_OP_isspacep: return (struct shape){"p", "A"};
    case IR_OP_mapa: return (struct shape){"t", "A4"};
    case IR_OP_getctarank: return (struct shape){"4", "A"};
    case IR_OP_prefetch: return (struct shape){"", "AO"};
    case IR_OP_createpolicy: return (struct shape){"8", NULL};
    case IR_OP_cp_async: return (struct shape){"", "AOAOK4"};
    case IR_OP_cp_async_wait: return (struct shape){"", "K"};
    case IR_OP_cp_async_mbarrier: return (struct shape){"", "AO"};
    case IR_OP_bulk:
    case IR_OP_bulk_reduce: return (struct shape){"", "88484"};
    case IR_OP_tensor: return (struct shape){"", "88844*"};
    case IR_OP_tensormap_replace: return (struct shape){"", "AO8"};
    case IR_OP_tensormap_copy: return (struct shape){"", "88"};
    case IR_OP_st_async: return (struct shape){"", "88t*"};
    case IR_OP_red_async: return (struct shape){"", "88t"};
    case IR_OP_bulk_wait: return (struct shape){"", "K"};
    case IR_OP_mbarrier_init: return (struct shape){"", "AO4"};
    case IR_OP_mbarrier_inval: return (struct shape){"", "AO"};
    case IR_OP_mbarrier_arrive: return (struct shape){"8_?", "AO4?"};
    case IR_OP_mbarrier_expect_tx:
    case IR_OP_mbarrier_complete_tx: return (struct shape){"", "AO4"};
    case IR_OP_mbarrier_test:
        return (struct shape){"p", inst->sub & IR_MBARRIER_PARITY ? "AO4" : "AO8"};
    case IR_OP_mbarrier_pending: return (struct shape){"4", "8"};
    case IR_OP_tex: return (struct shape){"t_*", "84444*"};
    case IR_OP_txq: return (struct shape){"4", "84?"};
    case IR_OP_suq: return (struct shape){"4", "8"};
    case IR_OP_suld: return (struct shape){"w_*", "84444"};
    case IR_OP_sust: return (struct shape){"", "84444w*"};
    case IR_OP_sured: return (struct shape){"", "84444w"};
    case IR_OP_bra: return (struct shape){"", "B"};
    case IR_OP_br: return (struct shape){"", "pBB"};
    case IR_OP_brx: return (struct shape){"", "4BB*"};
    case IR_OP_call: return (struct shape){"V*", "FV*"};
    case IR_OP_call_indirect: return (struct shape){"V*", "XV*"};
    case IR_OP_nanosleep:
    case IR_OP_pmevent:
    case IR_OP_setmaxnreg: return (struct shape){"", "4"};
    case IR_OP_barrier_sync: return (struct shape){"", "44?"};
    case IR_OP_barrier_arrive: return (struct shape){"", "44"};
    case IR_OP_barrier_red:
        return (struct shape){inst->sub == IR_RED_POPC ? "4" : "p", "p44?"};
    case IR_OP_alloca: return (struct shape){"t", "tK"};
    case IR_OP_stacksave: return (struct shape){"t", ""};
    case IR_OP_stackrestore: return (struct shape){"", "t"};
    default: return (struct shape){"", ""}; /* fences, ret, exit, ... */
    }
}

/* --- single operands ------------------------------------------------------ */

/* "source 2", for messages. */
static const char *name_operand(struct ir_verifier *v, bool source, unsigned i,
                                char name[64])
{
    snprintf(name, 64, "%s %u", source ? "source" : "destination", i + 1);
    return name;
}

static bool in_range(const struct ir_verifier *v, ir_operand operand)
{
    uint32_t i = ir_operand_index(operand);

    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_NONE: return i == 0;
    case IR_OPERAND_REGISTER: return i < v->function->register_count;
    case IR_OPERAND_CONSTANT: return i < v->function->constant_count;
    case IR_OPERAND_SYMBOL: return i < v->module->symbol_count;
    case IR_OPERAND_VARIABLE: return i < v->function->variable_count;
    case IR_OPERAND_FUNCTION: return i < v->module->function_count;
    case IR_OPERAND_BLOCK: return i < v->function->block_count;
    case IR_OPERAND_SREG: return i < IR_SREG_COUNT;
    }
    return false;
}

static enum ir_type width_of(const struct ir_verifier *v, ir_operand operand)
{
    return v->function->registers[ir_operand_index(operand)].width;
}

/* Values are kept without sign: a constant has no bits above its width. */
static bool fits(const struct ir_verifier *v, ir_operand constant, enum ir_type width)
{
    uint64_t value = v->function->constants[ir_operand_index(constant)].value;

    return ir_types[width].bits >= 64 || value >> ir_types[width].bits == 0;
}

/* An address that is the same wherever the instruction is executed. */
static bool fixed_address(const struct ir_verifier *v, ir_operand operand)
{
    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_SYMBOL:
    case IR_OPERAND_FUNCTION:
        return true;
    case IR_OPERAND_VARIABLE:
        return v->function->variables[ir_operand_index(operand)].space == IR_SPACE_PARAM;
    default:
        return false;
    }
}

/* A register, constant or address read as a value of the width. */
static void check_value(struct ir_verifier *v, ir_operand operand, enum ir_type width,
                        bool wider, const char *name)
{
    bool word = width == IR_b32 || width == IR_b64;

    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_REGISTER:
        if (wider ? width_of(v, operand) == IR_pred ||
                        ir_types[width_of(v, operand)].bits < ir_types[width].bits
                  : width_of(v, operand) != width)
            ir_verify_fail(v, "%s is %s, not %s", name, ir_types[width_of(v, operand)].name,
                           ir_types[width].name);
        return;
    case IR_OPERAND_CONSTANT:
        if (!fits(v, operand, width))
            ir_verify_fail(v, "%s does not fit in %s", name, ir_types[width].name);
        return;
    case IR_OPERAND_VARIABLE:
        /* The address of a stack variable differs between activations: mov
         * alone takes it. */
        if (word && v->inst->op == IR_OP_mov)
            return;
        break;
    default:
        break;
    }
    if (!word || !fixed_address(v, operand))
        ir_verify_fail(v, "%s must be a value of width %s", name, ir_types[width].name);
}

static void check_result(struct ir_verifier *v, ir_operand operand, enum ir_type width,
                         bool wider, const char *name)
{
    if (ir_operand_kind(operand) != IR_OPERAND_REGISTER)
        ir_verify_fail(v, "%s must be a register", name);
    else
        check_value(v, operand, width, wider, name);
}

/* Addresses of names lie in their own space; those of global and constant
 * variables are generic ones as well. */
static void check_named_space(struct ir_verifier *v, ir_operand operand, const char *name)
{
    bool symbol = ir_operand_kind(operand) == IR_OPERAND_SYMBOL;
    uint32_t i = ir_operand_index(operand);
    unsigned actual = symbol ? v->module->symbols[i].space : v->function->variables[i].space;
    unsigned wanted = v->inst->space;

    switch (v->inst->op) {
    case IR_OP_ld:
    case IR_OP_st:
    case IR_OP_atom:
    case IR_OP_ldmatrix:
    case IR_OP_stmatrix:
    case IR_OP_to_generic:
        break;
    default:
        return;
    }
    if (wanted == actual ||
        (wanted == IR_SPACE_GENERIC &&
         (actual == IR_SPACE_GLOBAL || actual == IR_SPACE_CONST)) ||
        (wanted == IR_SPACE_CLUSTER && actual == IR_SPACE_SHARED) ||
        wanted >= IR_SPACE_COUNT || actual >= IR_SPACE_COUNT)
        return;
    ir_verify_fail(v, "%s lies in %s, not %s", name, ir_space_names[actual],
                   ir_space_names[wanted]);
}

static void check_address(struct ir_verifier *v, ir_operand operand, const char *name)
{
    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_REGISTER:
        if (width_of(v, operand) != IR_b32 && width_of(v, operand) != IR_b64)
            ir_verify_fail(v, "%s is %s, not an address", name,
                           ir_types[width_of(v, operand)].name);
        return;
    case IR_OPERAND_CONSTANT:
        return;
    case IR_OPERAND_SYMBOL:
    case IR_OPERAND_VARIABLE:
        check_named_space(v, operand, name);
        return;
    default:
        ir_verify_fail(v, "%s must be an address", name);
    }
}

static void check_kind(struct ir_verifier *v, ir_operand operand, enum ir_operand_kind kind,
                       const char *what, const char *name)
{
    if (ir_operand_kind(operand) != kind)
        ir_verify_fail(v, "%s must be %s", name, what);
}

static void check_letter(struct ir_verifier *v, char letter, ir_operand operand, bool source,
                         unsigned i)
{
    void (*check)(struct ir_verifier *, ir_operand, enum ir_type, bool, const char *) =
        source ? check_value : check_result;
    enum ir_type width = ir_type_register(v->inst->type);
    char buffer[64];
    const char *name = name_operand(v, source, i, buffer);

    switch (letter) {
    case 't':
    case 'w':
        /* Other types do not exist: reported with the type. */
        if (width != IR_none && (letter == 't' || width != IR_pred))
            check(v, operand, width, letter == 'w', name);
        break;
    case 'p': check(v, operand, IR_pred, false, name); break;
    case '2': check(v, operand, IR_b16, false, name); break;
    case '4': check(v, operand, IR_b32, false, name); break;
    case '8': check(v, operand, IR_b64, false, name); break;
    case 'A': check_address(v, operand, name); break;
    case 'O':
    case 'K': check_kind(v, operand, IR_OPERAND_CONSTANT, "a constant", name); break;
    case 'B': check_kind(v, operand, IR_OPERAND_BLOCK, "a block", name); break;
    case 'F': check_kind(v, operand, IR_OPERAND_FUNCTION, "a function", name); break;
    case 'S': check_kind(v, operand, IR_OPERAND_SREG, "a special register", name); break;
    case 'X':
        if (ir_operand_kind(operand) != IR_OPERAND_FUNCTION)
            check_value(v, operand, v->module->address_bits == 32 ? IR_b32 : IR_b64, false,
                        name);
        break;
    case 'V':
        if (ir_operand_kind(operand) != IR_OPERAND_VARIABLE ||
            v->function->variables[ir_operand_index(operand)].space != IR_SPACE_ARGUMENT)
            ir_verify_fail(v, "%s must be an argument variable", name);
        break;
    }
}

/* --- lists of operands ---------------------------------------------------- */

/* w: an engine moves elements of one size. */
static void check_alike(struct ir_verifier *v, const ir_operand *list, unsigned count,
                        unsigned from, enum ir_type *width)
{
    for (unsigned i = from; i < count; i++) {
        if (ir_operand_kind(list[i]) != IR_OPERAND_REGISTER)
            continue;
        if (*width != IR_none && width_of(v, list[i]) != *width) {
            ir_verify_fail(v, "its registers differ in width");
            return;
        }
        *width = width_of(v, list[i]);
    }
}

static void check_list(struct ir_verifier *v, const char *letters, const ir_operand *list,
                       unsigned count, bool source)
{
    const char *what = source ? "sources" : "destinations";
    unsigned i = 0;

    for (unsigned k = 0; k < count; k++)
        if (!in_range(v, list[k])) {
            ir_verify_fail(v, "%s %u names nothing", source ? "source" : "destination",
                           k + 1);
            return;
        }
    while (letters && *letters) {
        char letter = *letters++;
        bool sink = *letters == '_' && letters++;
        bool optional = *letters == '?' && letters++;
        bool many = *letters == '*' && letters++;
        if (i == count && !optional && !many) {
            ir_verify_fail(v, "it has too few %s (%u)", what, count);
            return;
        }
        for (unsigned end = many ? count : i + 1; i < end && i < count; i++)
            if (list[i] || !sink)
                check_letter(v, letter, list[i], source, i);
    }
    if (letters && i < count)
        ir_verify_fail(v, "it has too many %s (%u)", what, count);
}

static void check_lane(struct ir_verifier *v, const ir_operand *destinations,
                       const ir_operand *sources)
{
    const struct ir_inst *inst = v->inst;
    static const struct ir_row_info wide = {IR_OP_mov, 1, 0, IR_b128, {IR_b128}};
    const struct ir_row_info *row = &wide; /* rows compute at most 64 bits */
    char name[64];

    if (inst->op != IR_OP_mov || inst->type != IR_b128 || inst->type2 != IR_b128) {
        enum ir_row found = ir_row_find(inst->op, inst->type, inst->type2);
        if (found == IR_ROW_COUNT) {
            ir_verify_fail(v, "'%s' has no row for these types", ir_ops[inst->op].name);
            return;
        }
        row = &ir_rows[found];
    }
    if (inst->destinations != 1 || inst->sources != row->sources) {
        ir_verify_fail(v, "it has %u destinations and %u sources, not 1 and %u",
                       inst->destinations, inst->sources, row->sources);
        return;
    }
    if (!in_range(v, destinations[0]))
        ir_verify_fail(v, "destination 1 names nothing");
    else
        check_result(v, destinations[0], ir_type_register(row->type), false,
                     "destination 1");
    for (unsigned i = 0; i < row->sources; i++) {
        if (!in_range(v, sources[i]))
            ir_verify_fail(v, "source %u names nothing", i + 1);
        else
            check_value(v, sources[i], ir_type_register(row->source[i]), false,
                        name_operand(v, true, i, name));
    }
}

void ir_verify_operands(struct ir_verifier *v)
{
    const struct ir_inst *inst = v->inst;
    const ir_operand *destinations = ir_destinations(v->function, inst);
    const ir_operand *sources = ir_sources(v->function, inst);
    struct shape shape = shape_of(inst);
    enum ir_type width = IR_none;
    uint32_t errors = v->diags->errors;

    if (ir_ops[inst->op].group == IR_GROUP_LANE) {
        check_lane(v, destinations, sources);
        return;
    }
    check_list(v, shape.destinations, destinations, inst->destinations, false);
    check_list(v, shape.sources, sources, inst->sources, true);
    if (v->diags->errors != errors)
        return;
    if (inst->op == IR_OP_mma && inst->type == IR_f64)
        for (unsigned i = 0; i < inst->sources; i++)
            check_letter(v, i + 1u < inst->sources ? '8' : '4', sources[i], true, i);
    struct ir_wgmma wgmma;
    if ((inst->op == IR_OP_wgmma || inst->op == IR_OP_wgmma_sp) &&
        ir_wgmma_read(inst->op, inst->sub, inst->type, &wgmma)) {
        unsigned a = wgmma.d_registers, b = a + (wgmma.a_in_registers ? 4 : 1);
        unsigned signs = ir_wgmma_sources(&wgmma) - 2, selector = wgmma.sparse ? b + 2 : signs;
        for (unsigned i = 0; i < inst->sources; i++)
            check_letter(v, i == b || (i == a && !wgmma.a_in_registers) ? '8'
                            : i == signs || i == selector               ? 'K'
                                                                        : '4',
                         sources[i], true, i);
    }
    if (inst->op == IR_OP_ld || inst->op == IR_OP_st || inst->op == IR_OP_atom) {
        check_alike(v, destinations, inst->destinations, 0, &width);
        check_alike(v, sources, inst->sources, 2, &width);
    }
    if (inst->op == IR_OP_suld)
        check_alike(v, destinations, inst->destinations, 0, &width);
    if (inst->op == IR_OP_sust)
        check_alike(v, sources, inst->sources, IR_TEXTURE_SOURCES, &width);
}
