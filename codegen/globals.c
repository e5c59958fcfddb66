/* SPDX-License-Identifier: Apache-2.0
 *
 * globals.c - variables of the module and their initial values. */
#include <string.h>

#include "codegen/gen.h"

/* PTX ISA, "Identifiers", but for a leading %, which is for registers. */
bool gen_check_name(struct gen *g, const char *name, struct loc at)
{
    bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
    bool good = letter || ((*name == '_' || *name == '$') && name[1]);

    for (const char *c = name; *c && good; c++)
        good = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
               (*c >= '0' && *c <= '9') || *c == '_' || *c == '$';
    if (!good)
        diag_error(g->diags, at, "'%s' is no name in PTX", name);
    return good;
}

static unsigned address_space(enum ir_space space)
{
    return space == IR_SPACE_CONST    ? LLVM_CONST
           : space == IR_SPACE_SHARED ? LLVM_SHARED
                                      : LLVM_GLOBAL;
}

static LLVMLinkage linkage(enum ir_linkage linkage)
{
    switch (linkage) {
    case IR_LINKAGE_VISIBLE:
    case IR_LINKAGE_EXTERN: return LLVMExternalLinkage;
    case IR_LINKAGE_WEAK: return LLVMWeakAnyLinkage;
    case IR_LINKAGE_COMMON: return LLVMCommonLinkage;
    default: return LLVMInternalLinkage;
    }
}

/* --- types ---------------------------------------------------------------- */

/* Bytes, with words where addresses stand. */
static LLVMTypeRef pieces_type(struct gen *g, const struct ir_symbol *symbol)
{
    LLVMTypeRef *parts =
        ARENA_NEW_ARRAY(g->arena, 2 * symbol->relocation_count + 1, LLVMTypeRef);
    LLVMTypeRef byte = gen_int(g, 8);
    uint64_t end = 0;
    unsigned count = 0;

    for (uint32_t r = 0; r < symbol->relocation_count; r++) {
        const struct ir_relocation *word = &symbol->relocations[r];
        if (word->offset > end)
            parts[count++] = LLVMArrayType2(byte, word->offset - end);
        unsigned space = word->generic || ir_operand_kind(word->target) == IR_OPERAND_FUNCTION
                             ? LLVM_GENERIC
                             : address_space(g->module->symbols[ir_operand_index(word->target)].space);
        parts[count++] = LLVMPointerTypeInContext(g->context, space);
        end = word->offset + word->bytes;
    }
    if (end < symbol->size)
        parts[count++] = LLVMArrayType2(byte, symbol->size - end);
    return LLVMStructTypeInContext(g->context, parts, count, 1);
}

static LLVMTypeRef symbol_type(struct gen *g, const struct ir_symbol *symbol)
{
    unsigned bytes = ir_type_bytes(symbol->type);

    if (symbol->relocation_count)
        return pieces_type(g, symbol);
    if (symbol->size == bytes && bytes <= 8)
        return gen_int(g, 8 * bytes);
    if (!bytes || bytes > 8 || symbol->size % bytes)
        bytes = 1;
    return LLVMArrayType2(gen_int(g, 8 * bytes), symbol->size / bytes);
}

/* Addresses must be words of the address size, one after the other: parts of
 * addresses and narrow ones have no place in LLVM. */
static bool check_relocations(struct gen *g, const struct ir_symbol *symbol)
{
    uint64_t end = 0;

    for (uint32_t r = 0; r < symbol->relocation_count; r++) {
        const struct ir_relocation *word = &symbol->relocations[r];
        if (word->bytes * 8 != g->module->address_bits || word->shift) {
            diag_error(g->diags, symbol->at,
                       "'%s' holds a part of an address, which cannot be written", symbol->name);
            return false;
        }
        if (word->offset < end || word->offset + word->bytes > symbol->size) {
            diag_error(g->diags, symbol->at, "the addresses in '%s' overlap", symbol->name);
            return false;
        }
        end = word->offset + word->bytes;
    }
    return true;
}

static void annotate(struct gen *g, LLVMValueRef value, const char *name, unsigned number)
{
    LLVMMetadataRef parts[3] = {
        LLVMValueAsMetadata(value), LLVMMDStringInContext2(g->context, name, strlen(name)),
        LLVMValueAsMetadata(gen_number(g, 32, number))};

    LLVMAddNamedMetadataOperand(
        g->llvm, "nvvm.annotations",
        LLVMMetadataAsValue(g->context, LLVMMDNodeInContext2(g->context, parts, 3)));
}

void gen_symbols(struct gen *g)
{
    g->symbols = ARENA_NEW_ARRAY(g->arena, g->module->symbol_count, LLVMValueRef);
    for (uint32_t s = 0; s < g->module->symbol_count; s++) {
        const struct ir_symbol *symbol = &g->module->symbols[s];
        gen_check_name(g, symbol->name, symbol->at);
        LLVMTypeRef type =
            check_relocations(g, symbol) ? symbol_type(g, symbol) : gen_int(g, 8);
        enum ir_space space = symbol->reference ? IR_SPACE_GLOBAL : symbol->space;
        LLVMValueRef global =
            LLVMAddGlobalInAddressSpace(g->llvm, type, symbol->name, address_space(space));
        if (symbol->reference)
            annotate(g, global, ir_reference_names[symbol->reference], 1);
        LLVMSetLinkage(global, linkage(symbol->linkage));
        LLVMSetAlignment(global, symbol->align ? symbol->align : 1);
        if (symbol->managed)
            annotate(g, global, "managed", 1);
        g->symbols[s] = global;
    }
}

/* --- values --------------------------------------------------------------- */

static LLVMValueRef bytes_value(struct gen *g, const unsigned char *bytes, uint64_t count)
{
    return LLVMConstStringInContext2(g->context, (const char *)bytes, count, 1);
}

static LLVMValueRef address_value(struct gen *g, const struct ir_relocation *word,
                                  LLVMTypeRef type)
{
    uint32_t index = ir_operand_index(word->target);
    LLVMValueRef value = ir_operand_kind(word->target) == IR_OPERAND_FUNCTION
                             ? g->functions[index]
                             : g->symbols[index];

    if (word->generic && LLVMTypeOf(value) != type)
        value = LLVMConstAddrSpaceCast(value, type);
    if (word->addend) {
        LLVMValueRef distance = gen_number(g, 64, (uint64_t)word->addend);
        value = LLVMConstGEP2(gen_int(g, 8), value, &distance, 1);
    }
    return value;
}

static LLVMValueRef pieces_value(struct gen *g, const struct ir_symbol *symbol,
                                 LLVMTypeRef type)
{
    unsigned count = LLVMCountStructElementTypes(type), part = 0;
    LLVMValueRef *values = ARENA_NEW_ARRAY(g->arena, count, LLVMValueRef);
    uint64_t end = 0;

    for (uint32_t r = 0; r < symbol->relocation_count; r++) {
        const struct ir_relocation *word = &symbol->relocations[r];
        if (word->offset > end)
            values[part++] = bytes_value(g, symbol->bytes + end, word->offset - end);
        values[part] = address_value(g, word, LLVMStructGetTypeAtIndex(type, part));
        part++;
        end = word->offset + word->bytes;
    }
    if (end < symbol->size)
        values[part++] = bytes_value(g, symbol->bytes + end, symbol->size - end);
    return LLVMConstStructInContext(g->context, values, part, 1);
}

static uint64_t word_at(const unsigned char *bytes, unsigned size)
{
    uint64_t value = 0;

    for (unsigned b = 0; b < size; b++)
        value |= (uint64_t)bytes[b] << 8 * b;
    return value;
}

static LLVMValueRef symbol_value(struct gen *g, const struct ir_symbol *symbol,
                                 LLVMTypeRef type)
{
    if (symbol->space == IR_SPACE_SHARED || symbol->reference)
        return LLVMGetUndef(type);
    if (symbol->relocation_count)
        return pieces_value(g, symbol, type);
    if (!symbol->bytes)
        return LLVMConstNull(type);
    if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
        return LLVMConstInt(type, word_at(symbol->bytes, LLVMGetIntTypeWidth(type) / 8), 0);
    LLVMTypeRef element = LLVMGetElementType(type);
    unsigned bytes = LLVMGetIntTypeWidth(element) / 8;
    uint64_t count = symbol->size / bytes;
    if (bytes == 1)
        return bytes_value(g, symbol->bytes, count);
    LLVMValueRef *values = ARENA_NEW_ARRAY(g->arena, count, LLVMValueRef);
    for (uint64_t i = 0; i < count; i++)
        values[i] = LLVMConstInt(element, word_at(symbol->bytes + i * bytes, bytes), 0);
    return LLVMConstArray2(element, values, count);
}

void gen_symbol_values(struct gen *g)
{
    for (uint32_t s = 0; s < g->module->symbol_count; s++) {
        const struct ir_symbol *symbol = &g->module->symbols[s];
        if (symbol->linkage != IR_LINKAGE_EXTERN)
            LLVMSetInitializer(g->symbols[s],
                               symbol_value(g, symbol, LLVMGlobalGetValueType(g->symbols[s])));
    }
}
