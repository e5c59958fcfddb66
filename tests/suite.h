/* SPDX-License-Identifier: Apache-2.0
 *
 * suite.h - the main function of a Check program.
 *
 *     SUITE("base", { TEST(arena_zeroes); TEST(map_replaces); })
 */
#ifndef SIMTLAB_TESTS_SUITE_H
#define SIMTLAB_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

#define TEST(name) tcase_add_test(tests, name)
#define LOOP_TEST(name, from, to) tcase_add_loop_test(tests, name, from, to)

/* The time limit guards against hangs only; no test measures time. */
#define SUITE(name, ...)                                                     \
    int main(void)                                                           \
    {                                                                        \
        Suite *suite = suite_create(name);                                   \
        TCase *tests = tcase_create(name);                                   \
        tcase_set_timeout(tests, 600);                                       \
        __VA_ARGS__                                                          \
        suite_add_tcase(suite, tests);                                       \
        SRunner *runner = srunner_create(suite);                             \
        srunner_run_all(runner, CK_ENV);                                     \
        int failed = srunner_ntests_failed(runner);                          \
        srunner_free(runner);                                                \
        return failed ? EXIT_FAILURE : EXIT_SUCCESS;                         \
    }

#endif
