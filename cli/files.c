/* SPDX-License-Identifier: Apache-2.0
 *
 * files.c - files named for two things at once: the second would take the place of
 * the first, and a kernel's own file can be lost. */
#include "config.h"

#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>

struct named {
    const char *path, *what;
    bool read; /* else written */
};

/* One regular file by two names, or one name. Anything may be written to a device. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    bool there = stat(a, &first) == 0, also = stat(b, &second) == 0;

    if (there && !S_ISREG(first.st_mode))
        return false;
    if (there && also)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return there == also && !strcmp(a, b);
}

/* Number i of the files that the words name; path NULL: that one is not named. Those that are
 * read come first. */
static bool named(const struct options *o, size_t i, struct named *file)
{
    const struct named others[] = {
        {o->word_count ? o->words[0] : NULL, "the input", true},
        {o->with, "read for --with", true},
        {o->known, "read for --known", true},
        {o->suppressions, "read for --suppressions", true},
        {o->output, "-o", false},
        {o->json, "--json", false},
        {o->sarif, "--sarif", false},
        {o->junit, "--junit", false},
        {o->html, "--html", false},
        {o->probe_job, "--probe-job", false},
    };
    enum { OTHERS = sizeof others / sizeof *others };

    if (i >= OTHERS + o->output_count)
        return false;
    *file = i < OTHERS ? others[i] : (struct named){o->outputs[i - OTHERS].path, "-o", false};
    if (is_stdout(file->path))
        file->path = NULL;
    return true;
}

bool files_apart(const struct options *o, struct text *error)
{
    struct named earlier, later;

    for (size_t i = 0; named(o, i, &later); i++) {
        for (size_t k = 0; k < i && named(o, k, &earlier); k++) {
            if (later.read || !earlier.path || !later.path ||
                !same_file(earlier.path, later.path))
                continue;
            if (earlier.read)
                text_printf(error, "%s: %s would overwrite it, and it is %s; give another name\n",
                            later.path, later.what, earlier.what);
            else
                text_printf(error, "%s: both %s and %s would write it; give two names\n",
                            later.path, earlier.what, later.what);
            return false;
        }
    }
    return true;
}
