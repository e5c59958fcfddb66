/* SPDX-License-Identifier: Apache-2.0
 *
 * file.c - whole files in memory. Reads in steps, so that pipes and files
 * that report no size work too. */
#include "base/file.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum { DEVICE_LIMIT = 1 << 24 }; /* bytes */

char *file_read(struct arena *arena, const char *path, size_t *size, const char **why)
{
    struct text text = {0};
    char piece[16384];
    size_t count;
    struct stat info;
    FILE *file = fopen(path, "rb");

    if (!file) {
        *why = strerror(errno);
        return NULL;
    }
    bool device = stat(path, &info) == 0 && S_ISCHR(info.st_mode);
    bool endless = false; /* as /dev/zero is */
    while (!endless && (count = fread(piece, 1, sizeof piece, file)) > 0) {
        text_add(&text, piece, count);
        endless = device && text.size > DEVICE_LIMIT;
    }
    int failed = ferror(file) ? errno : 0; /* a folder opens but does not read */
    fclose(file);
    char *data = NULL;
    if (failed || endless) {
        *why = endless ? "it is a device without an end; give a file" : strerror(failed);
    } else {
        *size = text.size;
        data = arena_copy(arena, text_string(&text), text.size);
    }
    text_free(&text);
    return data;
}

bool file_write(const char *path, const void *data, size_t size, const char **why)
{
    FILE *file = fopen(path, "wb");

    if (!file) {
        *why = strerror(errno);
        return 0;
    }
    size_t written = fwrite(data, 1, size, file);
    int failed = written != size ? errno : 0;
    if (fclose(file) && !failed)
        failed = errno;
    if (failed)
        *why = strerror(failed);
    return !failed;
}

bool file_has_place(const char *path, const char **why)
{
    const char *slash = strrchr(path, '/');
    struct text folder = {0};
    struct stat info;
    int failed = 0;

    if (!stat(path, &info)) {
        failed = S_ISDIR(info.st_mode) ? EISDIR : 0;
    } else if (slash && slash != path) {
        text_add(&folder, path, (size_t)(slash - path));
        failed = stat(folder.data, &info) ? errno : S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
        text_free(&folder);
    }
    if (failed)
        *why = strerror(failed);
    return !failed;
}

bool file_name_ends(const char *path, const char *ending)
{
    size_t size = strlen(path), tail = strlen(ending);

    return size >= tail && !strcmp(path + size - tail, ending);
}

const char *file_beside(struct arena *arena, const char *beside, const char *name)
{
    const char *slash = strrchr(beside, '/');

    if (name[0] == '/' || !slash)
        return arena_strdup(arena, name);
    return arena_printf(arena, "%.*s/%s", (int)(slash - beside), beside, name);
}
