/* SPDX-License-Identifier: Apache-2.0
 *
 * assemble.c - see assemble.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "gpu/assemble.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

extern char **environ;

/* The letter behind the number in the line `.target sm_90a, ...`, or none. */
static const char *target_letter(const char *ptx, size_t size)
{
    const char *end = ptx + size;

    while (ptx < end) {
        while (ptx < end && (*ptx == ' ' || *ptx == '\t'))
            ptx++;
        if (end - ptx > 7 && !memcmp(ptx, ".target", 7)) {
            while (ptx < end && *ptx != '\n' && *ptx != ',' && *ptx != '/')
                ptx++;
            while (ptx[-1] == ' ' || ptx[-1] == '\t' || ptx[-1] == '\r')
                ptx--;
            return ptx[-1] == 'a' ? "a" : "";
        }
        while (ptx < end && *ptx++ != '\n')
            ;
    }
    return "";
}

/* Both streams of the program go into the file `said`. The exit status; -1: not started. */
static int run(char **words, const char *said)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int code = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code) {
        errno = code;
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *gpu_assemble(struct arena *arena, const char *program, int major, int minor,
                         const char *name, const char *ptx, size_t size, struct text *log,
                         size_t *code_size, struct gpu_error *error)
{
    const char *parent = getenv("TMPDIR"), *why = NULL, *code = NULL;
    char *folder = arena_printf(arena, "%s/simtlab-XXXXXX", parent && *parent ? parent : "/tmp");

    if (!mkdtemp(folder)) {
        gpu_fail(error, GPU_REFUSED, "%s: %s", folder, strerror(errno));
        return NULL;
    }
    char *in = arena_printf(arena, "%s/in.ptx", folder);
    char *out = arena_printf(arena, "%s/out.cubin", folder);
    char *said = arena_printf(arena, "%s/said", folder);
    char *arch = arena_printf(arena, "-arch=sm_%d%d%s", major, minor, target_letter(ptx, size));
    char *words[] = {arena_strdup(arena, program), arch, in, arena_strdup(arena, "-o"), out, NULL};
    if (!file_write(in, ptx, size, &why)) {
        gpu_fail(error, GPU_REFUSED, "%s: %s", in, why);
    } else {
        int status = run(words, said), problem = errno;
        size_t said_size = 0;
        const char *text = file_read(arena, said, &said_size, &why);
        if (log && text)
            text_add(log, text, said_size);
        if (status < 0)
            gpu_fail(error, GPU_REFUSED, "%s: %s", program, strerror(problem));
        else if (status > 0)
            gpu_fail(error, GPU_REFUSED, "%s: %s ended with status %d: %.*s", name, program, status,
                     text ? (int)strcspn(text, "\n") : 0, text ? text : "");
        else if (!(code = file_read(arena, out, code_size, &why)))
            gpu_fail(error, GPU_REFUSED, "%s: %s wrote nothing: %s", name, program, why);
    }
    unlink(in);
    unlink(out);
    unlink(said);
    rmdir(folder);
    return code;
}
