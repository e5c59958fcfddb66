/* SPDX-License-Identifier: Apache-2.0
 *
 * video.c - the selector word of a video instruction (numeric/video.h) as the
 * modifiers and selectors of PTX. PTX ISA, "Video Instructions". */
#include "codegen/video.h"

#include "codegen/assembly.h"
#include "numeric/video.h"

static const char *condition(uint64_t e)
{
    switch (e >> 11 & 7) {
    case COMPARE_EQ: return ".eq";
    case COMPARE_NE: return ".ne";
    case COMPARE_LT: return ".lt";
    case COMPARE_LE: return ".le";
    case COMPARE_GT: return ".gt";
    default: return ".ge";
    }
}

static const char *sign(uint64_t e, uint64_t bit)
{
    return e & bit ? ".s32" : ".u32";
}

static const char *second(uint64_t e)
{
    switch (e >> 8 & 3) {
    case 1: return ".add";
    case 2: return ".min";
    case 3: return ".max";
    default: return "";
    }
}

static void part(struct assembly *a, unsigned selected)
{
    static const char *const names[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};

    assembly_text(a, "%s", names[selected < 7 ? selected : 0]);
}

/* h10, b3210: the highest part first. */
static void parts(struct assembly *a, uint64_t nibbles, unsigned count)
{
    assembly_text(a, count == 2 ? ".h" : ".b");
    for (unsigned i = count; i-- > 0;)
        assembly_text(a, "%u", (unsigned)(nibbles >> 4 * i & 15));
}

static void mask(struct assembly *a, uint64_t e, unsigned count)
{
    uint64_t bits = e >> 20 & 15;

    if (bits == (1u << count) - 1)
        return;
    assembly_text(a, count == 2 ? ".h" : ".b");
    for (unsigned i = count; i-- > 0;)
        if (bits >> i & 1)
            assembly_text(a, "%u", i);
}

static void negated(struct assembly *a, ir_operand operand, enum ir_type type, bool minus)
{
    LLVMValueRef value = gen_value(a->g, operand, type);

    if (!minus) {
        assembly_value(a, value);
        return;
    }
    /* The sign stands before the register: -a. */
    assembly_value(a, value);
    size_t at = a->text.size - 2; /* the mark and its index */
    char index = a->text.data[at + 1], mark = a->text.data[at];
    a->text.size = at;
    text_putc(&a->text, '-');
    text_putc(&a->text, mark);
    text_putc(&a->text, index);
}

static void scalar(struct gen *g, uint64_t e)
{
    const struct ir_inst *inst = g->inst;
    const char *sat = inst->mode & MODE_SAT ? ".sat" : "", *name = ir_ops[inst->op].name;
    bool mad = inst->op == IR_OP_vmad, shift = inst->op == IR_OP_vshl || inst->op == IR_OP_vshr;
    unsigned scale = e >> 14 & 15;
    struct assembly a;

    if (mad)
        assembly_begin(&a, g, ASSEMBLY_PURE, "vmad%s%s%s%s%s%s", sign(e, VIDEO_D_SIGNED),
                       sign(e, VIDEO_A_SIGNED), sign(e, VIDEO_B_SIGNED),
                       e & VIDEO_PLUS_ONE ? ".po" : "", sat,
                       scale == 7    ? ".shr7"
                       : scale == 15 ? ".shr15"
                                     : "");
    else if (inst->op == IR_OP_vset)
        assembly_begin(&a, g, ASSEMBLY_PURE, "vset%s%s%s%s", sign(e, VIDEO_A_SIGNED),
                       sign(e, VIDEO_B_SIGNED), condition(e), second(e));
    else
        assembly_begin(&a, g, ASSEMBLY_PURE, "%s%s%s%s%s%s%s", name, sign(e, VIDEO_D_SIGNED),
                       sign(e, VIDEO_A_SIGNED), sign(e, VIDEO_B_SIGNED), sat,
                       !shift              ? ""
                       : e & VIDEO_WRAP    ? ".wrap"
                                           : ".clamp",
                       second(e));
    assembly_output(&a, gen_destination(g, 0), IR_u32);
    part(&a, e >> 28 & 7);
    negated(&a, gen_source(g, 0), IR_u32, e & VIDEO_A_NEGATED);
    part(&a, e >> 20 & 7);
    negated(&a, gen_source(g, 1), IR_u32, e & VIDEO_B_NEGATED);
    part(&a, e >> 24 & 7);
    if (mad || (e >> 28 & 7) != VIDEO_WORD || *second(e))
        negated(&a, gen_source(g, 2), IR_u32, e & VIDEO_C_NEGATED);
    assembly_end(&a);
}

static void packed(struct gen *g, uint64_t e, unsigned count)
{
    const struct ir_inst *inst = g->inst;
    const char *end = inst->mode & MODE_SAT ? ".sat" : second(e);
    bool compares = inst->op == IR_OP_vset2 || inst->op == IR_OP_vset4;
    struct assembly a;

    if (inst->mode & MODE_SAT && *second(e)) {
        gen_refuse(g, "PTX has no '%s' that saturates and adds", ir_ops[inst->op].name);
        return;
    }
    if (compares)
        assembly_begin(&a, g, ASSEMBLY_PURE, "%s%s%s%s%s", ir_ops[inst->op].name,
                       sign(e, VIDEO_A_SIGNED), sign(e, VIDEO_B_SIGNED), condition(e),
                       second(e));
    else
        assembly_begin(&a, g, ASSEMBLY_PURE, "%s%s%s%s%s", ir_ops[inst->op].name,
                       sign(e, VIDEO_D_SIGNED), sign(e, VIDEO_A_SIGNED),
                       sign(e, VIDEO_B_SIGNED), end);
    assembly_output(&a, gen_destination(g, 0), IR_u32);
    mask(&a, e, count);
    negated(&a, gen_source(g, 0), IR_u32, false);
    parts(&a, e >> 32, count);
    negated(&a, gen_source(g, 1), IR_u32, false);
    parts(&a, e >> 48, count);
    negated(&a, gen_source(g, 2), IR_u32, false);
    assembly_end(&a);
}

void gen_video(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    uint64_t e = gen_constant(g, gen_source(g, 3));

    if (inst->mode & ~(unsigned)MODE_SAT)
        gen_refuse(g, "PTX has no '%s' with this mode", ir_ops[inst->op].name);
    else if (inst->op <= IR_OP_vset)
        scalar(g, e);
    else
        packed(g, e, inst->op <= IR_OP_vset2 ? 2 : 4);
}
