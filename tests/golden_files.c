/* SPDX-License-Identifier: Apache-2.0
 *
 * golden_files.c - finds the golden kernels. */
#include "tests/golden.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

int golden_files(char *files[GOLDEN_FILES_MAX])
{
    static const char folder[] = SIMTLAB_SOURCE_DIR "/tests/golden";
    const char *only = getenv("SIMTLAB_GOLDEN");
    DIR *areas = opendir(folder);
    int count = 0;

    for (struct dirent *area; areas && (area = readdir(areas));) {
        char path[4096];
        if (area->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, area->d_name);
        DIR *names = opendir(path);
        for (struct dirent *name; names && (name = readdir(names));) {
            size_t length = strlen(name->d_name);
            char *file = malloc(strlen(area->d_name) + length + 2);
            sprintf(file, "%s/%s", area->d_name, name->d_name);
            bool wanted = length > 4 && !strcmp(name->d_name + length - 4, ".ptx") &&
                          (!only || strstr(file, only));
            if (wanted && count < GOLDEN_FILES_MAX)
                files[count++] = file;
            else
                free(file);
        }
        if (names)
            closedir(names);
    }
    if (areas)
        closedir(areas);
    qsort(files, (size_t)count, sizeof *files, by_name);
    return count;
}
