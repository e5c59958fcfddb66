/* SPDX-License-Identifier: Apache-2.0
 *
 * execute.c - runs one job on a device: load, bind, launch, fetch. */
#include "gpu/execute.h"

#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/file.h"
#include "gpu/launch_lines.h"
#include "gpu/signature.h"
#include "gpu/tensor_map.h"
#include "gpu/texture.h"

/* A kernel argument on its way to the device. */
struct bound {
    uint64_t value[2];    /* scalars and pointers; larger ones are in bytes */
    void *pointer;        /* what the launch takes */
    bool is_buffer;
    bool is_shared;       /* the buffer of an argument before this one */
    uint64_t address, size;
    enum element element; /* how a recorded buffer is shown */
    struct gpu_texture texture; /* what.width 0: none */
};

struct execution {
    struct gpu_context *context;
    const char *job_file, *assembler;
    const struct job *job;
    struct arena *arena;
    struct recording_job *result;
    struct gpu_module module;
    const char *ptx;
    size_t ptx_size;
    struct bound *bound; /* of all launches */
    struct gpu_texture *references; /* of the first launch */
    struct gpu_error error;
};

static bool refuse(struct execution *x, const char *why)
{
    x->result->end = RECORDING_REFUSED;
    x->result->code = 0;
    x->result->text = why;
    return false;
}

/* The driver, or a check before it, said no; a kernel's fault is told apart. */
static bool failed(struct execution *x)
{
    bool fault = gpu_error_is_fault(&x->error);

    x->result->end = fault ? RECORDING_FAULT : RECORDING_REFUSED;
    x->result->code = x->error.code;
    x->result->text = arena_strdup(x->arena, x->error.text);
    return false;
}

static bool load(struct execution *x)
{
    const struct recording_launch *launch = &x->job->launch;
    const char *path = file_beside(x->arena, x->job_file, launch->ptx), *why;

    x->ptx = x->job->text;
    x->ptx_size = x->job->text_size;
    if (!x->ptx)
        x->ptx = file_read(x->arena, path, &x->ptx_size, &why);
    if (!x->ptx)
        return refuse(x, arena_printf(x->arena, "%s: %s", launch->ptx, why));
    sha256_hex(x->ptx, x->ptx_size, x->result->ptx_hash);
    return true;
}

/* Compiled when all that can be seen on the text is in order. */
static bool compile(struct execution *x)
{
    const struct gpu_jit jit = {.optimisation = -1, .assembler = x->assembler};

    return gpu_module_load(x->context, x->job->launch.ptx, x->ptx, x->ptx_size, &jit, NULL,
                           &x->module, &x->error) || failed(x);
}

static bool read_signature(struct execution *x, const struct recording_launch *launch,
                           struct signature *signature)
{
    const char *wrong;

    *signature = (struct signature){0};
    wrong = signature_read(x->arena, x->ptx, x->ptx_size, launch->kernel, signature);
    if (wrong)
        return refuse(x, arena_printf(x->arena, "%s: %s", x->job->launch.ptx, wrong));
    if (signature->count != launch->argument_count)
        return refuse(x, arena_printf(x->arena, "kernel %s has %u parameters, not %u",
                                      signature->kernel, signature->count,
                                      launch->argument_count));
    return true;
}

static bool set_limit(struct execution *x, enum gpu_limit limit, uint64_t bytes)
{
    return !bytes || gpu_limit_set(x->context, limit, (size_t)bytes, &x->error) || failed(x);
}

/* Device memory with these contents; bytes NULL: zeros. */
static bool bind_buffer(struct execution *x, struct bound *bound, const char *label,
                        const void *bytes, uint64_t size)
{
    if (!gpu_alloc(x->context, size, NULL, label, &bound->address, &x->error))
        return failed(x);
    bound->is_buffer = true;
    bound->size = size;
    bound->value[0] = bound->address;
    bool done = bytes ? gpu_copy_in(x->context, bound->address, bytes, (size_t)size, NULL,
                                    &x->error)
                      : gpu_fill(x->context, bound->address, 0, (size_t)size, NULL, &x->error);
    return done || failed(x);
}

/* The data behind the header of a .npy file; any other file is all data. */
static const char *skip_npy_header(const char *data, size_t *size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t header;

    if (*size < 12 || memcmp(data, "\x93NUMPY", 6))
        return data;
    header = bytes[6] == 1 ? 10u + bytes[8] + 256u * bytes[9]
                           : 12u + bytes[8] + 256u * bytes[9] + 65536u * bytes[10];
    if (header > *size)
        return data;
    *size -= header;
    return data + header;
}

/* A texture with its contents: zeros where none are given. */
static bool make_texture(struct execution *x, const struct argument *argument, bool with_object,
                         struct gpu_texture *texture)
{
    uint64_t bytes = argument_buffer_size(argument);
    struct arena arena = {0};
    size_t size = 0;
    const char *why = "";
    unsigned char *host = calloc(1, (size_t)bytes);
    bool done = false;

    if (!host)
        return refuse(x, "out of host memory for a texture's contents");
    if (argument->text) {
        const char *path = file_beside(&arena, x->job_file, argument->text);
        const char *data = file_read(&arena, path, &size, &why);
        if (data)
            data = skip_npy_header(data, &size);
        if (!data || size != bytes)
            refuse(x, arena_printf(x->arena, "%s: %s", argument->text,
                                   data ? "is not as large as the texture" : why));
        else
            memcpy(host, data, size);
    } else {
        argument_fill(argument, host);
    }
    if (x->result->end == RECORDING_OK)
        done = gpu_texture_open(x->context, &argument->texture, host, with_object, texture,
                                &x->error) || failed(x);
    free(host);
    arena_free(&arena);
    return done;
}

/* NAME TEXTURE */
static bool bind_reference(struct execution *x, uint32_t index)
{
    const char *text = x->job->launch.references[index];
    size_t size = strlen(text), name = strcspn(text, " \t");
    const char *form = text + name + strspn(text + name, " \t");
    struct argument argument;
    const char *wrong = argument_parse(x->arena, form, size - (size_t)(form - text), &argument);

    if (!wrong && argument.kind != ARGUMENT_TEXTURE)
        wrong = "is no texture";
    if (wrong)
        return refuse(x, arena_printf(x->arena, "texref %s: %s", text, wrong));
    return make_texture(x, &argument, false, &x->references[index]) &&
           (gpu_texture_bind(x->context, &x->references[index], &x->module,
                             arena_copy(x->arena, text, name), &x->error) || failed(x));
}

/* The buffer of argument number `same` of the job again. */
static bool bind_same(struct execution *x, uint32_t index, uint32_t same,
                      const struct parameter *parameter)
{
    struct bound *bound = &x->bound[index];

    if (!x->bound[same].is_buffer || parameter->size != 8 || parameter->is_bytes)
        return refuse(x, arena_printf(x->arena, "argument %u, &%u: %s", index, same,
                                      x->bound[same].is_buffer ? "the parameter is no pointer"
                                                               : "that one is no buffer"));
    *bound = x->bound[same];
    bound->is_shared = true;
    bound->pointer = bound->value;
    return true;
}

static bool bind_filled(struct execution *x, struct bound *bound, const char *label,
                        const struct argument *argument)
{
    uint64_t bytes = argument_buffer_size(argument);
    void *host = NULL;

    bound->element = argument->element;
    if (argument->fill != FILL_NOTHING) {
        host = malloc((size_t)bytes);
        if (!host)
            return refuse(x, "out of host memory for a buffer's contents");
        argument_fill(argument, host);
    }
    bool done = bind_buffer(x, bound, label, host, bytes);
    /* The contents must stay until the copy is over. */
    if (host && done)
        done = gpu_stream_wait(x->context, NULL, &x->error) || failed(x);
    free(host);
    return done;
}

static bool bind_tensor(struct execution *x, struct bound *bound, const char *label,
                        const struct argument *argument, uint32_t index)
{
    struct tensor_map map = argument->tensor;
    unsigned char *bytes = arena_alloc(x->arena, TENSOR_MAP_BYTES);

    if (!bind_filled(x, bound, label, argument))
        return false;
    map.address = bound->address;
    bound->pointer = bytes;
    const char *wrong = tensor_map_encode(&map, bytes); /* in more words than the driver has */
    if (wrong)
        return refuse(x, arena_printf(x->arena, "argument %u: a tensor map %s", index, wrong));
    return gpu_tensor_map(x->context, &map, bytes, &x->error) || failed(x);
}

/* index: of the argument, counted through the job. */
static bool bind_argument(struct execution *x, uint32_t index, const char *text,
                          const struct parameter *parameter)
{
    const char *wrong, *why;
    struct bound *bound = &x->bound[index];
    struct argument argument;
    uint32_t same;
    size_t size;

    bound->pointer = bound->value;
    bound->element = ELEMENT_U8;
    if (launch_same_buffer(text, index, &same))
        return bind_same(x, index, same, parameter);
    wrong = argument_parse(x->arena, text, strlen(text), &argument);
    if (!wrong && argument.kind == ARGUMENT_TENSOR) {
        if (!parameter->is_bytes || parameter->size != TENSOR_MAP_BYTES)
            wrong = "the parameter is no tensor map of 128 bytes";
    } else if (!wrong && argument.kind != ARGUMENT_BYTES && parameter->is_bytes)
        wrong = "the parameter is a struct: it needs hex:";
    else if (!wrong && argument.kind != ARGUMENT_SCALAR && argument.kind != ARGUMENT_BYTES &&
             (parameter->size != 8 || element_is_float(parameter->element)))
        wrong = "the parameter is no pointer";
    if (!wrong && (argument.kind == ARGUMENT_STRUCT || argument.kind == ARGUMENT_SAME ||
                   (argument.kind == ARGUMENT_TENSOR && argument.text)))
        wrong = "this form is for the command line";
    if (wrong)
        return refuse(x, arena_printf(x->arena, "argument %u, %s: %s", index, text, wrong));

    const char *label = arena_printf(x->arena, "argument %u of job %s", index,
                                     x->job->launch.name);
    switch (argument.kind) {
    case ARGUMENT_NULL:
        return true;
    case ARGUMENT_SCALAR:
        wrong = element_parse(parameter->element, argument.text, strlen(argument.text),
                              &bound->value[0]);
        if (wrong)
            return refuse(x, arena_printf(x->arena, "argument %u: %s %s", index, text, wrong));
        return true;
    case ARGUMENT_BYTES:
        if (argument.byte_count != parameter->size)
            return refuse(x, arena_printf(x->arena,
                                          "argument %u has %zu bytes, the parameter %u", index,
                                          argument.byte_count, parameter->size));
        bound->pointer = argument.bytes;
        return true;
    case ARGUMENT_FILE: {
        const char *path = file_beside(x->arena, x->job_file, argument.text);
        const char *data = file_read(x->arena, path, &size, &why);
        if (!data)
            return refuse(x, arena_printf(x->arena, "argument %u, %s: %s", index, path, why));
        data = skip_npy_header(data, &size);
        return bind_buffer(x, bound, label, data, size);
    }
    case ARGUMENT_BUFFER:
        return bind_filled(x, bound, label, &argument);
    case ARGUMENT_TENSOR:
        return bind_tensor(x, bound, label, &argument, index);
    case ARGUMENT_TEXTURE:
        bound->element = argument.element;
        bound->size = argument_buffer_size(&argument);
        if (!make_texture(x, &argument, true, &bound->texture))
            return false;
        bound->value[0] = bound->texture.object;
        return true;
    case ARGUMENT_STRUCT:
    case ARGUMENT_SAME:
        break;
    }
    return false;
}

static bool launch_one(struct execution *x, const struct recording_launch *asked)
{
    struct gpu_launch launch = {.dynamic_shared = asked->shared,
                                .cooperative = asked->cooperative};
    struct signature signature;
    struct gpu_kernel kernel;
    void **pointers = arena_array(x->arena, asked->argument_count + 1, sizeof *pointers);

    if (!read_signature(x, asked, &signature))
        return false;
    if (!gpu_kernel_find(x->context, &x->module, signature.kernel, &kernel, &x->error))
        return failed(x);
    if (asked == &x->job->launch) {
        x->result->registers = (uint32_t)kernel.registers;
        x->result->static_shared = (uint32_t)kernel.static_shared;
        x->result->local = (uint32_t)kernel.local;
        x->result->constant = (uint32_t)kernel.constant;
        x->result->resources_known = true;
    }
    memcpy(launch.grid, asked->grid, sizeof launch.grid);
    memcpy(launch.block, asked->block, sizeof launch.block);
    memcpy(launch.cluster, asked->cluster, sizeof launch.cluster);
    for (uint32_t i = 0; i < asked->argument_count; i++)
        pointers[i] = x->bound[asked->first_argument + i].pointer;
    return (gpu_launch(x->context, &kernel, &launch, pointers, NULL, &x->error) &&
            gpu_context_wait(x->context, &x->error)) || failed(x);
}

/* The arguments of all launches, before the first runs. */
static bool bind_all(struct execution *x)
{
    struct signature signature;

    for (const struct recording_launch *l = &x->job->launch; l; l = l->next) {
        if (!read_signature(x, l, &signature))
            return false;
        for (uint32_t i = 0; i < l->argument_count; i++)
            if (!bind_argument(x, l->first_argument + i, l->arguments[i], &signature.items[i]))
                return false;
    }
    return true;
}

/* Which takes a module that is loaded. */
static bool bind_references(struct execution *x)
{
    for (uint32_t i = 0; i < x->job->launch.reference_count; i++)
        if (!bind_reference(x, i))
            return false;
    return true;
}

static bool launch_all(struct execution *x)
{
    for (const struct recording_launch *l = &x->job->launch; l; l = l->next)
        if (!launch_one(x, l))
            return false;
    return true;
}

static bool fetch(struct execution *x, struct recording_output *output, uint64_t address,
                  uint64_t size, const struct gpu_texture *texture)
{
    unsigned char *bytes = arena_alloc(x->arena, (size_t)size);
    unsigned step = element_size(output->element);

    if (size % step) /* a file of bytes that is no whole number of elements */
        output->element = ELEMENT_U8, step = 1;
    output->count = size / step;
    output->bytes = bytes;
    if (texture)
        return gpu_texture_read(x->context, texture, bytes, &x->error) || failed(x);
    return (gpu_copy_out(x->context, bytes, address, (size_t)size, NULL, &x->error) &&
            gpu_stream_wait(x->context, NULL, &x->error)) || failed(x);
}

static bool fetch_all(struct execution *x)
{
    const struct job *job = x->job;

    for (uint32_t i = 0; i < job->output_count; i++) {
        const struct bound *bound = &x->bound[job->outputs[i]];
        if (!bound->is_buffer && !bound->texture.object)
            return refuse(x, arena_printf(x->arena, "output %u is no buffer", job->outputs[i]));
        struct recording_output *output = ARENA_PUSH(x->arena, x->result);
        output->source = RECORDED_ARGUMENT;
        output->argument = job->outputs[i];
        output->element = bound->element;
        if (!fetch(x, output, bound->address, bound->size,
                   bound->texture.object ? &bound->texture : NULL))
            return false;
    }
    for (uint32_t i = 0; i < job->global_count; i++) {
        uint64_t address;
        size_t size;
        if (!gpu_module_global(x->context, &x->module, job->globals[i].name, &address, &size,
                               &x->error))
            return failed(x);
        struct recording_output *output = ARENA_PUSH(x->arena, x->result);
        output->source = RECORDED_GLOBAL;
        output->name = job->globals[i].name;
        output->element = job->globals[i].element;
        if (!fetch(x, output, address, size, NULL))
            return false;
    }
    return true;
}

void job_execute(struct gpu_context *context, const char *job_file, const struct job *job,
                 const char *assembler, struct arena *arena, struct recording_job *result)
{
    struct execution x = {.context = context, .assembler = assembler,
                          .job_file = job->beside ? job->beside : job_file, .job = job, .arena = arena,
                          .result = result};
    uint32_t arguments = launch_argument_count(&job->launch);
    struct gpu_error ignored;

    *result = (struct recording_job){.launch = job->launch, .end = RECORDING_OK, .text = ""};
    x.bound = arena_array(arena, arguments + 1, sizeof *x.bound);
    x.references = arena_array(arena, job->launch.reference_count + 1, sizeof *x.references);
    bool going = load(&x) && set_limit(&x, GPU_LIMIT_STACK, job->launch.stack) &&
                 set_limit(&x, GPU_LIMIT_HEAP, job->launch.heap) &&
                 set_limit(&x, GPU_LIMIT_PRINTF, job->launch.printf_buffer) && bind_all(&x) &&
                 compile(&x) && bind_references(&x) && launch_all(&x);
    if (going)
        fetch_all(&x);
    if (result->end != RECORDING_OK)
        result->count = 0; /* what a failed job left behind means nothing */
    for (uint32_t i = 0; i < arguments; i++)
        if (x.bound[i].is_buffer && !x.bound[i].is_shared)
            gpu_free(context, x.bound[i].address, NULL, &ignored);
        else
            gpu_texture_close(context, &x.bound[i].texture);
    for (uint32_t i = 0; i < job->launch.reference_count; i++)
        gpu_texture_close(context, &x.references[i]);
    gpu_module_unload(context, &x.module, &ignored);
    /* The driver's printf text comes out at the latest now. */
    gpu_context_wait(context, &ignored);
}
