/* SPDX-License-Identifier: Apache-2.0
 *
 * worker.c - child processes that run jobs, and the parent that watches them.
 *
 * The child sends messages through a pipe: a kind, a size, that many bytes.
 *     'C'  the chip, as recording text; the device is open
 *     'E'  a struct gpu_error: the device cannot be opened
 *     'J'  a finished job: enum recording_end as a byte, then recording text
 * and ends by itself when its context is of no more use. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "gpu/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/execute.h"

enum { START_TIMEOUT = 120 }; /* seconds to open a device: a cold driver is slow */

/* --- the child ---------------------------------------------------------------- */

static void send_bytes(int to, const void *data, size_t size)
{
    const char *at = data;

    while (size) {
        ssize_t sent = write(to, at, size);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            _exit(1); /* nobody listens any more */
        at += sent;
        size -= (size_t)sent;
    }
}

static void send_message(int to, char kind, const void *data, uint64_t size)
{
    send_bytes(to, &kind, 1);
    send_bytes(to, &size, sizeof size);
    send_bytes(to, data, (size_t)size);
}

/* Device printf comes out on standard output; it is led into a file, which stays open. */
static bool capture_output(void)
{
    FILE *file = tmpfile();

    fflush(stdout);
    return file && dup2(fileno(file), STDOUT_FILENO) >= 0;
}

/* What was printed since the last call becomes an output of the job. */
static void take_printed(long *taken, struct arena *arena, struct recording_job *job)
{
    fflush(stdout);
    long end = (long)lseek(STDOUT_FILENO, 0, SEEK_END);
    if (end <= *taken)
        return;
    size_t size = (size_t)(end - *taken);
    unsigned char *bytes = arena_alloc(arena, size);
    ssize_t got = pread(STDOUT_FILENO, bytes, size, *taken);
    *taken = end;
    if (got <= 0 || job->end != RECORDING_OK)
        return;
    *ARENA_PUSH(arena, job) = (struct recording_output){.source = RECORDED_PRINTF,
                                                        .name = "",
                                                        .element = ELEMENT_U8,
                                                        .count = (uint64_t)got,
                                                        .bytes = bytes};
}

static void send_chip(int to, const struct driver *driver, const struct gpu_device_info *info)
{
    char target[32], cuda[32];
    struct text text = {0};

    snprintf(target, sizeof target, "sm_%d%d", info->major, info->minor);
    snprintf(cuda, sizeof cuda, "%d.%d", driver->cuda_version / 1000,
             driver->cuda_version % 1000 / 10);
    recording_write_chip(&text, &(struct recording_chip){info->name, target, driver->version,
                                                         cuda});
    send_message(to, 'C', text.data, text.size);
    text_free(&text);
}

/* Limits outlive a job and some can be set only once: such a job gets a
 * process to itself. */
static bool wants_own_process(const struct job *job)
{
    return job->launch.stack || job->launch.heap || job->launch.printf_buffer;
}

static _Noreturn void child(const struct job_list *list, uint32_t first,
                            const struct worker_options *options, int to)
{
    struct gpu_context context;
    struct gpu_error error;
    struct driver *driver;
    long taken = 0;

    if (!capture_output()) {
        gpu_fail(&error, GPU_REFUSED, "no temporary file for what kernels print: %s",
                 strerror(errno));
        send_message(to, 'E', &error, sizeof error);
        _exit(0);
    }
    if (!driver_open(options->library, &driver, &error) ||
        !gpu_context_open(driver, options->device, &context, &error)) {
        send_message(to, 'E', &error, sizeof error);
        _exit(0);
    }
    send_chip(to, driver, &context.info);
    for (uint32_t i = first; i < list->count; i++) {
        const struct job *job = &list->items[i];
        struct arena arena = {0};
        struct recording_job result;
        struct text text = {0};

        if (i > first && wants_own_process(job))
            break;
        job_execute(&context, list->path, job, options->assembler, &arena, &result);
        take_printed(&taken, &arena, &result);
        text_putc(&text, (char)result.end);
        recording_write_job(&text, &result, options->binary);
        send_message(to, 'J', text.data, text.size);
        text_free(&text);
        arena_free(&arena);
        if (result.end == RECORDING_FAULT || wants_own_process(job))
            break;
    }
    /* Not exit: handlers of the parent's libraries are not ours to run. */
    _exit(0);
}

/* --- the parent ---------------------------------------------------------------- */

enum message_status { MESSAGE_OK, MESSAGE_END, MESSAGE_TIMEOUT };

static enum message_status receive_bytes(int from, void *data, size_t size, unsigned seconds)
{
    char *at = data;

    while (size) {
        struct pollfd poll_one = {.fd = from, .events = POLLIN};
        int ready = poll(&poll_one, 1, (int)seconds * 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0)
            return MESSAGE_TIMEOUT;
        ssize_t got = read(from, at, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return MESSAGE_END;
        at += got;
        size -= (size_t)got;
    }
    return MESSAGE_OK;
}

static enum message_status receive_message(int from, unsigned seconds, char *kind,
                                           struct text *body)
{
    uint64_t size;
    char piece[65536];
    enum message_status status = receive_bytes(from, kind, 1, seconds);

    if (status == MESSAGE_OK)
        status = receive_bytes(from, &size, sizeof size, seconds);
    body->size = 0;
    for (uint64_t left = status == MESSAGE_OK ? size : 0; left && status == MESSAGE_OK;) {
        size_t step = left < sizeof piece ? (size_t)left : sizeof piece;
        status = receive_bytes(from, piece, step, seconds);
        if (status == MESSAGE_OK)
            text_add(body, piece, step);
        left -= step;
    }
    return status;
}

static pid_t start_child(const struct job_list *list, uint32_t first,
                         const struct worker_options *options, int *from,
                         struct gpu_error *error)
{
    int ends[2];
    pid_t pid = -1;

    fflush(NULL);
    if (pipe(ends) == 0) {
        pid = fork();
        if (pid == 0) {
            close(ends[0]);
            child(list, first, options, ends[1]);
        }
        int why = errno;
        close(ends[1]);
        *from = ends[0];
        if (pid < 0)
            close(ends[0]);
        errno = why;
    }
    if (pid < 0)
        gpu_fail(error, GPU_REFUSED, "cannot start a process: %s", strerror(errno));
    return pid;
}

/* Ends the child if it has not ended; its signal, or 0. */
static int reap(pid_t pid, bool stop)
{
    int status = 0;

    if (stop)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* What the parent knows while it watches. */
struct watcher {
    const struct job_list *list;
    const struct worker_options *options;
    const struct worker_sink *sink;
    struct worker_counts *counts;
    struct gpu_error *error;
    uint32_t next; /* job that has not ended yet */
    bool with_chip;
};

/* The recorded text has one line that begins so before any output. */
static void tell_missed(const struct watcher *w, const char *name, enum recording_end end,
                        const char *recorded)
{
    const char *line = strstr(recorded, "\nend ");

    if (w->sink->missed && line && end != RECORDING_OK && end != RECORDING_FAULT)
        w->sink->missed(w->sink->self, name, line + 5, strcspn(line + 5, "\n"));
}

static void write_lost(struct watcher *w, enum recording_end end, int code, const char *why)
{
    struct recording_job lost = {.launch = w->list->items[w->next++].launch, .end = end,
                                 .code = code, .text = why};
    struct text text = {0};

    recording_write_job(&text, &lost, w->options->binary);
    w->sink->take(w->sink->self, text.data, text.size);
    w->counts->ended[end]++;
    tell_missed(w, lost.launch.name, end, text_string(&text));
    text_free(&text);
}

/* For the job that has not ended yet. */
static unsigned seconds(const struct watcher *w)
{
    const struct job *job = w->next < w->list->count ? &w->list->items[w->next] : NULL;

    return job && job->timeout ? job->timeout : w->options->timeout;
}

/* Reads what one child has to say and moves past the jobs it finished or lost.
 * False when there is no point in starting another. */
static bool watch(struct watcher *w, pid_t pid, int from)
{
    struct text body = {0};
    bool open = false, usable = true;
    uint32_t first = w->next;
    enum message_status status;
    char kind = 0;

    for (;;) {
        status = receive_message(from, open ? seconds(w) : START_TIMEOUT, &kind, &body);
        if (status != MESSAGE_OK || kind == 'E')
            break;
        if (kind == 'C') {
            if (w->with_chip)
                w->sink->take(w->sink->self, body.data, body.size);
            w->with_chip = false;
            open = true;
        } else {
            w->sink->take(w->sink->self, body.data + 1, body.size - 1);
            w->counts->ended[(int)body.data[0]]++;
            tell_missed(w, w->list->items[w->next++].launch.name,
                        (enum recording_end)body.data[0], text_string(&body) + 1);
        }
    }
    unsigned waited = seconds(w);
    int signal = reap(pid, status == MESSAGE_TIMEOUT);
    if (status == MESSAGE_OK) {
        memcpy(w->error, body.data, sizeof *w->error);
        usable = false;
    } else if (!open) {
        usable = gpu_fail(w->error, GPU_REFUSED, "the device could not be opened: %s",
                          status == MESSAGE_TIMEOUT ? "no answer" : "the process died");
    } else if (w->next < w->list->count) {
        if (status == MESSAGE_TIMEOUT)
            write_lost(w, RECORDING_TIMEOUT, (int)waited, "seconds were not enough");
        else if (signal || w->next == first)
            write_lost(w, RECORDING_LOST, signal, "the process died");
    }
    close(from);
    text_free(&body);
    return usable;
}

bool worker_run(const struct job_list *list, const struct worker_options *options,
                bool with_chip, const struct worker_sink *sink, struct worker_counts *counts,
                struct gpu_error *error)
{
    struct watcher w = {list, options, sink, counts, error, 0, with_chip};

    while (w.next < list->count) {
        int from;
        pid_t pid = start_child(list, w.next, options, &from, error);
        if (pid < 0 || !watch(&w, pid, from))
            return false;
    }
    return true;
}
