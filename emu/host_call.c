/* SPDX-License-Identifier: Apache-2.0
 *
 * host_call.c - functions that kernels call and the host provides: printf,
 * malloc, free and assert of the CUDA device runtime, and bound ones.
 *
 * Lanes take their turns in ascending order. */
#include "emu/state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "emu/access.h"
#include "emu/format.h"

struct call {
    struct warp *warp;
    struct fragment *fragment;
    const struct code *code;
    const struct ir_function *callee;
    unsigned lane;
};

/* --- arguments and results --------------------------------------------------------- */

/* Sources after the function, and destinations, are variables of the caller. */
static const struct ir_variable *variable_of(const struct call *call, ir_operand operand)
{
    return &call->fragment->frame->program->function->variables[ir_operand_index(operand)];
}

static const struct ir_variable *argument_variable(const struct call *call, unsigned i)
{
    const struct ir_function *caller = call->fragment->frame->program->function;

    if (i + 1 >= call->code->sources)
        return NULL;
    return variable_of(call, ir_sources(caller, call->code->ir)[1 + i]);
}

static const struct ir_variable *result_variable(const struct call *call, unsigned i)
{
    const struct ir_function *caller = call->fragment->frame->program->function;

    if (i >= call->code->destinations)
        return NULL;
    return variable_of(call, ir_destinations(caller, call->code->ir)[i]);
}

/* The variable's bytes in this thread; NULL when local memory is exhausted. */
static unsigned char *bytes_of(const struct call *call, const struct ir_variable *variable)
{
    return local_bytes(call->warp, call->lane,
                       call->fragment->frame->local_base + variable->offset, variable->size);
}

static uint64_t argument(const struct call *call, unsigned i)
{
    const struct ir_variable *variable = argument_variable(call, i);
    const unsigned char *bytes = variable ? bytes_of(call, variable) : NULL;
    uint64_t value = 0;

    if (bytes)
        memcpy(&value, bytes, variable->size < 8 ? variable->size : 8);
    return value;
}

static void set_result(const struct call *call, uint64_t value)
{
    const struct ir_variable *variable = result_variable(call, 0);
    unsigned char *bytes = variable ? bytes_of(call, variable) : NULL;

    if (bytes)
        memcpy(bytes, &value, variable->size < 8 ? variable->size : 8);
}

/* --- memory of the kernel -------------------------------------------------------------- */

/* The bytes at a generic address; NULL, and a finding, when there are none. */
static const unsigned char *read_at(const struct call *call, uint64_t address, uint32_t size)
{
    struct access access = {.kind = FINDING_READ, .size = size};

    access.address[call->lane] = address;
    access_resolve(&access, call->warp, call->fragment, call->code, IR_SPACE_GENERIC,
                   UINT32_C(1) << call->lane);
    return access.host[call->lane];
}

/* Adds the string at the address without its zero byte. */
static bool read_string(const struct call *call, uint64_t address, uint64_t limit,
                        struct text *out)
{
    for (uint64_t i = 0; i < limit; i++) {
        const unsigned char *byte = read_at(call, address + i, 1);
        if (!byte)
            return false;
        if (!*byte)
            return true;
        text_putc(out, (char)*byte);
    }
    return true;
}

static void report(const struct call *call, enum finding_category category,
                   const char *kind, uint64_t address, const char *text)
{
    struct finding finding = {
        .category = category,
        .kind = kind,
        .severity = FINDING_ERROR,
        .has_address = category == FINDING_MEMORY,
        .address = address,
    };
    report_at(call->warp, call->code, call->fragment, call->lane, finding, "%s", text);
}

/* --- vprintf ----------------------------------------------------------------------------- */

struct argument_list {
    const struct call *call;
    uint64_t at;
};

/* Arguments lie one after the other, each aligned to its size. CUDA C++
 * Programming Guide, "Formatted Output"; PTX ISA, "vprintf" as system call. */
static bool next_argument(void *self, unsigned bytes, uint64_t *value)
{
    struct argument_list *list = self;

    list->at = (list->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    const unsigned char *from = read_at(list->call, list->at, bytes);
    if (!from)
        return false;
    *value = 0;
    memcpy(value, from, bytes);
    list->at += bytes;
    return true;
}

static bool add_string(void *self, uint64_t address, uint64_t limit, struct text *out)
{
    struct argument_list *list = self;

    return read_string(list->call, address, limit, out);
}

/* Returns the number of arguments, -1 without a format, -2 on an error: not what
 * C's printf returns, but what the device's does. */
static bool call_vprintf(const struct call *call)
{
    const struct launch *launch = call->warp->block->state->launch;
    uint64_t format_address = argument(call, 0);
    struct argument_list list = {call, argument(call, 1)};
    struct format_source source = {&list, next_argument, add_string,
                                   launch->image->module->address_bits / 8};
    struct text format = {0}, out = {0};
    int32_t result = -2;

    if (!format_address)
        result = -1;
    else if (read_string(call, format_address, UINT64_MAX, &format))
        result = format_text(&out, text_string(&format), &source);
    if (out.size && launch->print)
        launch->print(launch->print_self, out.data, out.size);
    text_free(&format);
    text_free(&out);
    set_result(call, (uint32_t)result);
    return true;
}

/* --- malloc and free ------------------------------------------------------------------------ */

enum { HEAP_UNIT = 16 };

static uint64_t heap_charge(uint64_t size)
{
    return (size + HEAP_UNIT - 1) & ~(uint64_t)(HEAP_UNIT - 1);
}

static bool call_malloc(const struct call *call)
{
    struct launch_state *state = call->warp->block->state;
    uint64_t limit = state->launch->heap_limit ? state->launch->heap_limit : DEFAULT_HEAP_LIMIT;
    uint64_t size = argument(call, 0);
    struct allocation *allocation = NULL;

    if (size && size <= limit && heap_charge(size) <= limit - state->heap_used)
        allocation = memory_allocate(state->memory, size, HEAP_UNIT, ALLOCATION_HEAP, NULL);
    if (allocation) {
        allocation->undefined = true;
        state->heap_used += heap_charge(size);
    }
    set_result(call, allocation ? allocation->address : 0);
    return true;
}

static bool call_free(const struct call *call)
{
    struct launch_state *state = call->warp->block->state;
    uint64_t address = argument(call, 0);
    struct allocation *allocation = address ? memory_find(state->memory, address) : NULL;
    char text[128];

    if (!address)
        return true;
    if (!allocation || allocation->kind != ALLOCATION_HEAP || allocation->address != address) {
        snprintf(text, sizeof text, "free of 0x%" PRIx64 ", which malloc did not return",
                 address);
        report(call, FINDING_MEMORY, "bad-free", address, text);
    } else if (!memory_release(state->memory, address)) {
        snprintf(text, sizeof text, "free of 0x%" PRIx64 " (%" PRIu64 " bytes) for the second "
                 "time", address, allocation->size);
        report(call, FINDING_MEMORY, "bad-free", address, text);
    } else {
        /* Memory of an earlier launch was not counted in this one. */
        uint64_t charge = heap_charge(allocation->size);
        state->heap_used -= charge < state->heap_used ? charge : state->heap_used;
    }
    return true;
}

/* --- assert ------------------------------------------------------------------------------- */

/* message, file, line, function, bytes of a character (1) */
static bool call_assertfail(const struct call *call)
{
    struct text text = {0};
    uint64_t file = argument(call, 1), function = argument(call, 3);

    text_puts(&text, "assertion failed: ");
    if (!read_string(call, argument(call, 0), UINT64_MAX, &text))
        text_puts(&text, "?");
    if (file) {
        text_puts(&text, " (");
        read_string(call, file, UINT64_MAX, &text);
        text_printf(&text, ":%" PRIu32, (uint32_t)argument(call, 2));
        if (function) {
            text_puts(&text, ", ");
            read_string(call, function, UINT64_MAX, &text);
        }
        text_puts(&text, ")");
    }
    report(call, FINDING_ASSERT, "assert", 0, text_string(&text));
    text_free(&text);
    return false;
}

/* --- functions bound by the user ----------------------------------------------------------- */

static uint64_t place_next(uint64_t end, const struct ir_variable *formal)
{
    uint64_t align = formal->align ? formal->align : 1;

    return (end + align - 1) / align * align;
}

static uint64_t total_bytes(const struct ir_function *callee, const uint32_t *formals,
                            uint32_t count)
{
    uint64_t end = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct ir_variable *formal = &callee->variables[formals[i]];
        end = place_next(end, formal) + formal->size;
    }
    return end;
}

static void call_bound(const struct call *call, const struct host_function *function)
{
    const struct ir_function *callee = call->callee;
    unsigned char *arguments =
        calloc(1, total_bytes(callee, callee->parameters, callee->parameter_count) + 16);
    unsigned char *results =
        calloc(1, total_bytes(callee, callee->results, callee->result_count) + 16);
    uint64_t end = 0;

    if (!arguments || !results)
        out_of_memory(0);
    for (uint32_t i = 0; i < callee->parameter_count; i++) {
        const struct ir_variable *formal = &callee->variables[callee->parameters[i]];
        const struct ir_variable *actual = argument_variable(call, i);
        const unsigned char *bytes = actual ? bytes_of(call, actual) : NULL;
        end = place_next(end, formal);
        if (bytes)
            memcpy(arguments + end, bytes,
                   actual->size < formal->size ? actual->size : formal->size);
        end += formal->size;
    }
    function->call(function->self, arguments, results);
    end = 0;
    for (uint32_t i = 0; i < callee->result_count; i++) {
        const struct ir_variable *formal = &callee->variables[callee->results[i]];
        const struct ir_variable *actual = result_variable(call, i);
        unsigned char *bytes = actual ? bytes_of(call, actual) : NULL;
        end = place_next(end, formal);
        if (bytes)
            memcpy(bytes, results + end,
                   actual->size < formal->size ? actual->size : formal->size);
        end += formal->size;
    }
    free(arguments);
    free(results);
}

/* --- interfaces --------------------------------------------------------------------------- */

struct builtin {
    const char *name;
    uint32_t parameters, results;
    bool (*call)(const struct call *call); /* false: the thread ends */
};

static const struct builtin builtins[] = {
    {"vprintf", 2, 1, call_vprintf},
    {"malloc", 1, 1, call_malloc},
    {"free", 1, 0, call_free},
    {"__assertfail", 5, 0, call_assertfail},
};

static const struct builtin *find_builtin(const struct ir_function *callee)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i].name, callee->name) == 0 &&
            builtins[i].parameters == callee->parameter_count &&
            builtins[i].results == callee->result_count)
            return &builtins[i];
    return NULL;
}

bool host_call_known(const struct image *image, uint32_t function)
{
    return image->host_functions[function] || find_builtin(&image->module->functions[function]);
}

uint32_t host_call(struct warp *warp, struct fragment *fragment,
                   const struct code *code, const struct ir_function *callee,
                   uint32_t callee_index, uint32_t mask)
{
    const struct host_function *bound =
        warp->block->state->launch->image->host_functions[callee_index];
    const struct builtin *builtin = bound ? NULL : find_builtin(callee);
    struct call call = {warp, fragment, code, callee, 0};
    uint32_t ended = 0;

    FOR_LANES (lane, mask) {
        call.lane = lane;
        if (bound)
            call_bound(&call, bound);
        else if (!builtin || !builtin->call(&call))
            ended |= UINT32_C(1) << lane;
    }
    return ended;
}
