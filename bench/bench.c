/* SPDX-License-Identifier: Apache-2.0
 *
 * bench.c - how fast the emulator runs the benchmark's kernels, and what checking
 * them costs.
 *
 *     bench [-s large|small] [-k KERNEL] [-r REPEATS] [-t THREADS] [-c CHECKS] [-u]
 *           [-o KERNELS.CL] KERNELS.PTX
 *
 * Each figure is the median of REPEATS launches in one process. CHECKS is a list of
 * memory,init,race,sync or all (without -c) or none; -u takes processor time instead
 * of the clock's, for a machine that is busy with other work; -o compares with
 * Oclgrind, which gets the same problems at their small sizes. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/run.h"
#include "simtlab/simtlab.h"

/* The kernels that means are taken of. */
static bool counts(enum work_kind kind)
{
    return kind != WORK_NBODY_EXACT && kind != WORK_F32OPS;
}

struct mean {
    double logarithms;
    int count;
};

static void mean_add(struct mean *mean, enum work_kind kind, double ratio)
{
    if (!counts(kind))
        return;
    mean->logarithms += log(ratio);
    mean->count++;
}

static double mean_of(const struct mean *mean)
{
    return mean->count ? exp(mean->logarithms / mean->count) : NAN;
}

static bool wanted(const struct settings *settings, enum work_kind kind)
{
    return !settings->kernel || !strcmp(settings->kernel, work_name(kind));
}

/* What went wrong with a result, or how much was compared. */
static bool print_verdict(const struct result *result)
{
    if (result->problem[0])
        printf("  could not run: %s\n", result->problem);
    else if (result->compared < 0)
        printf("  WRONG\n");
    else
        printf("  %ld outputs equal%s\n", result->compared, result->findings ? ", FINDINGS" : "");
    return result->fine;
}

/* --- plain and checked runs ------------------------------------------------------------ */

static bool print_kernel(const struct settings *settings, enum work_kind kind,
                         struct mean *slowdown, struct result *plain, struct result *checked)
{
    struct work work;
    double elements;

    if (!work_make(&work, kind, settings->large)) {
        fprintf(stderr, "bench: out of memory\n");
        return false;
    }
    printf("%-12s %9u", work.name, work.size);
    fflush(stdout);
    elements = work.elements;
    work_free(&work);
    run_apart(run_simtlab, settings, kind, 0, plain);
    if (plain->problem[0])
        return print_verdict(plain);
    printf(" %10.2f %10.4g %7.2f %6.0f", 1e3 * plain->seconds, elements / plain->seconds,
           1e9 * plain->seconds / (double)plain->instructions, plain->peak_mib);
    if (!settings->checks || !plain->fine)
        return print_verdict(plain);
    fflush(stdout);
    run_apart(run_simtlab, settings, kind, settings->checks, checked);
    if (!checked->problem[0]) {
        mean_add(slowdown, kind, checked->seconds / plain->seconds);
        printf(" | %10.2f %10.4g %6.2f %6.0f", 1e3 * checked->seconds,
               elements / checked->seconds, checked->seconds / plain->seconds,
               checked->peak_mib);
    }
    return print_verdict(checked);
}

static bool print_runs(const struct settings *settings, struct result plain[WORK_COUNT],
                       struct result checked[WORK_COUNT])
{
    struct mean slowdown = {0};
    bool fine = true;

    printf("%-12s %9s %10s %10s %7s %6s", "kernel", "size", "run, ms", "elements/s", "ns each",
           "MiB");
    if (settings->checks)
        printf(" | %10s %10s %6s %6s", "check, ms", "elements/s", "times", "MiB");
    printf("\n");
    for (int kind = 0; kind < WORK_COUNT; kind++)
        if (wanted(settings, kind))
            fine &= print_kernel(settings, kind, &slowdown, &plain[kind], &checked[kind]);
    if (slowdown.count > 1)
        printf("geometric mean of the slowdown over %d kernels: %.2f\n", slowdown.count,
               mean_of(&slowdown));
    return fine;
}

/* --- Oclgrind ------------------------------------------------------------------------------ */

static bool print_oclgrind(const struct settings *settings, const struct result plain[WORK_COUNT],
                           const struct result checked[WORK_COUNT])
{
    struct mean run_gain = {0}, check_gain = {0};
    char version[100];
    bool fine = true;

    if (!oclgrind_version(version, sizeof version)) {
        printf("\nOclgrind is not installed: there is nothing to compare with.\n");
        return true;
    }
    printf("\n%s, %u thread%s, small sizes\n", version, settings->threads,
           settings->threads == 1 ? "" : "s");
    printf("%-12s %10s %6s %8s | %10s %6s %8s\n", "kernel", "plain, ms", "MiB", "run", "races, ms",
           "MiB", "check");
    for (int kind = 0; kind < WORK_COUNT; kind++) {
        struct result alone = {0}, races = {0};
        if (!wanted(settings, kind) || !counts(kind) || !plain[kind].fine)
            continue;
        run_oclgrind(settings, kind, false, &alone);
        run_oclgrind(settings, kind, true, &races);
        printf("%-12s", work_name(kind));
        if (!alone.fine || !races.fine) {
            fine &= print_verdict(alone.fine ? &races : &alone);
            continue;
        }
        double gain = alone.seconds / plain[kind].seconds;
        mean_add(&run_gain, kind, gain);
        printf(" %10.1f %6.0f %8.0f | %10.1f %6.0f", 1e3 * alone.seconds, alone.peak_mib, gain,
               1e3 * races.seconds, races.peak_mib);
        if (checked[kind].fine) {
            gain = races.seconds / checked[kind].seconds;
            mean_add(&check_gain, kind, gain);
            printf(" %8.0f", gain);
        }
        print_verdict(&races);
        fflush(stdout);
    }
    printf("so many times faster, geometric mean: run %.0f, check %.0f\n", mean_of(&run_gain),
           mean_of(&check_gain));
    return fine;
}

/* --- settings -------------------------------------------------------------------------------- */

static bool read_checks(const char *text, unsigned *checks)
{
    static const struct { const char *name; unsigned bits; } known[] = {
        {"memory", SL_CHECK_MEMORY}, {"init", SL_CHECK_INIT}, {"race", SL_CHECK_RACE},
        {"sync", SL_CHECK_SYNC}, {"none", 0},
        {"all", SL_CHECK_MEMORY | SL_CHECK_INIT | SL_CHECK_RACE | SL_CHECK_SYNC}};

    *checks = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            if (strlen(known[i].name) == length && !memcmp(known[i].name, text, length)) {
                *checks |= known[i].bits;
                found = true;
            }
        if (!found)
            return false;
        text += length + (text[length] == ',');
    }
    return true;
}

static bool read_settings(struct settings *settings, bool *inside, int argc, char **argv)
{
    int option;

    *settings = (struct settings){.large = true, .repeats = 5, .threads = 1};
    read_checks("all", &settings->checks);
    while ((option = getopt(argc, argv, "s:k:r:t:c:uo:O:")) != -1)
        switch (option) {
        case 's':
            settings->large = !strcmp(optarg, "large");
            if (!settings->large && strcmp(optarg, "small"))
                return false;
            break;
        case 'k': settings->kernel = optarg; break;
        case 'r': settings->repeats = atoi(optarg); break;
        case 't': settings->threads = (unsigned)atoi(optarg); break;
        case 'c':
            if (!read_checks(optarg, &settings->checks))
                return false;
            break;
        case 'u': settings->processor_time = true; break;
        case 'o':
            settings->oclgrind = true;
            settings->opencl = optarg;
            break;
        case 'O': /* this is the process under Oclgrind */
            *inside = true;
            settings->opencl = optarg;
            break;
        default: return false;
        }
    settings->ptx = argv[optind];
    return optind + !*inside == argc && settings->repeats >= 1 &&
           settings->repeats <= MAX_REPEATS && settings->threads >= 1 &&
           !(settings->oclgrind && settings->large);
}

int main(int argc, char **argv)
{
    static struct result plain[WORK_COUNT], checked[WORK_COUNT];
    struct settings settings;
    bool inside = false, fine;

    if (!read_settings(&settings, &inside, argc, argv)) {
        fprintf(stderr,
                "usage: bench [-s large|small] [-k KERNEL] [-r REPEATS] [-t THREADS]\n"
                "             [-c CHECKS] [-u] [-o KERNELS.CL] KERNELS.PTX\n"
                "-o goes with -s small\n");
        return 2;
    }
    if (inside)
        return opencl_main(&settings);
    fine = print_runs(&settings, plain, checked);
    if (settings.oclgrind)
        fine &= print_oclgrind(&settings, plain, checked);
    return fine ? 0 : 1;
}
