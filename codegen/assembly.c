/* SPDX-License-Identifier: Apache-2.0
 *
 * assembly.c - inline PTX: operands, constraints, guards.
 *
 * LLVM numbers outputs before inputs, whatever their order in the text; until the end
 * the text has a mark and an index for each. */
#include "codegen/assembly.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "codegen/exists.h"

enum { MARK_OUTPUT = 1, MARK_INPUT = 2 };

/* --- text ----------------------------------------------------------------- */

/* A dollar sign means an operand to LLVM; two are one. */
static void add_escaped(struct text *text, const char *string)
{
    for (; *string; string++) {
        if (*string == '$')
            text_putc(text, '$');
        text_putc(text, *string);
    }
}

static void add_format(struct text *text, const char *format, va_list arguments)
{
    char buffer[600];

    vsnprintf(buffer, sizeof buffer, format, arguments);
    add_escaped(text, buffer);
}

void assembly_begin(struct assembly *a, struct gen *g, unsigned effects,
                    const char *format, ...)
{
    char opcode[200];
    va_list arguments;

    *a = (struct assembly){.g = g, .effects = effects};
    va_start(arguments, format);
    vsnprintf(opcode, sizeof opcode, format, arguments);
    va_end(arguments);
    if (!instruction_exists(opcode))
        gen_refuse(g, "PTX has no '%s'", opcode);
    else
        need_instruction(&g->need, opcode, g->at);
    text_puts(&a->text, opcode);
}

void assembly_text(struct assembly *a, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add_format(&a->text, format, arguments);
    va_end(arguments);
}

static void separate(struct assembly *a)
{
    text_puts(&a->text, a->operands++ ? ", " : " ");
}

static void put_output(struct assembly *a, ir_operand destination, LLVMTypeRef type)
{
    text_putc(&a->text, MARK_OUTPUT);
    text_putc(&a->text, (char)(a->output_count + 1));
    a->outputs[a->output_count] = destination;
    a->output_types[a->output_count++] = type;
}

static void put_input(struct assembly *a, LLVMValueRef value)
{
    text_putc(&a->text, MARK_INPUT);
    text_putc(&a->text, (char)(a->input_count + 1));
    a->inputs[a->input_count++] = value;
}

/* --- operands ------------------------------------------------------------- */

static LLVMTypeRef output_type(struct gen *g, ir_operand destination, enum ir_type type)
{
    if (ir_operand_kind(destination) == IR_OPERAND_REGISTER)
        type = g->function->registers[ir_operand_index(destination)].width;
    return gen_type(g, type);
}

/* Constants of 32 and 64 bits are written out; the rest goes through registers,
 * for which PTX has no restrictions. */
static bool put_constant(struct assembly *a, uint64_t value, enum ir_type type)
{
    const struct ir_type_info *info = &ir_types[type];
    bool integer = info->kind == IR_KIND_B || info->kind == IR_KIND_U || info->kind == IR_KIND_S;

    if (type == IR_f32)
        text_printf(&a->text, "0f%08" PRIX32, (uint32_t)value);
    else if (type == IR_f64)
        text_printf(&a->text, "0d%016" PRIX64, value);
    else if (!integer || (info->bits != 32 && info->bits != 64))
        return false;
    else if (info->bits == 32)
        text_printf(&a->text, "%" PRId32, (int32_t)value);
    else
        text_printf(&a->text, "%" PRId64, (int64_t)value);
    return true;
}

static void put_source(struct assembly *a, ir_operand operand, enum ir_type type)
{
    if (gen_is_constant(operand) && put_constant(a, gen_constant(a->g, operand), type))
        return;
    put_input(a, gen_value(a->g, operand, ir_type_register(type)));
}

void assembly_output(struct assembly *a, ir_operand destination, enum ir_type type)
{
    separate(a);
    put_output(a, destination, output_type(a->g, destination, type));
}

void assembly_input(struct assembly *a, ir_operand operand, enum ir_type type)
{
    separate(a);
    put_source(a, operand, type);
}

void assembly_value(struct assembly *a, LLVMValueRef value)
{
    separate(a);
    put_input(a, value);
}

void assembly_plain_value(struct assembly *a, LLVMValueRef value)
{
    put_input(a, value);
}

void assembly_immediate(struct assembly *a, uint64_t value)
{
    separate(a);
    text_printf(&a->text, "%" PRIu64, value);
}

void assembly_word_address(struct assembly *a, ir_operand word)
{
    LLVMValueRef value = gen_value(a->g, word, IR_b64);

    separate(a);
    text_putc(&a->text, '[');
    put_input(a, value);
    text_putc(&a->text, ']');
}

void assembly_address(struct assembly *a, ir_operand base, ir_operand offset)
{
    struct gen *g = a->g;
    int64_t distance = (int64_t)gen_constant(g, offset);
    LLVMValueRef value =
        gen_value(g, base, g->module->address_bits == 32 ? IR_b32 : IR_b64);

    /* PTX ISA, "Addresses as Operands": the offset is a 32-bit integer. */
    if (distance != (int32_t)distance) {
        value = LLVMBuildAdd(g->builder, value,
                             gen_number(g, gen_bits(value), (uint64_t)distance), "");
        distance = 0;
    }
    separate(a);
    text_putc(&a->text, '[');
    put_input(a, value);
    if (distance)
        text_printf(&a->text, "+%" PRId64, distance);
    text_putc(&a->text, ']');
}

void assembly_fragment_to(struct assembly *a, const ir_operand *list, unsigned count,
                          enum ir_type type)
{
    separate(a);
    text_putc(&a->text, '{');
    for (unsigned i = 0; i < count; i++) {
        text_puts(&a->text, i ? ", " : "");
        put_output(a, list[i], output_type(a->g, list[i], type));
    }
    text_putc(&a->text, '}');
}

void assembly_fragment(struct assembly *a, const ir_operand *list, unsigned count,
                       enum ir_type type)
{
    separate(a);
    text_putc(&a->text, '{');
    for (unsigned i = 0; i < count; i++) {
        text_puts(&a->text, i ? ", " : "");
        put_input(a, gen_value(a->g, list[i], ir_type_register(type)));
    }
    text_putc(&a->text, '}');
}

void assembly_outputs(struct assembly *a, const ir_operand *list, unsigned count,
                      enum ir_type type)
{
    if (count == 1)
        assembly_output(a, list[0], type);
    else
        assembly_fragment_to(a, list, count, type);
}

void assembly_inputs(struct assembly *a, const ir_operand *list, unsigned count,
                     enum ir_type type)
{
    if (count == 1)
        assembly_input(a, list[0], type);
    else
        assembly_fragment(a, list, count, type);
}

void assembly_pair(struct assembly *a, ir_operand first, ir_operand second, bool both)
{
    separate(a);
    if (!first && both)
        text_putc(&a->text, '_');
    else
        put_output(a, first, gen_int(a->g, 32));
    if (second || both) {
        text_putc(&a->text, '|');
        put_output(a, second, gen_int(a->g, 1));
    }
}

/* --- the call ------------------------------------------------------------- */

/* NVPTXTargetLowering: register classes of inline assembly. */
static char constraint(LLVMTypeRef type)
{
    switch (LLVMGetIntTypeWidth(type)) {
    case 1: return 'b';
    case 16: return 'h';
    case 32: return 'r';
    case 64: return 'l';
    default: return 'q';
    }
}

/* Marks become numbers. */
static void number(const struct assembly *a, struct text *out)
{
    const char *data = a->text.data;

    for (size_t i = 0; i < a->text.size; i++) {
        if (data[i] != MARK_OUTPUT && data[i] != MARK_INPUT) {
            text_putc(out, data[i]);
            continue;
        }
        unsigned base = data[i] == MARK_INPUT ? a->output_count : 0;
        text_printf(out, "$%u", base + (unsigned)(unsigned char)data[++i] - 1);
    }
    text_putc(out, ';');
}

static LLVMTypeRef result_type(struct assembly *a)
{
    LLVMContextRef context = a->g->context;

    if (a->output_count == 0)
        return LLVMVoidTypeInContext(context);
    return a->output_count == 1
               ? a->output_types[0]
               : LLVMStructTypeInContext(context, a->output_types, a->output_count, 0);
}

static void attributes(const struct assembly *a, LLVMValueRef call)
{
    struct gen *g = a->g;

    gen_attribute(g, call, LLVMAttributeFunctionIndex, "nounwind", 0, NULL);
    if (a->effects & ASSEMBLY_CONVERGENT)
        gen_attribute(g, call, LLVMAttributeFunctionIndex, "convergent", 0, NULL);
    if (!(a->effects & ASSEMBLY_EFFECT))
        gen_attribute(g, call, LLVMAttributeFunctionIndex, "memory", 0, NULL);
}

/* The guard goes in front, and each output starts as what it was. */
static void add_guard(struct assembly *a, struct text *front)
{
    struct gen *g = a->g;

    if (a->front)
        text_puts(front, a->front);
    if (!g->inst->guard)
        return;
    text_puts(front, g->inst->guard_not ? "@!" : "@");
    text_putc(front, MARK_INPUT);
    text_putc(front, (char)(a->input_count + 1));
    text_putc(front, ' ');
    a->inputs[a->input_count++] = gen_value(g, g->inst->guard, IR_pred);
}

void assembly_end(struct assembly *a)
{
    struct gen *g = a->g;
    struct text front = {0}, text = {0}, constraints = {0};
    LLVMTypeRef types[3 * ASSEMBLY_OPERANDS];

    add_guard(a, &front);
    text_add(&front, text_string(&a->text), a->text.size);
    text_free(&a->text);
    a->text = front;
    for (unsigned i = 0; i < a->output_count; i++)
        text_printf(&constraints, "%s=%c", i ? "," : "", constraint(a->output_types[i]));
    LLVMValueRef inputs[3 * ASSEMBLY_OPERANDS];
    unsigned count = 0;
    for (unsigned i = 0; i < a->input_count; i++) {
        inputs[count++] = a->inputs[i];
        text_printf(&constraints, "%s%c", constraints.size ? "," : "",
                    constraint(LLVMTypeOf(a->inputs[i])));
    }
    for (unsigned i = 0; g->inst->guard && i < a->output_count; i++) {
        inputs[count++] = a->outputs[i]
                              ? gen_value(g, a->outputs[i], IR_b32)
                              : LLVMConstInt(a->output_types[i], 0, 0);
        text_printf(&constraints, ",%u", i);
    }
    if ((a->effects & ASSEMBLY_MEMORY) == ASSEMBLY_MEMORY)
        text_printf(&constraints, "%s~{memory}", constraints.size ? "," : "");
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(inputs[i]);
    number(a, &text);
    LLVMTypeRef type = LLVMFunctionType(result_type(a), types, count, 0);
    LLVMValueRef code = LLVMGetInlineAsm(
        type, text.data, text.size, (char *)text_string(&constraints), constraints.size,
        (a->effects & ASSEMBLY_EFFECT) != 0, 0, LLVMInlineAsmDialectATT, 0);
    LLVMValueRef call = LLVMBuildCall2(g->builder, type, code, inputs, count, "");
    attributes(a, call);
    for (unsigned i = 0; i < a->output_count; i++) {
        a->values[i] =
            a->output_count == 1 ? call : LLVMBuildExtractValue(g->builder, call, i, "");
        gen_result(g, a->outputs[i], a->values[i]);
    }
    text_free(&a->text);
    text_free(&text);
    text_free(&constraints);
}
