/* SPDX-License-Identifier: Apache-2.0
 *
 * oclgrind.c - the same problems with Oclgrind, which interprets OpenCL kernels.
 *
 * `oclgrind PROGRAM` puts an OpenCL library under a program that has none. This
 * program runs itself in that way and looks the functions up, so that it can be
 * built without OpenCL. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/run.h"

/* --- outside ------------------------------------------------------------------------- */

/* Starts the command and reads what it prints; false when that cannot be done, or the
 * command ends with another status than 0. */
static bool output_of(const char *const command[], char *text, size_t size, double *peak_mib)
{
    int ends[2], status = -1;
    struct rusage usage = {0};
    size_t length = 0;
    pid_t child;

    fflush(NULL);
    if (pipe(ends))
        return false;
    child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execvp(command[0], (char *const *)(uintptr_t)command);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t got; length + 1 < size &&
                      (got = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    if (child <= 0 || wait4(child, &status, 0, &usage) != child)
        return false;
    *peak_mib = (double)usage.ru_maxrss / 1024;
    return status == 0;
}

bool oclgrind_version(char *text, size_t size)
{
    const char *const command[] = {"oclgrind", "--version", NULL};
    char answer[400];
    double peak;

    if (!output_of(command, answer, sizeof answer, &peak))
        return false;
    const char *start = answer + strspn(answer, "\n ");
    snprintf(text, size, "%.*s", (int)strcspn(start, "\n"), start);
    return true;
}

void run_oclgrind(const struct settings *settings, enum work_kind kind, unsigned races,
                  struct result *result)
{
    char self[4096], threads[16], repeats[16], answer[400];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    const char *command[20];
    int words = 0;

    if (length <= 0)
        return;
    self[length] = 0;
    snprintf(threads, sizeof threads, "%u", settings->threads);
    snprintf(repeats, sizeof repeats, "%d", settings->repeats);
    command[words++] = "oclgrind";
    command[words++] = "--num-threads";
    command[words++] = threads;
    if (races)
        command[words++] = "--data-races";
    command[words++] = self;
    command[words++] = "-O";
    command[words++] = settings->opencl;
    command[words++] = "-k";
    command[words++] = work_name(kind);
    command[words++] = "-r";
    command[words++] = repeats;
    if (settings->processor_time)
        command[words++] = "-u";
    command[words] = NULL;
    if (!output_of(command, answer, sizeof answer, &result->peak_mib) ||
        sscanf(answer, "%lf %ld", &result->seconds, &result->compared) != 2)
        snprintf(result->problem, sizeof result->problem, "oclgrind failed: %.120s", answer);
    else
        result->fine = result->compared >= 0;
}

/* --- inside: the part of OpenCL's interface that is needed ------------------------------- */

enum { CL_SUCCESS = 0, CL_TRUE = 1 };
static const uint64_t any_device = 0xffffffff, read_write = 1;

struct opencl {
    int32_t (*get_platforms)(uint32_t, void **, uint32_t *);
    int32_t (*get_devices)(void *, uint64_t, uint32_t, void **, uint32_t *);
    void *(*create_context)(const intptr_t *, uint32_t, void *const *, void *, void *, int32_t *);
    void *(*create_queue)(void *, void *, uint64_t, int32_t *);
    void *(*create_program)(void *, uint32_t, const char **, const size_t *, int32_t *);
    int32_t (*build)(void *, uint32_t, void *const *, const char *, void *, void *);
    void *(*create_kernel)(void *, const char *, int32_t *);
    void *(*create_buffer)(void *, uint64_t, size_t, void *, int32_t *);
    int32_t (*write)(void *, void *, uint32_t, size_t, size_t, const void *, uint32_t,
                     const void *, void *);
    int32_t (*read)(void *, void *, uint32_t, size_t, size_t, void *, uint32_t, const void *,
                    void *);
    int32_t (*set_argument)(void *, uint32_t, size_t, const void *);
    int32_t (*launch)(void *, void *, uint32_t, const size_t *, const size_t *, const size_t *,
                      uint32_t, const void *, void *);
    int32_t (*finish)(void *);
};

static bool find_functions(struct opencl *cl)
{
    const struct { const char *name; void *function; } wanted[] = {
        {"clGetPlatformIDs", &cl->get_platforms},
        {"clGetDeviceIDs", &cl->get_devices},
        {"clCreateContext", &cl->create_context},
        {"clCreateCommandQueue", &cl->create_queue},
        {"clCreateProgramWithSource", &cl->create_program},
        {"clBuildProgram", &cl->build},
        {"clCreateKernel", &cl->create_kernel},
        {"clCreateBuffer", &cl->create_buffer},
        {"clEnqueueWriteBuffer", &cl->write},
        {"clEnqueueReadBuffer", &cl->read},
        {"clSetKernelArg", &cl->set_argument},
        {"clEnqueueNDRangeKernel", &cl->launch},
        {"clFinish", &cl->finish},
    };

    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (!found) {
            printf("there is no %s: not under oclgrind?\n", wanted[i].name);
            return false;
        }
        memcpy(wanted[i].function, &found, sizeof found);
    }
    return true;
}

struct session {
    struct opencl cl;
    void *context, *queue, *kernel, *buffers[WORK_MAX_ARGUMENTS];
};

static bool open_session(struct session *session, const char *file, const struct work *work)
{
    const struct opencl *cl = &session->cl;
    void *platform, *device, *program;
    size_t size;
    const char *text = read_file(file, &size);
    int32_t status = CL_SUCCESS;

    if (!text || cl->get_platforms(1, &platform, NULL) ||
        cl->get_devices(platform, any_device, 1, &device, NULL))
        return false;
    session->context = cl->create_context(NULL, 1, &device, NULL, NULL, &status);
    if (status)
        return false;
    session->queue = cl->create_queue(session->context, device, 0, &status);
    if (status)
        return false;
    program = cl->create_program(session->context, 1, &text, &size, &status);
    if (status || cl->build(program, 1, &device, "", NULL, NULL))
        return false;
    session->kernel = cl->create_kernel(program, work->name, &status);
    for (int i = 0; !status && i < work->argument_count; i++) {
        const struct work_argument *argument = &work->argument[i];
        if (!argument->bytes) {
            status = cl->set_argument(session->kernel, (uint32_t)i, 4, &argument->scalar);
            continue;
        }
        void **buffer = &session->buffers[i];
        *buffer = cl->create_buffer(session->context, read_write, argument->bytes, NULL, &status);
        if (!status)
            status = cl->write(session->queue, *buffer, CL_TRUE, 0, argument->bytes,
                               argument->data, 0, NULL, NULL);
        if (!status)
            status = cl->set_argument(session->kernel, (uint32_t)i, sizeof *buffer, buffer);
    }
    return !status;
}

static bool launch_once(struct session *session, const struct settings *settings,
                        struct work *work, double *seconds)
{
    const struct opencl *cl = &session->cl;
    size_t global[2], local[2] = {work->block[0], work->block[1]};

    for (int i = 0; i < 2; i++)
        global[i] = (size_t)work->grid[i] * local[i];
    work_reset(work);
    if (cl->write(session->queue, session->buffers[0], CL_TRUE, 0, work->argument[0].bytes,
                  work->argument[0].data, 0, NULL, NULL) ||
        cl->finish(session->queue))
        return false;
    double start = now(settings);
    if (cl->launch(session->queue, session->kernel, local[1] > 1 ? 2 : 1, NULL, global, local,
                   0, NULL, NULL) ||
        cl->finish(session->queue))
        return false;
    *seconds = now(settings) - start;
    return true;
}

int opencl_main(const struct settings *settings)
{
    struct session session = {0};
    double seconds[MAX_REPEATS];
    struct work work;
    int kind = 0;

    while (kind < WORK_COUNT && (!settings->kernel || strcmp(settings->kernel, work_name(kind))))
        kind++;
    if (kind == WORK_COUNT || !find_functions(&session.cl) || !work_make(&work, kind, false))
        return 1;
    bool fine = open_session(&session, settings->opencl, &work);
    for (int r = 0; fine && r < settings->repeats; r++)
        fine = launch_once(&session, settings, &work, &seconds[r]);
    if (!fine ||
        session.cl.read(session.queue, session.buffers[0], CL_TRUE, 0, work.argument[0].bytes,
                        work.argument[0].data, 0, NULL, NULL)) {
        printf("an OpenCL call failed\n");
        return 1;
    }
    printf("%.9f %ld\n", median(seconds, settings->repeats), work_check(&work));
    return 0;
}
