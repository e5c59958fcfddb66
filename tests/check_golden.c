/* SPDX-License-Identifier: Apache-2.0
 *
 * check_golden.c - runs the golden kernels.
 *
 * Every file below tests/golden is one test, so that a crash in one does not hide
 * the others. Without a seed of its own a launch runs under three schedules, and
 * must come out the same under each. The files that tests/golden/xfail.txt lists
 * may fail; when one passes the list is to be shortened. SIMTLAB_GOLDEN=area/name
 * runs one file. */
#include "tests/golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "tests/suite.h"

static char *files[GOLDEN_FILES_MAX];
static int file_count;

/* Whether a line of xfail.txt begins with the file's name. */
static bool expected_to_fail(struct arena *arena, const char *file)
{
    size_t size, length = strlen(file);
    const char *why;
    const char *list = file_read(arena, SIMTLAB_SOURCE_DIR "/tests/golden/xfail.txt", &size, &why);

    for (const char *line = list; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (!strncmp(line, file, length) && (line[length] == ' ' || line[length] == '\n'))
            return true;
    }
    return false;
}

START_TEST(golden)
{
    /* The last one lets lanes part anywhere: for verdicts, which hold all the same. */
    static const uint64_t seeds[] = {0, 1, 20260101, 3};
    struct arena arena = {0};
    struct text why = {0};
    struct golden_file file;
    bool fine;
    char *path = arena_printf(&arena, "%s/tests/golden/%s", SIMTLAB_SOURCE_DIR, files[_i]);
    const char *problem;
    size_t size;
    char *text = file_read(&arena, path, &size, &problem);

    ck_assert_msg(text != NULL, "%s: %s", path, problem);
    fine = golden_read(&arena, files[_i], text, size, &file, &why);
    for (uint32_t i = 0; fine && i < file.launches.count; i++) {
        const struct golden_launch *launch = &file.launches.items[i];
        bool parts = !strncmp(files[_i], "init/", 5) || !strncmp(files[_i], "sync/", 5) ||
                     !strncmp(files[_i], "faults/", 7);
        int runs = launch->seed ? 1 : parts ? 4 : 3;
        for (int r = 0; fine && r < runs; r++) {
            uint64_t seed = launch->seed ? launch->seed : seeds[r];
            fine = golden_run(&file, launch, seed, &why);
            if (!fine)
                text_printf(&why, "(seed %llu)\n", (unsigned long long)seed);
        }
    }
    if (!expected_to_fail(&arena, files[_i]))
        ck_assert_msg(fine, "%s", text_string(&why));
    else if (fine)
        printf("%s passes: take it out of tests/golden/xfail.txt\n", files[_i]), fflush(stdout);
    text_free(&why);
    arena_free(&arena);
}
END_TEST

SUITE("golden", {
    file_count = golden_files(files);
    if (!file_count)
        return EXIT_FAILURE;
    LOOP_TEST(golden, 0, file_count);
})
