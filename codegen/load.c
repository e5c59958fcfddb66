/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c - finds the code generator's module and hands the work to it. */
#include "config.h"

#include "codegen/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE "simtlab_codegen.so"

/* The directory of the running program, without a slash at its end. */
static bool program_directory(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    if (length <= 0)
        return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = 0;
    return slash != NULL;
}

/* Where the module can be: where the user says, where the program was built, beside
 * an installation that was moved, where it was to be installed. */
static void *open_module(struct text *error)
{
    static const char *const places[] = {"%s/.libs/" MODULE, "%s/../lib/simtlab/" MODULE,
                                         CODEGEN_DIRECTORY "/" MODULE};
    const char *chosen = getenv("SIMTLAB_CODEGEN");
    char program[3000], path[3200];
    bool known = program_directory(program, sizeof program);
    void *module = NULL;

    if (chosen && *chosen) {
        if (!(module = dlopen(chosen, RTLD_NOW | RTLD_LOCAL)))
            text_puts(error, dlerror());
        return module;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places && !module; i++) {
        bool relative = places[i][0] == '%';
        if (relative && !known)
            continue;
        snprintf(path, sizeof path, places[i], program);
        if (access(path, R_OK) == 0 && !(module = dlopen(path, RTLD_NOW | RTLD_LOCAL)))
            text_printf(error, "%s%s", error->size ? "; " : "", dlerror());
    }
    if (!module && !error->size)
        text_puts(error, MODULE " is neither beside this program nor in " CODEGEN_DIRECTORY);
    return module;
}

static const struct codegen_plugin *plugin(struct text *error)
{
#ifndef HAVE_LLVM
    text_puts(error, "this build has no LLVM 19, which writes code: install it (Debian, Ubuntu: "
                     "apt-get install llvm-19-dev), then configure and make again");
    (void)open_module;
    return NULL;
#else
    void *module = open_module(error); /* stays loaded */
    if (!module)
        return NULL;
    const struct codegen_plugin *found = dlsym(module, CODEGEN_PLUGIN);
    if (!found || found->version != CODEGEN_PLUGIN_VERSION ||
        found->ir != CODEGEN_PLUGIN_IR) {
        text_puts(error, MODULE " belongs to another version of this program");
        return NULL;
    }
    return found;
#endif
}

bool codegen_available(void)
{
    struct text error = {0};
    bool available = plugin(&error) != NULL;

    text_free(&error);
    return available;
}

bool codegen_write(const struct ir_module *module, const struct codegen_options *options,
                   struct text *out, struct diags *diags)
{
    struct text error = {0};
    const struct codegen_plugin *found = plugin(&error);
    bool written = found && found->write(module, options, out, diags);

    if (!found)
        diag_error(diags, (struct loc){0, 0}, "no code generator: %s", text_string(&error));
    text_free(&error);
    return written;
}
