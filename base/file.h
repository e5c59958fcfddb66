/* SPDX-License-Identifier: Apache-2.0
 *
 * file.h - whole files in memory. */
#ifndef SIMTLAB_BASE_FILE_H
#define SIMTLAB_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* The contents, followed by a zero byte that size does not count, in the
 * arena. NULL when the file cannot be read; *why then says so in the system's
 * words, "No such file or directory". */
char *file_read(struct arena *arena, const char *path, size_t *size, const char **why);

/* Replaces the file. True, or false and *why as above. */
bool file_write(const char *path, const void *data, size_t size, const char **why);

/* Can there be such a file: is it one already, or is its folder there? Whether writing
 * works shows only then. True, or false and *why as above. */
bool file_has_place(const char *path, const char **why);

/* Does its name end so, as ".npy"? */
bool file_name_ends(const char *path, const char *ending);

/* name itself when it is absolute, else name beside the file called beside. */
const char *file_beside(struct arena *arena, const char *beside, const char *name);

#endif
