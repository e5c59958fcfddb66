/* SPDX-License-Identifier: Apache-2.0
 *
 * print_inst.c - names, operands and instructions as text. Broken IR prints
 * too: the verifier and reports need it. */
#include "ir/printer.h"

#include <ctype.h>

/* --- names ---------------------------------------------------------------- */

static bool is_bare(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '$' && *c != '.')
            return false;
    return true;
}

void ir_print_quoted(struct text *out, const char *string)
{
    text_putc(out, '"');
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\' || (unsigned char)*c < 32 || (unsigned char)*c >= 127)
            text_printf(out, "\\%02x", (unsigned char)*c);
        else
            text_putc(out, *c);
    }
    text_putc(out, '"');
}

/* A name without text is its tag alone. */
void ir_print_name(struct text *out, const char *name, bool tagged, uint32_t tag)
{
    if (name && *name) {
        if (is_bare(name))
            text_puts(out, name);
        else
            ir_print_quoted(out, name);
    }
    if (tagged || !name || !*name)
        text_printf(out, "#%u", tag);
}

static void print_symbol_name(struct ir_printer *p, uint32_t i)
{
    text_putc(p->out, '@');
    ir_print_name(p->out, p->module->symbols[i].name, p->global_tags && p->global_tags[i], i);
}

static void print_function_name(struct ir_printer *p, uint32_t i)
{
    uint32_t tag = p->module->symbol_count + i;

    text_putc(p->out, '@');
    ir_print_name(p->out, p->module->functions[i].name,
               p->global_tags && p->global_tags[tag], tag);
}

static void print_variable_name(struct ir_printer *p, uint32_t i)
{
    text_putc(p->out, '&');
    ir_print_name(p->out, p->function->variables[i].name,
               p->variable_tags && p->variable_tags[i], i);
}

static void print_block_name(struct ir_printer *p, uint32_t i)
{
    text_putc(p->out, '^');
    ir_print_name(p->out, p->function->blocks[i].name, p->block_tags && p->block_tags[i], i);
}

static void print_register_name(struct ir_printer *p, uint32_t i)
{
    text_putc(p->out, '%');
    ir_print_name(p->out, p->function->registers[i].name,
               p->register_tags && p->register_tags[i], i);
}

/* --- instructions --------------------------------------------------------- */

void ir_print_number(struct text *out, uint64_t value)
{
    text_printf(out, value < 65536 ? "%llu" : "0x%llx", (unsigned long long)value);
}

void ir_print_operand(struct ir_printer *p, ir_operand operand)
{
    const struct ir_function *f = p->function;
    uint32_t i = ir_operand_index(operand);

    switch (ir_operand_kind(operand)) {
    case IR_OPERAND_NONE:
        text_putc(p->out, '_');
        return;
    case IR_OPERAND_REGISTER:
        if (i < f->register_count) {
            print_register_name(p, i);
            return;
        }
        break;
    case IR_OPERAND_CONSTANT:
        if (i < f->constant_count) {
            ir_print_number(p->out, f->constants[i].value);
            return;
        }
        break;
    case IR_OPERAND_SYMBOL:
        if (i < p->module->symbol_count) {
            print_symbol_name(p, i);
            return;
        }
        break;
    case IR_OPERAND_VARIABLE:
        if (i < f->variable_count) {
            print_variable_name(p, i);
            return;
        }
        break;
    case IR_OPERAND_FUNCTION:
        if (i < p->module->function_count) {
            print_function_name(p, i);
            return;
        }
        break;
    case IR_OPERAND_BLOCK:
        if (i < f->block_count) {
            print_block_name(p, i);
            return;
        }
        break;
    case IR_OPERAND_SREG:
        if (i < IR_SREG_COUNT) {
            text_printf(p->out, "$%s", ir_sreg_names[i]);
            return;
        }
        break;
    }
    /* Broken IR stays printable, for the verifier's messages. */
    text_printf(p->out, "?%u:%u", (unsigned)ir_operand_kind(operand), i);
}

/* A base and an offset, as two operands. */
static void print_address(struct ir_printer *p, ir_operand base, ir_operand offset)
{
    text_putc(p->out, '[');
    ir_print_operand(p, base);
    if (ir_operand_kind(offset) == IR_OPERAND_CONSTANT &&
        ir_operand_index(offset) < p->function->constant_count) {
        uint64_t value = p->function->constants[ir_operand_index(offset)].value;
        if (value >> 63) {
            text_putc(p->out, '-');
            ir_print_number(p->out, -value);
        } else if (value) {
            text_putc(p->out, '+');
            ir_print_number(p->out, value);
        }
    } else {
        text_putc(p->out, '+');
        ir_print_operand(p, offset);
    }
    text_putc(p->out, ']');
}

static void print_sub(struct text *out, const struct ir_inst *inst)
{
    const struct ir_word *words = NULL;
    enum ir_sub_kind kind = ir_sub_kind(inst->op, &words);
    unsigned rest = inst->sub;

    if (kind == IR_SUB_OP && rest < IR_OP_COUNT) {
        text_printf(out, ":%s", ir_ops[rest].name);
        return;
    }
    if (kind == IR_SUB_FIELDS) {
        for (const uint16_t *field = ir_sub_fields; *field; field++)
            for (const struct ir_word *word = words; word->text; word++)
                if (!(word->value & ~*field) && (rest & *field) == word->value) {
                    text_printf(out, ":%s", word->text);
                    rest &= ~(unsigned)*field;
                    break;
                }
        words = NULL;
    }
    for (; words && words->text; words++) {
        if (kind == IR_SUB_ENUM && words->value == rest) {
            text_printf(out, ":%s", words->text);
            return;
        }
        if (kind == IR_SUB_BITS && rest & words->value) {
            text_printf(out, ":%s", words->text);
            rest &= ~(unsigned)words->value;
        }
    }
    if (rest)
        text_printf(out, ":%u", rest);
}

static void print_mode(struct text *out, unsigned mode)
{
    unsigned rest = mode;

    for (const struct ir_word *word = ir_rounding_words; word->text; word++)
        if ((mode & ROUND_MASK) == word->value) {
            text_printf(out, ".%s", word->text);
            rest &= ~(unsigned)ROUND_MASK;
        }
    for (const struct ir_word *word = ir_mode_words; word->text; word++)
        if (mode & word->value) {
            text_printf(out, ".%s", word->text);
            rest &= ~(unsigned)word->value;
        }
    if (rest)
        text_printf(out, ".mode%u", rest);
}

void ir_print_inst_with(struct ir_printer *p, const struct ir_inst *inst)
{
    struct text *out = p->out;
    const ir_operand *sources = ir_sources(p->function, inst);
    unsigned addresses = ir_address_sources(inst->op);

    if (inst->guard) {
        text_puts(out, inst->guard_not ? "@!" : "@");
        ir_print_operand(p, inst->guard);
        text_putc(out, ' ');
    }
    for (unsigned d = 0; d < inst->destinations; d++) {
        ir_print_operand(p, ir_destinations(p->function, inst)[d]);
        text_puts(out, d + 1 < inst->destinations ? ", " : " = ");
    }
    text_puts(out, inst->op < IR_OP_COUNT ? ir_ops[inst->op].name : "?");
    print_sub(out, inst);
    if (inst->space != IR_SPACE_GENERIC)
        text_printf(out, ".%s", ir_name_of(ir_space_names, IR_SPACE_COUNT, inst->space));
    if (inst->order != IR_ORDER_WEAK || inst->scope != IR_SCOPE_NONE)
        text_printf(out, ".%s", ir_name_of(ir_order_names, IR_ORDER_COUNT, inst->order));
    if (inst->scope != IR_SCOPE_NONE)
        text_printf(out, "@%s", ir_name_of(ir_scope_names, IR_SCOPE_COUNT, inst->scope));
    if (inst->vector != ir_default_vector(inst->op))
        text_printf(out, ".v%u", inst->vector);
    if (inst->type != IR_none || inst->type2 != IR_none)
        text_printf(out, ".%s", ir_type_name(inst->type));
    if (inst->type2 != inst->type)
        text_printf(out, ".%s", ir_type_name(inst->type2));
    print_mode(out, inst->mode);
    for (unsigned s = 0; s < inst->sources; s++) {
        text_puts(out, s ? ", " : " ");
        if (s < 32 && addresses >> s & 1 && s + 1 < inst->sources) {
            print_address(p, sources[s], sources[s + 1]);
            s++;
        } else {
            ir_print_operand(p, sources[s]);
        }
    }
    if (inst->cache)
        text_printf(out, " cache=%u", inst->cache);
    if (inst->hints)
        text_printf(out, " hints=%u", inst->hints);
    if (inst->policy) {
        text_puts(out, " policy=");
        ir_print_operand(p, inst->policy);
    }
    if (inst->op == IR_OP_call_indirect && inst->extra < p->module->prototype_count) {
        text_puts(out, " prototype=");
        ir_print_name(out, p->module->prototypes[inst->extra].name,
                   p->prototype_tags && p->prototype_tags[inst->extra], inst->extra);
    } else if (inst->extra) {
        text_puts(out, " extra=");
        ir_print_number(out, inst->extra);
    }
}

void ir_print_inst(struct text *out, const struct ir_module *module,
                   const struct ir_function *function, const struct ir_inst *inst)
{
    struct ir_printer p = {.out = out, .module = module, .function = function};

    ir_print_inst_with(&p, inst);
}
