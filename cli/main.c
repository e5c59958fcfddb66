/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c - the simtlab program: a table of commands.
 *
 * Exit status: 0 ran and clean, 1 findings, 2 could not run. */
#include "cli/cli.h"

#include <string.h>

#include "base/file.h"
#include "base/likeness.h"
#include "cli/litmus.h"

static const struct command {
    const char *name;
    unsigned options;
    int (*run)(struct options *options);
    int (*own)(int argc, char **argv); /* reads its own words; both NULL: not built yet */
} commands[] = {
    {"run", FOR_ALL | FOR_LAUNCH | FOR_SHAPE | FOR_RUN, cli_run, NULL},
    {"check", FOR_ALL | FOR_LAUNCH | FOR_SHAPE | FOR_CHECK, cli_check, NULL},
    {"show", FOR_ALL | FOR_SHOW, cli_show, NULL},
    {"devices", FOR_ALL | FOR_DEVICES, cli_devices, NULL},
    {"diff", FOR_ALL | FOR_RECORDING | FOR_SHAPE | FOR_DIFF, cli_diff, NULL},
    {"conform", FOR_ALL | FOR_RECORDING | FOR_CONFORM, cli_conform, NULL},
    {"litmus", 0, NULL, cli_litmus},
    {"audit", 0, NULL, NULL},
    {"debug", 0, NULL, NULL},
    {"profile", 0, NULL, NULL},
    {"build", FOR_ALL | FOR_BUILD, cli_build, NULL},
};

/* What readers say starts with its place, as compilers write it, so that editors
 * find it; everything else starts with our name. */
int fail(const struct text *error)
{
    const char *text = text_string(error), *mark = strstr(text, ": error: ");
    bool placed = mark && mark < text + strcspn(text, "\n");

    fflush(stdout);
    fprintf(stderr, "%s%s", placed ? "" : "simtlab: ", text);
    return EXIT_UNABLE;
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i].name, name))
            return &commands[i];
    return NULL;
}

static int fail_usage(const char *command, const struct options *options,
                      const struct text *error)
{
    fail(error);
    if (options->misplaced) {
        fputs("  these have it:", stderr);
        for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
            if (commands[i].options & options->misplaced)
                fprintf(stderr, " %s", commands[i].name);
        fputc('\n', stderr);
    }
    fprintf(stderr, "  `simtlab %s --help` has examples\n", command);
    return EXIT_UNABLE;
}

static int unknown_command(const char *name)
{
    const char *meant = NULL;

    fprintf(stderr, "simtlab: '%.80s' is no command; there are", name);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (!commands[i].run && !commands[i].own)
            continue;
        fprintf(stderr, " %s", commands[i].name);
        if (!meant && likeness_may_mean(name, commands[i].name))
            meant = commands[i].name;
    }
    fputc('\n', stderr);
    if (meant)
        fprintf(stderr, "  is %s meant?\n", meant);
    if (file_name_ends(name, ".ptx") || file_name_ends(name, ".kir"))
        fprintf(stderr, "  the command comes before the file: `simtlab run %s`\n", name);
    fprintf(stderr, "  `simtlab --help` tells what they do\n");
    return EXIT_UNABLE;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct arena arena = {0};
    struct options options = {.arena = &arena};
    struct text error = {0};
    int status;

    if (command->own) {
        status = command->own(argc, argv);
    } else if (!command->run) {
        text_printf(&error, "'%s' is planned, but this build does not have it\n", command->name);
        status = fail(&error);
    } else if (!options_read(&options, command->options, argc, argv, &error)) {
        status = fail_usage(command->name, &options, &error);
    } else if (options.help) {
        help_print(stdout, command->name);
        status = EXIT_CLEAN;
    } else if (!files_apart(&options, &error)) {
        status = fail(&error);
    } else {
        status = command->run(&options);
    }
    text_free(&error);
    arena_free(&arena);
    return status;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        help_print(stderr, NULL);
        return EXIT_UNABLE;
    }
    const char *name = argv[1];
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        printf("simtlab %s\n", sl_version());
        return EXIT_CLEAN;
    }
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
        const struct command *about = argc > 2 ? find(argv[2]) : NULL;
        if (argc > 2 && !about)
            return unknown_command(argv[2]);
        if (about && about->own)
            return about->own(2, (char *[]){argv[2], (char[]){"--help"}, NULL});
        help_print(stdout, about && about->run ? about->name : NULL);
        return EXIT_CLEAN;
    }
    const struct command *command = find(name);
    return command ? run_command(command, argc - 1, argv + 1) : unknown_command(name);
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);

    if ((fflush(stdout) != 0 || ferror(stdout)) && status != EXIT_UNABLE) {
        perror("simtlab: standard output");
        status = EXIT_UNABLE;
    }
    return status;
}
