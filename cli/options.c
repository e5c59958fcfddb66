/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c - one table of options, one loop over the words. */
#include "cli/options.h"

#include <string.h>

#include "base/element.h"
#include "base/likeness.h"

enum kind {
    FLAG, NUMBER, COUNT, STATUS, BYTES32, TRIPLE, WORD, LIBRARY, TEXTURE, VARIABLE, OUTPUT, PRINT,
    REPLAY,
};

static const struct row {
    const char *name, *other; /* "-g", "--grid" */
    enum kind kind;
    unsigned commands;
    size_t offset;
    const char *wants; /* its value, for messages */
} rows[] = {
#define AT(member) offsetof(struct options, member)
    {"-g", "--grid", TRIPLE, FOR_SHAPE, AT(grid), "X[,Y[,Z]], blocks of the grid, at least 1"},
    {"-b", "--block", TRIPLE, FOR_SHAPE, AT(block), "X[,Y[,Z]], threads of a block, at least 1"},
    {"-s", "--shared", BYTES32, FOR_SHAPE, AT(shared_bytes),
     "a number of bytes below 2^32, of dynamic shared memory"},
    {"--cluster", NULL, TRIPLE, FOR_SHAPE, AT(cluster), "X[,Y[,Z]], blocks of a cluster"},
    {"--cooperative", NULL, FLAG, FOR_SHAPE, AT(cooperative), NULL},
    {"--on", NULL, WORD, FOR_SHAPE | FOR_RECORDING, AT(on), "emu, or cuda:0 and so on"},
    {"--target", NULL, WORD, FOR_SHAPE | FOR_BUILD, AT(target), "a target such as sm_90"},
    {"--seed", NULL, NUMBER, FOR_LAUNCH | FOR_RECORDING, AT(seed), "a whole number from 0 on"},
    {"--threads", NULL, COUNT, FOR_LAUNCH, AT(threads), "a number of host threads, at least 1"},
    {"--max-steps", NULL, COUNT, FOR_LAUNCH | FOR_RECORDING, AT(max_steps),
     "a number of warp instructions, at least 1"},
    {"--timeout", NULL, COUNT, FOR_LAUNCH | FOR_RECORDING, AT(timeout),
     "a number of seconds, for a launch on a GPU, at least 1"},
    {"--stack-size", NULL, NUMBER, FOR_SHAPE, AT(stack_size), "a number of bytes, of one thread's stack"},
    {"--heap-size", NULL, NUMBER, FOR_SHAPE, AT(heap_size), "a number of bytes, for malloc in kernels"},
    {"--output-limit", NULL, NUMBER, FOR_LAUNCH, AT(output_limit), "a number of bytes, of kernel output"},
    {"--print-limit", NULL, NUMBER, FOR_LAUNCH, AT(print_limit), "a number of findings"},
    {"--replay", NULL, REPLAY, FOR_LAUNCH, 0, "SEED[:CHOICES], as a report names them"},
    {"--explore", NULL, COUNT, FOR_LAUNCH, AT(explore), "a number of schedules, at least 1"},
    {"--error-exitcode", NULL, STATUS, FOR_LAUNCH, AT(error_status), "an exit status, 0 to 255"},
    {"--launch-skip", NULL, NUMBER, FOR_LAUNCH, AT(launch_skip), "a number of launches"},
    {"--launch-count", NULL, NUMBER, FOR_LAUNCH, AT(launch_count), "a number of launches"},
    {"--kernel-name", NULL, WORD, FOR_SHAPE, AT(kernel_name), "kne=NAME or kns=PART"},
    {"--suppressions", NULL, WORD, FOR_LAUNCH, AT(suppressions), "a file"},
    {"--sarif", NULL, WORD, FOR_LAUNCH, AT(sarif), "a file, or - for standard output"},
    {"--junit", NULL, WORD, FOR_LAUNCH | FOR_CONFORM, AT(junit), "a file, or - for standard output"},
    {"-o", "--output", OUTPUT, FOR_LAUNCH, 0, "N=FILE, an argument's number and a file, such as 0=out.npy"},
    {"-o", "--output", WORD, FOR_BUILD, AT(output), "a file"},
    {"--ptx-version", NULL, WORD, FOR_BUILD, AT(ptx_version), "a version such as 7.8"},
    {"--emit", NULL, WORD, FOR_BUILD, AT(emit), "ptx or llvm"},
    {"-p", "--print", PRINT, FOR_LAUNCH, 0, "N[:COUNT], an argument's number and how many elements, such as 0:8"},
    {"--bind", NULL, LIBRARY, FOR_LAUNCH, 0, "a shared library"},
    {"--shadow", NULL, WORD, FOR_RUN, AT(shadow), "the wider format, f32 or f64"},
    {"--shadow-threshold", NULL, WORD, FOR_RUN, AT(shadow_threshold),
     "a relative error such as 0.01"},
    {"--texture", NULL, TEXTURE, FOR_LAUNCH, 0,
     "NAME=TEXTURE, the name of a .texref or .surfref and what to bind to it"},
    {"--json", NULL, WORD, FOR_LAUNCH | FOR_CONFORM, AT(json), "a file, or - for standard output"},
    {"--known", NULL, WORD, FOR_CONFORM, AT(known), "a file of known differences"},
    {"--shard", NULL, WORD, FOR_CONFORM, AT(shard), "I/N, such as 1/4"},
    {"--set", NULL, VARIABLE, FOR_LAUNCH, 0, "NAME=CONTENTS, a variable of the module"},
    {"--probe-job", NULL, WORD, FOR_DIFF, AT(probe_job), "the name of a job file to write"},
    {"--probe", NULL, FLAG, FOR_DIFF, AT(probe), NULL},
    {"--rebuild", NULL, FLAG, FOR_CONFORM, AT(rebuild), NULL},
    {"--html", NULL, WORD, FOR_CONFORM, AT(html), "a file, or - for standard output"},
    {"--with", NULL, WORD, FOR_DIFF, AT(with), "a PTX file"},
    {"--sources", NULL, WORD, FOR_RECORDING, AT(sources), "the folder of the PTX files"},
    {"--strict", NULL, FLAG, FOR_LAUNCH, AT(strict), NULL},
    {"--weak", NULL, FLAG, FOR_LAUNCH, AT(weak), NULL},
    {"--only", NULL, WORD, FOR_CHECK | FOR_CONFORM, AT(only),
     "checks such as race,sync, or a part of the names of cases"},
    {"--ir", NULL, FLAG, FOR_SHOW, AT(ir), NULL},
    {"--cfg", NULL, FLAG, FOR_SHOW, AT(cfg), NULL},
    {"--ptx", NULL, FLAG, FOR_SHOW, AT(ptx), NULL},
    {"--llvm", NULL, FLAG, FOR_SHOW, AT(llvm), NULL},
    {"--attributes", NULL, FLAG, FOR_DEVICES, AT(attributes), NULL},
    {"-h", "--help", FLAG, FOR_ALL, AT(help), NULL},
#undef AT
};

/* --- values -------------------------------------------------------------------------- */

static bool read_number(const char *text, size_t size, uint64_t *value)
{
    return size && text[0] >= '0' && text[0] <= '9' &&
           element_parse(ELEMENT_U64, text, size, value) == NULL;
}

/* X[,Y[,Z]]: positive, each below 2^31. */
static bool read_triple(const char *text, uint32_t triple[3])
{
    triple[0] = triple[1] = triple[2] = 1;
    for (int i = 0; i < 3; i++) {
        size_t size = strcspn(text, ",");
        uint64_t value;

        if (!read_number(text, size, &value) || value == 0 || value > INT32_MAX)
            return false;
        triple[i] = (uint32_t)value;
        text += size;
        if (!*text)
            return true;
        text++;
    }
    return false;
}

/* NUMBER {. NUMBER}, or what can be the name of a variable */
static const char *read_name(struct options *options, const char *text, size_t size)
{
    bool digit = false;

    if (size && ((*text | 0x20) - 'a' + 0u < 26u || strchr("_$%(", *text)))
        return arena_copy(options->arena, text, size);

    for (size_t i = 0; i < size; i++)
        if (text[i] >= '0' && text[i] <= '9')
            digit = true;
        else if (text[i] == '.' && digit)
            digit = false;
        else
            return NULL;
    return digit ? arena_copy(options->arena, text, size) : NULL;
}

static bool read_output(struct options *options, const char *text)
{
    const char *equals = strchr(text, '=');
    struct output_option *output = &options->outputs[options->output_count];

    if (!equals || !equals[1] || !strcmp(equals, "=-") ||
        !(output->name = read_name(options, text, (size_t)(equals - text))))
        return false;
    output->path = equals + 1;
    options->output_count++;
    return true;
}

static bool read_print(struct options *options, const char *text)
{
    struct print_option *print = &options->prints[options->print_count];
    const char *colon = strrchr(text, ':'); /* NAME may be ns::name */
    size_t size = colon && (colon == text || colon[-1] != ':' || (colon[1] >= '0' && colon[1] <= '9'))
                      ? (size_t)(colon - text) : strlen(text);

    print->name = read_name(options, text, size);
    if (!print->name)
        return false;
    print->has_count = text[size] == ':';
    if (print->has_count &&
        !read_number(text + size + 1, strlen(text + size + 1), &print->count))
        return false;
    options->print_count++;
    return true;
}

static bool read_replay(struct options *options, const char *text)
{
    size_t size = strcspn(text, ":");

    return read_number(text, size, &options->seed) &&
           (!text[size] ||
            read_number(text + size + 1, strlen(text + size + 1), &options->seed_choices));
}

static bool set(struct options *options, const struct row *row, const char *value)
{
    void *place = (char *)options + row->offset;

    switch (row->kind) {
    case FLAG:
        *(bool *)place = true;
        return true;
    case NUMBER:
        return read_number(value, strlen(value), place);
    case COUNT:
        return read_number(value, strlen(value), place) && *(uint64_t *)place > 0;
    case BYTES32:
        return read_number(value, strlen(value), place) && *(uint64_t *)place <= UINT32_MAX;
    case STATUS:
        return read_number(value, strlen(value), place) && *(uint64_t *)place <= 255;
    case TRIPLE:
        options->has_block |= place == options->block;
        return read_triple(value, place);
    case WORD:
        *(const char **)place = value;
        return *value != 0;
    case VARIABLE:
        options->variables[options->variable_count++] = value;
        return strchr(value, '=') && *value != '=';
    case LIBRARY:
        options->libraries[options->library_count++] = value;
        return *value != 0;
    case TEXTURE:
        options->textures[options->texture_count++] = value;
        return strchr(value, '=') && *value != '=';
    case OUTPUT:
        return read_output(options, value);
    case PRINT:
        return read_print(options, value);
    case REPLAY:
        return read_replay(options, value);
    }
    return false;
}

/* --- words ------------------------------------------------------------------------------ */

/* Whether the row is the word's; *value is what it carries after =, or behind a
 * one-letter option (-g4), else NULL. */
static bool matches(const struct row *row, const char *word, const char **value)
{
    size_t length = strcspn(word, "=");
    const char *names[] = {row->name, row->other};

    for (int n = 0; n < 2 && names[n]; n++) {
        bool is_long = names[n][1] == '-';
        *value = NULL;
        if (!strcmp(word, names[n]))
            return true;
        if (is_long && length == strlen(names[n]) && !strncmp(word, names[n], length)) {
            *value = word + length + 1;
            return true;
        }
        if (!is_long && !strncmp(word, names[n], 2) && row->kind != FLAG) {
            *value = word + 2;
            return true;
        }
    }
    return false;
}

/* The row of an option word, one of the command's if there is any. */
static const struct row *find(const char *word, unsigned commands, const char **value)
{
    const struct row *other = NULL;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!matches(&rows[i], word, value))
            continue;
        if (rows[i].commands & commands)
            return &rows[i];
        other = &rows[i];
    }
    return other;
}

/* The long option of the command that a misspelt one may mean; NULL: none. */
static const char *nearest(const char *word, unsigned commands)
{
    const char *best = NULL;
    unsigned least = 0;
    char name[32] = "";

    if (!strncmp(word, "--", 2))
        strncat(name, word + 2, strcspn(word + 2, "=") < sizeof name ? strcspn(word + 2, "=") : 0);
    for (size_t i = 0; *name && i < sizeof rows / sizeof *rows; i++) {
        const char *known = rows[i].other ? rows[i].other : rows[i].name;
        unsigned far = likeness_distance(name, known + 2);
        if (rows[i].commands & commands && likeness_may_mean(name, known + 2) &&
            (!best || far < least)) {
            best = known;
            least = far;
        }
    }
    return best;
}

static void unknown_option(struct options *options, const char *word, const struct row *row,
                           unsigned commands, struct text *error)
{
    const char *meant = nearest(word, commands);

    text_printf(error, "'%.80s' is not an option", word);
    if (row) {
        options->misplaced = row->commands;
        text_puts(error, " of this command\n");
    } else if (meant) {
        text_printf(error, "; is %s meant?\n", meant);
    } else {
        text_puts(error, "; write -- before an argument that begins with a minus\n");
    }
}

/* -1 and the like: no option begins with a digit. */
static bool is_negative_number(const char *word)
{
    return word[0] == '-' && ((word[1] >= '0' && word[1] <= '9') || word[1] == '.');
}

bool options_read(struct options *options, unsigned commands, int argc, char **argv,
                  struct text *error)
{
    bool ended = false;

    for (int i = 0; i < 3; i++)
        options->grid[i] = options->block[i] = 1;
    options->threads = 1;
    options->output_limit = 1 << 20;
    options->print_limit = 100;
    options->error_status = EXIT_FINDINGS;
    options->words = ARENA_NEW_ARRAY(options->arena, (size_t)argc, const char *);
    options->libraries = ARENA_NEW_ARRAY(options->arena, (size_t)argc, const char *);
    options->textures = ARENA_NEW_ARRAY(options->arena, (size_t)argc, const char *);
    options->variables = ARENA_NEW_ARRAY(options->arena, (size_t)argc, const char *);
    options->outputs = ARENA_NEW_ARRAY(options->arena, (size_t)argc, struct output_option);
    options->prints = ARENA_NEW_ARRAY(options->arena, (size_t)argc, struct print_option);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = NULL;

        if (ended || word[0] != '-' || !word[1] || is_negative_number(word)) {
            options->words[options->word_count++] = word;
            continue;
        }
        if (!strcmp(word, "--")) {
            ended = true;
            continue;
        }
        const struct row *row = find(word, commands, &value);
        if (!row || !(row->commands & commands)) {
            unknown_option(options, word, row, commands, error);
            return false;
        }
        if (row->kind == FLAG && value) {
            text_printf(error, "%s takes no value\n", row->name);
            return false;
        }
        if (row->kind != FLAG && !value) {
            if (++i == argc) {
                text_printf(error, "%s needs %s\n", row->name, row->wants);
                return false;
            }
            value = argv[i];
        }
        if (!set(options, row, value)) {
            text_printf(error, "%s '%.80s': it needs %s\n", row->name, value, row->wants);
            return false;
        }
    }
    return true;
}
