/* SPDX-License-Identifier: Apache-2.0
 *
 * bind.c - host functions out of a shared library, called through libffi.
 *
 * PTX tells the size of each parameter but, as compilers write it (.b32), not
 * whether it is an integer or a float, and C passes the two in different
 * registers. What decides, in this order:
 *
 *   1. a string NAME_signature in the library: one letter for the result, then
 *      one for each parameter, as C++ mangles builtin types: v void, i int,
 *      j unsigned, l long, m unsigned long, x long long, y unsigned long long,
 *      f float, d double, h unsigned char, s short, t unsigned short, P pointer;
 *      "ffi" is float NAME(float, int)
 *   2. a declared type that says it: .f32, .f64, .u32, .s64, ...
 *   3. the parameter types in a mangled C++ name
 *   4. integer
 *
 * By-value structs are refused: how C passes one depends on its fields. */
#include "config.h"

#include "api/objects.h"

#ifdef HAVE_LIBFFI

#include <dlfcn.h>
#include <unistd.h>
#include <ffi.h>
#include <string.h>

#include "api/demangle.h"

struct library {
    struct library *next;
    void *handle;
};

enum { PARAMETER_LIMIT = 64 };

struct bound {
    struct host_function function;
    void (*call)(void);
    ffi_cif cif;
    ffi_type *types[PARAMETER_LIMIT];
    uint32_t offset[PARAMETER_LIMIT]; /* in the argument bytes */
    uint32_t count, result_size;
};

void module_close_libraries(struct sl_module *module)
{
    for (struct library *l = module->libraries; l; l = l->next)
        dlclose(l->handle);
    module->libraries = NULL;
}

/* The engine's bytes to C and back. An integer result narrower than a register
 * comes back widened (ffi_arg); the bytes are little-endian. */
static void call_through(void *self, const unsigned char *arguments, unsigned char *results)
{
    struct bound *bound = self;
    void *values[PARAMETER_LIMIT];
    union {
        ffi_arg integer;
        double real;
        unsigned char bytes[16];
    } result = {0};

    for (uint32_t i = 0; i < bound->count; i++)
        values[i] = (void *)(uintptr_t)(arguments + bound->offset[i]);
    ffi_call(&bound->cif, bound->call, &result, values);
    memcpy(results, result.bytes, bound->result_size);
}

static ffi_type *by_letter(char letter, uint64_t size)
{
    static const struct {
        char letter;
        unsigned char size;
        ffi_type *type;
    } rows[] = {{'b', 1, &ffi_type_uint8},  {'c', 1, &ffi_type_sint8},
                {'a', 1, &ffi_type_sint8},  {'h', 1, &ffi_type_uint8},
                {'s', 2, &ffi_type_sint16}, {'t', 2, &ffi_type_uint16},
                {'i', 4, &ffi_type_sint32}, {'j', 4, &ffi_type_uint32},
                {'l', 8, &ffi_type_sint64}, {'m', 8, &ffi_type_uint64},
                {'x', 8, &ffi_type_sint64}, {'y', 8, &ffi_type_uint64},
                {'f', 4, &ffi_type_float},  {'d', 8, &ffi_type_double},
                {'P', 8, &ffi_type_uint64}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        /* Compilers widen integers below 32 bits in PTX. */
        if (rows[i].letter == letter &&
            (rows[i].size == size || (rows[i].size < size && size == 4)))
            return rows[i].type;
    return NULL;
}

static ffi_type *by_type(enum ir_type type)
{
    switch (type) {
    case IR_b8: case IR_u8:
        return &ffi_type_uint8;
    case IR_s8:
        return &ffi_type_sint8;
    case IR_b16: case IR_u16:
        return &ffi_type_uint16;
    case IR_s16:
        return &ffi_type_sint16;
    case IR_b32: case IR_u32:
        return &ffi_type_uint32;
    case IR_s32:
        return &ffi_type_sint32;
    case IR_b64: case IR_u64:
        return &ffi_type_uint64;
    case IR_s64:
        return &ffi_type_sint64;
    case IR_f32:
        return &ffi_type_float;
    case IR_f64:
        return &ffi_type_double;
    default:
        return NULL;
    }
}

/* letter: what the library or the name says, 0 if nothing; certain: it is the
 * library that says so. */
static ffi_type *value_type(const struct ir_variable *variable, char letter, bool certain)
{
    if (variable->is_array)
        return NULL;
    bool untyped = ir_types[variable->type].kind == IR_KIND_B;
    if (letter && (certain || (untyped && letter != '?')))
        return by_letter(letter, variable->size);
    return by_type((enum ir_type)variable->type);
}

static sl_status describe(struct sl_module *module, const struct ir_function *function,
                          void *handle, struct bound *bound)
{
    struct sl_context *context = module->context;
    const char *symbol = arena_printf(&module->arena, "%s_signature", function->name);
    const char *signature = dlsym(handle, symbol), *letters = NULL;
    struct cxx_name name;
    ffi_type *result = &ffi_type_void;
    uint64_t offset = 0;

    if (function->parameter_count > PARAMETER_LIMIT || function->result_count > 1)
        return context_fail(context, SL_UNSUPPORTED, "%s has too many parameters or results",
                            function->name);
    if (signature && strnlen(signature, PARAMETER_LIMIT + 2) != function->parameter_count + 1u)
        return context_fail(context, SL_INVALID,
                            "%s is \"%.80s\"; it needs one letter for the result and one for "
                            "each of %u parameters", symbol, signature,
                            function->parameter_count);
    if (signature)
        letters = signature + 1;
    else if (cxx_demangle(&module->arena, function->name, &name) && name.letters &&
             strlen(name.letters) == function->parameter_count)
        letters = name.letters;
    if (function->result_count) {
        const struct ir_variable *v = &function->variables[function->results[0]];
        result = value_type(v, signature ? signature[0] : 0, signature != NULL);
        bound->result_size = (uint32_t)v->size;
    }
    for (uint32_t i = 0; i < function->parameter_count && result; i++) {
        const struct ir_variable *v = &function->variables[function->parameters[i]];
        uint64_t align = v->align ? v->align : 1;

        bound->types[i] = value_type(v, letters ? letters[i] : 0, signature != NULL);
        if (!bound->types[i])
            return context_fail(context, SL_UNSUPPORTED,
                                "%s: parameter %u (%s, %llu bytes%s) cannot be passed to a host "
                                "function", function->name, i, ir_types[v->type].name,
                                (unsigned long long)v->size, v->is_array ? ", a struct" : "");
        offset = (offset + align - 1) / align * align;
        bound->offset[i] = (uint32_t)offset;
        offset += v->size;
    }
    bound->count = function->parameter_count;
    if (!result || ffi_prep_cif(&bound->cif, FFI_DEFAULT_ABI, bound->count, result,
                                bound->types) != FFI_OK)
        return context_fail(context, SL_UNSUPPORTED, "%s: its result cannot come from a host "
                            "function", function->name);
    return SL_OK;
}

sl_status sl_bind_library(sl_module *module, const char *path, size_t *bound_count)
{
    struct sl_context *context = module->context;
    const struct ir_module *ir = module->ir;
    size_t count = 0;

    if (bound_count)
        *bound_count = 0;
    if (module->cuda)
        return context_fail(context, SL_UNSUPPORTED, "a GPU cannot call functions of the host");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        /* Without a slash only the system's folders are searched. */
        const char *why = dlerror();
        bool is_here = !strchr(path, '/') && access(path, R_OK) == 0;
        return context_fail(context, SL_NOT_FOUND, "%s%s%s", why,
                            is_here ? "; the one in this folder is ./" : "",
                            is_here ? path : "");
    }
    struct library *library = ARENA_NEW(&module->arena, struct library);
    *library = (struct library){module->libraries, handle};
    module->libraries = library;
    for (uint32_t i = 0; i < ir->function_count; i++) {
        const struct ir_function *function = &ir->functions[i];
        void *address;

        if (function->linkage != IR_LINKAGE_EXTERN || function->is_kernel ||
            !(address = dlsym(handle, function->name)))
            continue;
        struct bound *bound = ARENA_NEW(&module->arena, struct bound);
        sl_status status = describe(module, function, handle, bound);
        if (status != SL_OK)
            return status;
        memcpy(&bound->call, &address, sizeof address);
        bound->function = (struct host_function){function->name, call_through, bound};
        if (image_bind(module->image, &bound->function))
            count++;
    }
    if (bound_count)
        *bound_count = count;
    return SL_OK;
}

#else

void module_close_libraries(struct sl_module *module)
{
    (void)module;
}

sl_status sl_bind_library(sl_module *module, const char *path, size_t *bound_count)
{
    if (bound_count)
        *bound_count = 0;
    return context_fail(module->context, SL_UNSUPPORTED,
                        "%s: this build has no libffi; configure it with --with-libffi", path);
}

#endif
