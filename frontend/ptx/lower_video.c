/* SPDX-License-Identifier: Apache-2.0
 *
 * lower_video.c - scalar and packed video instructions.
 *
 * PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions". Signs,
 * selectors and the secondary operation go into one constant operand, the word
 * that numeric/video.h describes. */
#include "frontend/ptx/lower_ops.h"

#include "numeric/video.h"

static bool is_signed(uint32_t word)
{
    return word_class(word) == CLASS_SIGNED;
}

static uint64_t comparison_bits(const struct instruction *i)
{
    static const struct { uint16_t word; uint8_t condition; } words[] = {
        {W_eq, COMPARE_EQ}, {W_ne, COMPARE_NE}, {W_lt, COMPARE_LT},
        {W_le, COMPARE_LE}, {W_gt, COMPARE_GT}, {W_ge, COMPARE_GE},
    };

    for (unsigned w = 0; w < sizeof words / sizeof *words; w++)
        if (has(i, words[w].word))
            return VIDEO_CONDITION(words[w].condition);
    return 0;
}

/* What the modifiers say; vset has the types of a and b only. */
static uint64_t modifier_bits(const struct instruction *i)
{
    bool compares = i->type_count == 2;
    uint32_t a = i->types[compares ? 0 : 1], b = i->types[compares ? 1 : 2];
    uint64_t e = comparison_bits(i);

    e |= !compares && is_signed(i->types[0]) ? VIDEO_D_SIGNED : 0;
    e |= is_signed(a) ? VIDEO_A_SIGNED : 0;
    e |= is_signed(b) ? VIDEO_B_SIGNED : 0;
    e |= has(i, W_add) ? VIDEO_THEN_ADD : 0;
    e |= has(i, W_min) ? VIDEO_THEN_MIN : 0;
    e |= has(i, W_max) ? VIDEO_THEN_MAX : 0;
    e |= has(i, W_wrap) ? VIDEO_WRAP : 0;
    e |= has(i, W_po) ? VIDEO_PLUS_ONE : 0;
    e |= has(i, W_shr7) ? VIDEO_SCALE(7) : has(i, W_shr15) ? VIDEO_SCALE(15) : 0;
    return e;
}

/* .b0 to .b3, .h0, .h1 or nothing. */
static bool scalar_part(struct lower *l, struct instruction *i,
                        const struct ptx_operand *operand, uint64_t *part)
{
    const struct ptx_name name = operand->component;

    *part = VIDEO_WORD;
    if (!name.size)
        return true;
    unsigned index = name.size == 2 ? (unsigned)(name.text[1] - '0') : UINT32_MAX;
    if (name.text[0] == 'b' && index < 4) {
        *part = VIDEO_B0 + index;
    } else if (name.text[0] == 'h' && index < 2) {
        *part = VIDEO_H0 + index;
    } else {
        diag_error(l->diags, operand->at, "'%s' selects b0 to b3, h0 or h1, not '%.*s'",
                   instruction_name(i), NAME_ARGS(name));
        return false;
    }
    return true;
}

/* h10, b3210 and the like: the letter, then a digit below limit for each part,
 * the highest first. As nibbles, the lowest part in the lowest. */
static bool digits(struct lower *l, struct instruction *i,
                   const struct ptx_operand *operand, char letter, unsigned limit,
                   uint32_t least, uint32_t most, uint64_t *nibbles)
{
    const struct ptx_name name = operand->component;
    bool good = name.size > least && name.size <= most + 1 && name.text[0] == letter;

    *nibbles = 0;
    for (uint32_t k = 1; good && k < name.size; k++) {
        unsigned digit = (unsigned)(name.text[k] - '0');
        good = digit < limit;
        *nibbles = *nibbles << 4 | (digit & 15);
    }
    if (!good)
        diag_error(l->diags, operand->at, "'%s' has no selector '%.*s'",
                   instruction_name(i), NAME_ARGS(name));
    return good;
}

/* .h0, .h10, .b20 ...: the parts of the result that are written, each once and
 * the highest first. */
static bool mask_of(struct lower *l, struct instruction *i,
                    const struct ptx_operand *operand, char letter, uint32_t parts,
                    uint64_t *mask)
{
    uint64_t nibbles;
    unsigned below = 16;

    if (!digits(l, i, operand, letter, parts, 1, parts, &nibbles))
        return false;
    *mask = 0;
    for (uint32_t k = operand->component.size - 1; k-- > 0;) {
        unsigned part = nibbles >> (4 * k) & 15;
        if (part >= below) {
            diag_error(l->diags, operand->at, "'%s' has no mask '%.*s'",
                       instruction_name(i), NAME_ARGS(operand->component));
            return false;
        }
        below = part;
        *mask |= (uint64_t)1 << part;
    }
    return true;
}

static bool packed_bits(struct lower *l, struct instruction *i, uint32_t parts, uint64_t *e)
{
    const struct ptx_operand *operands = i->syntax->operands;
    char letter = parts == 2 ? 'h' : 'b';
    uint64_t mask = parts == 2 ? 0x3 : 0xf;
    uint64_t a = parts == 2 ? 0x10 : 0x3210, b = parts == 2 ? 0x32 : 0x7654;

    if (operands[0].component.size && !mask_of(l, i, &operands[0], letter, parts, &mask))
        return false;
    if (operands[1].component.size &&
        !digits(l, i, &operands[1], letter, 2 * parts, parts, parts, &a))
        return false;
    if (operands[2].component.size &&
        !digits(l, i, &operands[2], letter, 2 * parts, parts, parts, &b))
        return false;
    *e |= VIDEO_MASK(mask) | VIDEO_A_PARTS(a) | VIDEO_B_PARTS(b);
    return true;
}

static bool scalar_bits(struct lower *l, struct instruction *i, uint64_t *e)
{
    const struct ptx_operand *operands = i->syntax->operands;
    uint64_t part[3];

    for (int k = 0; k < 3; k++)
        if (!scalar_part(l, i, &operands[k], &part[k]))
            return false;
    bool second = *e & VIDEO_THEN_MAX, mad = i->form->op == IR_OP_vmad;
    if (part[0] != VIDEO_WORD && (second || mad)) {
        diag_error(l->diags, operands[0].at, "'%s' writes the whole of its destination",
                   instruction_name(i));
        return false;
    }
    bool third = part[0] != VIDEO_WORD || second || mad;
    *e |= VIDEO_D_PART(part[0]) | VIDEO_A_PART(part[1]) | VIDEO_B_PART(part[2]);
    return operand_count(l, i, third ? 4 : 3, third ? 4 : 3);
}

/* -a, -b, -c of vmad; .po goes without. */
static bool negations(struct lower *l, struct instruction *i, uint64_t *e)
{
    static const uint64_t bits[] = {VIDEO_A_NEGATED, VIDEO_B_NEGATED, VIDEO_C_NEGATED};
    const struct ptx_operand *operands = i->syntax->operands;

    for (uint32_t k = 1; k < i->syntax->operand_count; k++) {
        if (!operands[k].negated)
            continue;
        if (i->form->op != IR_OP_vmad || *e & VIDEO_PLUS_ONE) {
            diag_error(l->diags, operands[k].at, "'%s' takes no negated operand",
                       instruction_name(i));
            return false;
        }
        *e |= bits[k - 1];
    }
    if ((*e & VIDEO_C_NEGATED) && (*e & (VIDEO_A_NEGATED | VIDEO_B_NEGATED))) {
        diag_error(l->diags, i->at, "'%s' negates the product or c, not both",
                   instruction_name(i));
        return false;
    }
    return true;
}

static void video(struct lower *l, struct instruction *i, uint32_t parts)
{
    uint32_t compares = i->type_count == 2;
    uint64_t e = modifier_bits(i);
    struct ptx_operand plain[4];
    uint32_t types[4] = {compares ? W_u32 : i->types[0], i->types[1 - compares],
                         i->types[2 - compares], compares ? W_u32 : i->types[0]};
    ir_operand sources[4];

    if (!operand_count(l, i, parts ? 4 : 3, 4))
        return;
    if (!negations(l, i, &e) ||
        !(parts ? packed_bits(l, i, parts, &e) : scalar_bits(l, i, &e)))
        return;
    for (uint32_t k = 0; k < i->syntax->operand_count; k++) {
        plain[k] = i->syntax->operands[k];
        plain[k].component = (struct ptx_name){NULL, 0};
        plain[k].negated = false;
    }
    ir_operand to = destination(l, &plain[0], types[0], false);
    sources[2] = constant(l, 0);
    for (uint32_t k = 1; k < i->syntax->operand_count; k++)
        sources[k - 1] = source(l, &plain[k], types[k], false);
    sources[3] = constant(l, e);
    if (to && sources[0] && sources[1] && sources[2])
        emit_lane(l, (enum ir_op)i->form->op, IR_u32, IR_u32, mode_of(i), to, sources, 4);
}

void lower_video(struct lower *l, struct instruction *i)
{
    video(l, i, 0);
}

void lower_video_halves(struct lower *l, struct instruction *i)
{
    video(l, i, 2);
}

void lower_video_bytes(struct lower *l, struct instruction *i)
{
    video(l, i, 4);
}
