/* SPDX-License-Identifier: Apache-2.0
 *
 * check_memory.c - allocations, lookups, and modules loaded into memory. */
#include "tests/suite.h"

#include <string.h>

#include "emu/engine.h"

START_TEST(allocations_do_not_touch)
{
    struct memory *memory = memory_new(64);
    struct allocation *last = NULL;

    for (unsigned i = 0; i < 50; i++) {
        struct allocation *a =
            memory_allocate(memory, i * i * 64, 1u << (i % 14), ALLOCATION_BUFFER, "x");
        ck_assert_ptr_nonnull(a);
        ck_assert_uint_eq(a->number, i);
        ck_assert_uint_eq(a->address % 256, 0);
        ck_assert_uint_eq(a->address % (1u << (i % 14)), 0);
        ck_assert_uint_eq((uintptr_t)a->host % 256, 0);
        uint64_t zeros = 0;
        while (zeros < a->size && !a->host[zeros])
            zeros++;
        ck_assert_uint_eq(zeros, a->size);
        if (last)
            ck_assert(a->address - (last->address + last->size) >= 4096);
        last = a;
        ck_assert_ptr_eq(memory_at(memory, i), a);
    }
    ck_assert_uint_eq(memory_count(memory), 50);
    ck_assert_uint_eq(memory_at(memory, 0)->address, UINT64_C(0x700000000));
    memory_free(memory);
}
END_TEST

START_TEST(finds_by_address)
{
    struct memory *memory = memory_new(64);
    struct allocation *a[40];

    ck_assert_ptr_null(memory_find(memory, UINT64_C(0x700000000)));
    ck_assert_ptr_null(memory_nearest(memory, 5));
    for (unsigned i = 0; i < 40; i++)
        a[i] = memory_allocate(memory, 100 + i, 256, ALLOCATION_BUFFER, NULL);
    for (unsigned i = 0; i < 40; i++) {
        uint64_t end = a[i]->address + a[i]->size;
        ck_assert_ptr_eq(memory_find(memory, a[i]->address), a[i]);
        ck_assert_ptr_eq(memory_find(memory, end - 1), a[i]);
        ck_assert_ptr_null(memory_find(memory, a[i]->address - 1));
        ck_assert_ptr_null(memory_find(memory, end));
        ck_assert_ptr_eq(memory_nearest(memory, end + 10), a[i]);
        ck_assert_ptr_eq(memory_nearest(memory, a[i]->address - 10), a[i]);
    }
    ck_assert_ptr_null(memory_find(memory, 0));
    ck_assert_ptr_null(memory_find(memory, UINT64_MAX));
    ck_assert_ptr_eq(memory_nearest(memory, 0), a[0]);
    ck_assert_ptr_eq(memory_nearest(memory, UINT64_MAX), a[39]);
    memory_free(memory);
}
END_TEST

START_TEST(releases_once_and_remembers)
{
    struct memory *memory = memory_new(64);
    struct allocation *small = memory_allocate(memory, 16, 1, ALLOCATION_HEAP, "h");
    struct allocation *large = memory_allocate(memory, 1 << 20, 1, ALLOCATION_BUFFER, "l");
    uint64_t address = small->address;

    ck_assert(!memory_release(memory, address + 1));
    ck_assert(memory_release(memory, address));
    ck_assert(!memory_release(memory, address));
    ck_assert(small->freed && !small->host);
    ck_assert_ptr_eq(memory_find(memory, address + 15), small);
    ck_assert(memory_release(memory, large->address));
    struct allocation *next = memory_allocate(memory, 16, 1, ALLOCATION_HEAP, "n");
    ck_assert(next->address > large->address + large->size);
    memory_free(memory);
}
END_TEST

START_TEST(refuses_what_cannot_be_had)
{
    struct memory *memory = memory_new(64);

    ck_assert_ptr_null(memory_allocate(memory, UINT64_MAX, 1, ALLOCATION_BUFFER, "x"));
    ck_assert_ptr_null(memory_allocate(memory, UINT64_MAX / 2, 1, ALLOCATION_BUFFER, "x"));
    ck_assert_ptr_null(memory_allocate(memory, UINT64_C(1) << 60, 1, ALLOCATION_BUFFER, "x"));
    ck_assert_ptr_null(memory_allocate(memory, 8, UINT64_C(1) << 63, ALLOCATION_BUFFER, "x"));
    ck_assert_uint_eq(memory_count(memory), 0);
    ck_assert_ptr_nonnull(memory_allocate(memory, 8, 8, ALLOCATION_BUFFER, "x"));
    memory_free(memory);

    memory = memory_new(32);
    ck_assert_uint_eq(memory_allocate(memory, 8, 8, ALLOCATION_BUFFER, "x")->address,
                      0x10000000);
    ck_assert_ptr_null(memory_allocate(memory, UINT64_C(1) << 32, 8, ALLOCATION_BUFFER, "x"));
    memory_free(memory);
}
END_TEST

static uint32_t add_symbol(struct ir_module *module, const char *name, enum ir_space space,
                           uint64_t size, const void *bytes)
{
    struct ir_symbol symbol = {
        .name = name, .size = size, .align = 8, .space = (uint8_t)space, .type = IR_b8};
    if (bytes)
        symbol.bytes = (unsigned char *)arena_copy(module->arena, bytes, size);
    return ir_add_symbol(module, &symbol);
}

START_TEST(image_initialises_variables)
{
    struct arena arena = {0};
    struct ir_module *module = ir_module_new(&arena, "m");
    struct memory *memory = memory_new(64);
    const char *error = NULL;

    uint32_t table = add_symbol(module, "table", IR_SPACE_GLOBAL, 32, NULL);
    uint32_t text = add_symbol(module, "text", IR_SPACE_CONST, 6, "hello");
    uint32_t tile = add_symbol(module, "tile", IR_SPACE_SHARED, 128, NULL);
    uint32_t body = ir_add_function(module, "body");
    uint32_t outside = ir_add_function(module, "outside");
    module->functions[outside].linkage = IR_LINKAGE_EXTERN;
    struct ir_relocation relocations[] = {
        {0, ir_operand_make(IR_OPERAND_SYMBOL, text), 2, 8, 1, 0},
        {8, ir_operand_make(IR_OPERAND_FUNCTION, body), 0, 8, 0, 0},
        {16, ir_operand_make(IR_OPERAND_SYMBOL, table), 0, 1, 0, 32},
        {24, ir_operand_make(IR_OPERAND_SYMBOL, table), -1, 4, 0, 0},
    };
    module->symbols[table].relocations = relocations;
    module->symbols[table].relocation_count = 4;

    struct image *image = image_load(memory, module, &error);
    ck_assert_ptr_nonnull(image);
    ck_assert_uint_eq(image->symbol_address[tile], 0);
    struct allocation *t = memory_find(memory, image->symbol_address[table]);
    struct allocation *c = memory_find(memory, image->symbol_address[text]);
    ck_assert_int_eq(t->kind, ALLOCATION_GLOBAL);
    ck_assert_int_eq(c->kind, ALLOCATION_CONST);
    ck_assert_str_eq((char *)c->host, "hello");
    ck_assert_str_eq(c->name, "text");
    uint64_t word[4];
    memcpy(word, t->host, sizeof word);
    ck_assert_uint_eq(word[0], c->address + 2);
    ck_assert_uint_eq(function_from_address(module, word[1]), body);
    ck_assert_uint_eq(word[2], (t->address >> 32) & 0xff);
    ck_assert_uint_eq(word[3], (uint32_t)(t->address - 1));

    struct host_function host = {.name = "outside"}, unknown = {.name = "body"};
    ck_assert(image_bind(image, &host));
    ck_assert(!image_bind(image, &unknown));
    ck_assert_ptr_eq(image->host_functions[outside], &host);
    image_free(image);
    ck_assert(t->freed && c->freed);
    memory_free(memory);
    arena_free(&arena);
}
END_TEST

START_TEST(image_says_what_is_missing)
{
    struct arena arena = {0};
    struct ir_module *module = ir_module_new(&arena, "m");
    struct memory *memory = memory_new(64);
    const char *error = NULL;

    uint32_t far = add_symbol(module, "far", IR_SPACE_GLOBAL, 4, NULL);
    module->symbols[far].linkage = IR_LINKAGE_EXTERN;
    ck_assert_ptr_null(image_load(memory, module, &error));
    ck_assert_str_eq(error, "no definition of extern variable 'far'");
    add_symbol(module, "far", IR_SPACE_GLOBAL, 4, NULL);
    struct image *image = image_load(memory, module, &error);
    ck_assert_uint_eq(image->symbol_address[0], image->symbol_address[1]);
    image_free(image);
    add_symbol(module, "huge", IR_SPACE_GLOBAL, UINT64_C(1) << 50, NULL);
    ck_assert_ptr_null(image_load(memory, module, &error));
    ck_assert_str_eq(error, "not enough device memory for 'huge'");
    memory_free(memory);
    arena_free(&arena);
}
END_TEST

START_TEST(function_addresses_are_apart)
{
    struct arena arena = {0};
    struct ir_module *module = ir_module_new(&arena, "m");

    for (unsigned bits = 32; bits <= 64; bits += 32) {
        module->address_bits = (uint8_t)bits;
        uint32_t f = ir_add_function(module, "f");
        uint64_t address = function_address(module, f);
        ck_assert_uint_eq(function_from_address(module, address), f);
        ck_assert_uint_eq(function_from_address(module, address + 8), UINT32_MAX);
        ck_assert_uint_eq(function_from_address(module, 0), UINT32_MAX);
        ck_assert_uint_eq(function_from_address(module, address + 256), UINT32_MAX);
    }
    ck_assert_uint_eq(function_from_address(module, 256), UINT32_MAX);
    arena_free(&arena);
}
END_TEST

SUITE("memory", {
    TEST(allocations_do_not_touch);
    TEST(finds_by_address);
    TEST(releases_once_and_remembers);
    TEST(refuses_what_cannot_be_had);
    TEST(image_initialises_variables);
    TEST(image_says_what_is_missing);
    TEST(function_addresses_are_apart);
})
