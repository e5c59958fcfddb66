/* SPDX-License-Identifier: Apache-2.0
 *
 * cli.h - the commands of the simtlab program. Each returns the exit status. */
#ifndef SIMTLAB_CLI_CLI_H
#define SIMTLAB_CLI_CLI_H

#include <stdio.h>

#include <simtlab/simtlab.h>

#include "api/arguments.h"
#include "cli/options.h"
#include "conformance/emulate.h"

int cli_run(struct options *options);
int cli_check(struct options *options);
int cli_show(struct options *options);
int cli_devices(struct options *options);
int cli_conform(struct options *options);
int cli_diff(struct options *options);
int cli_build(struct options *options);
/* conform.c: how cases run, as the options have it; the executor is left open. */
struct emulate_options emulate_defaults(const struct options *options);

#define TIMEOUT_IS_FOR_GPUS "--timeout is for a GPU; the emulator counts steps: --max-steps\n"

/* Does "-" stand for standard output there? NULL: no. */
static inline bool is_stdout(const char *path)
{
    return path && path[0] == '-' && !path[1];
}

/* help.c: the page of a command, or the overview for NULL. */
void help_print(FILE *to, const char *command);

/* input.c: the module of a file, or of standard input for "-". NULL with lines of
 * explanation in error. */
sl_module *load_file(sl_context *context, struct options *options, const char *path,
                     struct text *error);
/* A context for options->target. NULL with an explanation in error. */
sl_context *open_context(const struct options *options, struct text *error);
/* Ends the program here when a kernel that never ends holds the context's GPU: an orderly
 * end may wait for it. */
void end_if_hanging(const sl_context *context, int status);
/* The kernel named by the second word, if it is a name; *first_argument is the
 * number of the word that follows. NULL with an explanation in error. */
sl_kernel *choose_kernel(sl_module *module, const struct options *options,
                         size_t *first_argument, struct text *error);

/* The block that the kernel requires (.reqntid), where -b gave none. */
void choose_block(struct options *options, const sl_kernel *kernel);

/* values.c: one element as people write it, with the fewest digits that read
 * back as the same bits. */
void value_print(struct text *out, enum element element, uint64_t bits);

/* files.c. False, with a line in error, when a file to be written is named twice, or is one
 * that is read. */
bool files_apart(const struct options *options, struct text *error);

/* output.c: -p and -o. */
/* Finds the arguments and variables that they name, which are added. False with lines in
 * error. */
bool outputs_find(struct options *options, struct arena *arena, sl_module *module,
                  struct prepared_arguments *arguments, struct text *error);
/* Those that -p and -o name, all arguments when they name none. */
const bool *arguments_asked_for(const struct options *options, struct arena *arena,
                                const struct prepared_arguments *arguments);
void print_arguments(FILE *to, const struct options *options,
                     const struct prepared_argument *arguments);
bool write_arguments(const struct options *options, const struct prepared_argument *arguments,
                     struct text *error);

/* "simtlab: " and the lines of error to standard error; returns EXIT_UNABLE. */
int fail(const struct text *error);

#endif
