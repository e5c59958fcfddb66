/* SPDX-License-Identifier: Apache-2.0
 *
 * vectors.c - the recorded instructions of tests/data, and a kernel around each.
 *
 * Without Check and zstd: the program that runs them on a GPU has neither. */
#include "tests/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct vectors *vectors_parse(struct arena *arena, char *index, const unsigned char *words,
                              size_t size)
{
    struct vectors *all = ARENA_NEW_ARRAY(arena, VECTOR_COUNT, struct vectors);
    struct vectors inputs[256]; /* what the IN lines say */
    const unsigned char *next = words, *end = words + size;
    int input_count = 0, count = 0;
    char *rest = index;

    for (char *line; (line = strtok_r(rest, "\n", &rest)) != NULL;) {
        struct vectors one = {.words = next};
        int at = 0;

        if (sscanf(line, "IN %63s %d", one.signature, &one.sources) == 2) {
            if (input_count == 256)
                return NULL;
            inputs[input_count++] = one;
            next += (size_t)8 * VECTORS * (size_t)one.sources;
            continue;
        }
        if (sscanf(line, "OP %63[^>]>%63s %63s %d", one.signature, one.result, one.name,
                   &one.width) != 4)
            return NULL;
        while (at < input_count && strcmp(inputs[at].signature, one.signature) != 0)
            at++;
        if (at == input_count || count == VECTOR_COUNT)
            return NULL;
        one.sources = inputs[at].sources;
        one.words = inputs[at].words;
        one.recorded = next;
        next += (size_t)VECTORS * (size_t)one.width;
        if (next > end)
            return NULL;
        all[count++] = one;
    }
    return count == VECTOR_COUNT ? all : NULL;
}

uint64_t vector_word(const unsigned char *bytes, int width)
{
    uint64_t word = 0;

    for (int i = 0; i < width; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

/* --- kernels ------------------------------------------------------------------------- */

/* Bits of a register that holds the type: "sh" is a shift amount. */
static int bits_of(const char *type)
{
    if (strcmp(type, "P") == 0)
        return 1;
    if (strcmp(type, "sh") == 0 || strstr(type, "16x2"))
        return 32;
    int bits = atoi(type + strcspn(type, "0123456789"));
    return bits == 8 ? 16 : bits;
}

/* How an operand word is loaded: 8 bits are extended by their type. */
static const char *load_of(const char *type)
{
    if (strcmp(type, "s8") == 0 || strcmp(type, "u8") == 0)
        return type;
    return bits_of(type) == 16 ? "b16" : bits_of(type) == 32 ? "b32" : "b64";
}

static void write_instruction(struct text *out, const struct vectors *vectors, int form)
{
    const char *bar = strchr(vectors->name, '|');

    text_printf(out, "%.*s %s%d", bar ? (int)(bar - vectors->name) : (int)strlen(vectors->name),
                vectors->name, bits_of(vectors->result) > 1 ? "%d" : "%p", form);
    for (int i = 0; i < vectors->sources; i++)
        text_printf(out, ", %%s%d", i);
    text_printf(out, "%s%s;\n", bar ? ", " : "", bar ? bar + 1 : "");
}

void vector_kernel(struct text *out, const struct vectors *vectors, const char *name,
                   unsigned forms)
{
    int bits = bits_of(vectors->result), count = 0;
    char types[64];

    text_printf(out, ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u32 turn)\n{\n"
                     ".reg .b32 %%i<6>; .reg .b64 %%r<3>; .reg .pred %%p<3>, %%on, %%w;\n"
                     "ld.param.u64 %%r0, [in]; ld.param.u64 %%r1, [out];\n"
                     "mov.u32 %%i0, %%ctaid.x; mov.u32 %%i1, %%ntid.x; mov.u32 %%i2, %%tid.x;\n"
                     "mad.lo.u32 %%i0, %%i0, %%i1, %%i2;\n"
                     "mul.wide.u32 %%r2, %%i0, 8; add.u64 %%r0, %%r0, %%r2; add.u64 %%r1, %%r1, %%r2;\n",
                name);
    /* The mask of this warp, as vector_active has it. */
    text_puts(out, "ld.param.u32 %i2, [turn]; shr.u32 %i1, %i0, 5; add.u32 %i2, %i2, %i1;\n"
                   "and.b32 %i2, %i2, 3; mul.lo.u32 %i1, %i1, 5; and.b32 %i1, %i1, 31;\n"
                   "mov.u32 %i3, 1; shl.b32 %i3, %i3, %i1;\n"
                   "setp.eq.u32 %w, %i2, 0; selp.b32 %i3, 0xffffffff, %i3, %w;\n"
                   "setp.eq.u32 %w, %i2, 1; selp.b32 %i3, 0x00fff0f1, %i3, %w;\n"
                   "setp.eq.u32 %w, %i2, 2; selp.b32 %i3, 0xaaaaaaaa, %i3, %w;\n"
                   "and.b32 %i2, %i0, 31; shr.u32 %i3, %i3, %i2; and.b32 %i3, %i3, 1;\n"
                   "setp.ne.u32 %on, %i3, 0;\n");
    strcpy(types, vectors->signature);
    for (char *type = strtok(types, ","); type; type = strtok(NULL, ","), count++)
        text_printf(out, ".reg .b%d %%s%d; ld.global.%s %%s%d, [%%r0+%d];\n", bits_of(type), count,
                    load_of(type), count, 8 * VECTORS * count);
    if (bits > 1)
        text_printf(out, ".reg .b%d %%d<3>;\nmov.b%d %%d1, 0x%llx; mov.b%d %%d2, %%d1;\n", bits,
                    bits, (unsigned long long)(VECTOR_UNTOUCHED & UINT64_MAX >> (64 - bits)), bits);
    else
        text_puts(out, "setp.ne.u32 %p1, %i0, %i0; setp.ne.u32 %p2, %i0, %i0;\n");
    for (int form = 0; form < VECTOR_FORMS; form++) {
        if (!(forms >> form & 1))
            continue;
        text_puts(out, form == 1 ? "@%on " : form == 2 ? "@!%on bra after;\n" : "");
        write_instruction(out, vectors, form);
        text_puts(out, form == 2 ? "after:\n" : "");
        if (bits == 1)
            text_printf(out, "selp.u32 %%i3, 1, 0, %%p%d; st.global.u32 [%%r1+%d], %%i3;\n", form,
                        8 * VECTORS * form);
        else
            text_printf(out, "st.global.b%d [%%r1+%d], %%d%d;\n", bits, 8 * VECTORS * form, form);
    }
    text_puts(out, "ret;\n}\n");
}

bool vector_active(int i, int form, unsigned turn)
{
    unsigned warp = (unsigned)i / 32;
    uint32_t mask = UINT32_C(1) << (5 * warp & 31);

    switch (form ? (warp + turn) & 3 : 0) {
    case 0: mask = UINT32_MAX; break;
    case 1: mask = 0x00fff0f1; break;
    case 2: mask = 0xaaaaaaaa; break;
    }
    return mask >> (i & 31) & 1;
}

bool vector_right(const struct vectors *vectors, const unsigned char *out, int i, int form,
                  unsigned turn, uint64_t *got, uint64_t *due)
{
    int bits = bits_of(vectors->result);
    uint64_t held = bits == 1 ? UINT32_MAX : UINT64_MAX >> (64 - bits);

    *due = bits == 1 ? 0 : VECTOR_UNTOUCHED;
    if (vector_active(i, form, turn))
        *due = vector_word(vectors->recorded + vectors->width * i, vectors->width);
    *due &= held;
    *got = vector_word(out + 8 * (VECTORS * form + i), 8) & held;
    return *got == *due;
}
