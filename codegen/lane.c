/* SPDX-License-Identifier: Apache-2.0
 *
 * lane.c - per-lane operations as inline PTX. */
#include <stdio.h>
#include <string.h>

#include "codegen/assembly.h"
#include "codegen/gen.h"
#include "codegen/video.h"

static const struct spelling {
    uint16_t op;
    const char *kinds, *opcode;
} spellings[] = {
#define SPELL(op, kinds, opcode) {IR_OP_##op, kinds, opcode},
#include "codegen/spell.def"
#undef SPELL
};

/* Kinds of results, as spell.def has them; the special before the general. */
static const char *kinds_of(enum ir_type type)
{
    switch (type) {
    case IR_pred: return "P";
    case IR_f64: return "DF";
    case IR_bf16:
    case IR_bf16x2: return "BF";
    case IR_e4m3x2:
    case IR_e5m2x2: return "8";
    case IR_f16x2:
    case IR_f32x2: return "F";
    default: return ir_types[type].kind == IR_KIND_F ? "F" : "I";
    }
}

static const char *spelling_of(const struct ir_inst *inst)
{
    for (const char *kind = kinds_of(inst->type); *kind; kind++)
        for (size_t s = 0; s < sizeof spellings / sizeof *spellings; s++)
            if (spellings[s].op == inst->op && strchr(spellings[s].kinds, *kind))
                return spellings[s].opcode;
    return NULL;
}

static const char *rounding(unsigned mode, bool integral)
{
    static const char *const words[][2] = {
        [ROUND_NEAREST_EVEN] = {".rn", ".rni"}, [ROUND_ZERO] = {".rz", ".rzi"},
        [ROUND_DOWN] = {".rm", ".rmi"},         [ROUND_UP] = {".rp", ".rpi"},
        [ROUND_NEAREST_AWAY] = {".rna", ".rna"}};

    return words[mode & ROUND_MASK][integral];
}

/* The opcode with the modifiers that the mode asks for; false when the spelling has
 * no place for one of them. */
static bool spell(const struct ir_inst *inst, const char *opcode, struct text *out)
{
    static const struct { char letter; uint16_t mode; const char *text; } flags[] = {
        {'f', MODE_FTZ, ".ftz"}, {'s', MODE_SAT, ".sat"}, {'l', MODE_RELU, ".relu"},
        {'n', MODE_NAN, ".NaN"}, {'x', MODE_XORSIGN_ABS, ".xorsign.abs"},
        {'t', MODE_SATFINITE, ".satfinite"}};
    unsigned rest = inst->mode;

    for (const char *c = opcode; *c; c++) {
        if (*c != '%') {
            text_putc(out, *c);
            continue;
        }
        switch (*++c) {
        case 'd': text_puts(out, ir_types[inst->type].name); continue;
        case 'a': text_puts(out, ir_types[inst->type2].name); continue;
        case 'r':
            text_puts(out, rounding(rest, false));
            rest &= ~(unsigned)ROUND_MASK;
            continue;
        }
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
            if (flags[f].letter == *c && rest & flags[f].mode) {
                text_puts(out, flags[f].text);
                rest &= ~(unsigned)flags[f].mode;
            }
    }
    /* Saturation to finite values is part of the name of 8-bit conversions. */
    if (strstr(opcode, ".satfinite"))
        rest &= ~(unsigned)MODE_SATFINITE;
    return rest == 0;
}

/* --- cvt ------------------------------------------------------------------ */

static unsigned significand(enum ir_type type)
{
    return type == IR_f64 ? 53 : type == IR_f32 ? 24 : type == IR_f16 ? 11 : 8;
}

static bool is_float(enum ir_type type)
{
    return type == IR_f16 || type == IR_bf16 || type == IR_f32 || type == IR_f64;
}

/* PTX ISA, "cvt": a rounding stands where bits may be lost, to an integral value
 * with i behind it, and nowhere else. */
static const char *cvt_rounding(const struct ir_inst *inst)
{
    enum ir_type to = inst->type, from = inst->type2;
    unsigned mode = inst->mode;

    if (!is_float(to) && is_float(from))
        return rounding(mode, true);
    if (mode & MODE_INTEGRAL)
        return rounding(mode, true);
    if (!is_float(from) && is_float(to))
        return rounding(mode, false);
    if (!is_float(from))
        return "";
    bool loses = significand(to) < significand(from) ||
                 (to != from && ir_types[to].bits == ir_types[from].bits);
    return loses ? rounding(mode, false) : "";
}

static void convert(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    enum ir_type to = inst->type, from = inst->type2;
    unsigned mode = inst->mode;
    bool packed = to == IR_f16x2 || to == IR_e4m3x2 || to == IR_e5m2x2, tf32 = to == IR_tf32;
    bool narrow = packed && to != IR_f16x2;
    const char *round = packed || tf32 ? rounding(mode, false) : cvt_rounding(inst);
    struct assembly a;

    if ((!*round && mode & ROUND_MASK) || mode & (MODE_NAN | MODE_XORSIGN_ABS)) {
        gen_refuse(g, "PTX has no cvt.%s.%s with this mode", ir_types[to].name,
                   ir_types[from].name);
        return;
    }
    assembly_begin(&a, g, ASSEMBLY_PURE, "cvt%s%s%s%s%s%s.%s.%s", round,
                   mode & MODE_FTZ ? ".ftz" : "", narrow ? ".satfinite" : "",
                   mode & MODE_SAT ? ".sat" : "", mode & MODE_RELU ? ".relu" : "",
                   mode & MODE_SATFINITE && !narrow ? ".satfinite" : "",
                   ir_types[to].name, ir_types[from].name);
    assembly_output(&a, gen_destination(g, 0), to);
    assembly_input(&a, gen_source(g, 0), from);
    assembly_end(&a);
}

/* Conversions of 8-bit floats are of PTX 7.8 on sm_90, and of 8.1 on sm_89. */
static void need_narrow(struct gen *g, enum ir_type a, enum ir_type b)
{
    bool narrow = a == IR_e4m3x2 || a == IR_e5m2x2 || b == IR_e4m3x2 || b == IR_e5m2x2;

    if (narrow && !(g->need.forced_version && g->need.sm >= 90))
        need_feature(&g->need, "a conversion of 8-bit floats", 81, 89, g->at);
}

/* cvt.pack.sat: the last operand holds bits of a field, plus 256 if signed. */
static void convert_pack(struct gen *g)
{
    struct assembly a;

    if (!gen_is_constant(gen_source(g, 3))) {
        gen_refuse(g, "the format of cvt.pack must be a constant");
        return;
    }
    uint64_t format = gen_constant(g, gen_source(g, 3));
    unsigned bits = format & 31;
    char sign = format & 256 ? 's' : 'u';
    assembly_begin(&a, g, ASSEMBLY_PURE, "cvt.pack.sat.%c%u.s32%s", sign, bits,
                   bits == 16 ? "" : ".b32");
    assembly_output(&a, gen_destination(g, 0), IR_b32);
    for (unsigned i = 0; i < (bits == 16 ? 2 : 3); i++)
        assembly_input(&a, gen_source(g, i), i < 2 ? IR_s32 : IR_b32);
    assembly_end(&a);
}

/* --- the rest ------------------------------------------------------------- */

/* slct d, a, b, c: the IR has c first. */
static void select_by_sign(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    struct assembly a;

    assembly_begin(&a, g, ASSEMBLY_PURE, "slct%s.%s.%s", inst->mode & MODE_FTZ ? ".ftz" : "",
                   ir_types[inst->type].name, ir_types[inst->type2].name);
    assembly_output(&a, gen_destination(g, 0), inst->type);
    assembly_input(&a, gen_source(g, 1), inst->type);
    assembly_input(&a, gen_source(g, 2), inst->type);
    assembly_input(&a, gen_source(g, 0), inst->type2);
    assembly_end(&a);
}

static void spelled(struct gen *g, const char *opcode)
{
    const struct ir_inst *inst = g->inst;
    const struct ir_row_info *row = &ir_rows[ir_row_find(inst->op, inst->type, inst->type2)];
    struct text text = {0};
    struct assembly a;

    if (!spell(inst, opcode, &text)) {
        gen_refuse(g, "PTX has no '%s' with this mode", text_string(&text));
        text_free(&text);
        return;
    }
    assembly_begin(&a, g, ASSEMBLY_PURE, "%s", text_string(&text));
    text_free(&text);
    assembly_output(&a, gen_destination(g, 0), inst->type);
    for (unsigned s = 0; s < row->sources; s++) {
        bool table = inst->op == IR_OP_lop3 && s == 3;
        if (table && !gen_is_constant(gen_source(g, s)))
            gen_refuse(g, "the table of lop3 must be a constant");
        else if (table)
            assembly_immediate(&a, gen_constant(g, gen_source(g, s)) & 255);
        else
            assembly_input(&a, gen_source(g, s), row->source[s]);
    }
    if (inst->op == IR_OP_min3 || inst->op == IR_OP_max3)
        need_feature(&g->need, "'min' or 'max' of three", 88, 100, g->at);
    assembly_end(&a);
}

void gen_lane(struct gen *g)
{
    const struct ir_inst *inst = g->inst;
    const char *opcode;

    if (gen_lane_native(g))
        return;
    need_narrow(g, inst->type, inst->type2);
    if (inst->op == IR_OP_cvt)
        convert(g);
    else if (inst->op == IR_OP_cvt_pack)
        convert_pack(g);
    else if (inst->op == IR_OP_slct)
        select_by_sign(g);
    else if (inst->op >= IR_OP_vadd && inst->op <= IR_OP_vset4)
        gen_video(g);
    else if ((opcode = spelling_of(inst)))
        spelled(g, opcode);
    else
        gen_refuse(g, "PTX has no '%s' of %s", ir_ops[inst->op].name,
                   ir_types[inst->type].name);
}
