/* SPDX-License-Identifier: Apache-2.0
 *
 * check_checkers.c - checkers over several launches of one context: what one launch
 * has written, the next may read. */
#include <simtlab/simtlab.h>
#include <string.h>

#include "tests/suite.h"

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry put(.param .u64 at) {\n"
    " .reg .b64 %a; .reg .b32 %t;\n"
    " ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a;\n"
    " st.global.u32 [%a], %t; ret; }\n"
    ".visible .entry sum(.param .u64 at) {\n"
    " .reg .b64 %a; .reg .b32 %t, %r;\n"
    " ld.param.u64 %a, [at]; mov.u32 %t, %tid.x; mad.wide.u32 %a, %t, 4, %a;\n"
    " ld.global.u32 %r, [%a]; add.u32 %r, %r, 1; st.global.u32 [%a], %r; ret; }\n";

struct bench {
    sl_context *context;
    sl_module *module;
    sl_buffer *buffer;
};

static void begin(struct bench *b)
{
    ck_assert_int_eq(sl_context_create(NULL, &b->context), SL_OK);
    ck_assert_int_eq(sl_module_load(b->context, SL_FORMAT_PTX, "t.ptx", text, strlen(text),
                                    &b->module), SL_OK);
    ck_assert_int_eq(sl_buffer_create(b->context, 256, NULL, &b->buffer), SL_OK);
}

/* Launches with so many threads; how many findings count. */
static size_t launch(struct bench *b, const char *name, uint32_t threads, unsigned checks)
{
    uint64_t address = sl_buffer_address(b->buffer);
    const void *values[] = {&address};
    sl_kernel *kernel;
    sl_report *report;

    ck_assert_int_eq(sl_context_set(b->context, SL_OPTION_CHECKS, checks), SL_OK);
    ck_assert_int_eq(sl_module_find(b->module, name, &kernel), SL_OK);
    ck_assert_int_eq(sl_launch(kernel, (uint32_t[]){1, 1, 1}, (uint32_t[]){threads, 1, 1}, 0,
                               values, 1, &report), SL_OK);
    size_t problems = sl_report_problems(report);
    sl_report_destroy(report);
    return problems;
}

START_TEST(launches_see_what_others_wrote)
{
    struct bench b;

    begin(&b);
    ck_assert_uint_eq(launch(&b, "put", 32, SL_CHECK_INIT), 0);
    ck_assert_uint_eq(launch(&b, "sum", 32, SL_CHECK_INIT), 0);
    ck_assert_uint_eq(launch(&b, "sum", 33, SL_CHECK_INIT), 1);
    sl_context_destroy(b.context);
}
END_TEST

START_TEST(an_unwatched_launch_may_have_written)
{
    struct bench b;

    begin(&b);
    ck_assert_uint_eq(launch(&b, "put", 64, SL_CHECK_MEMORY), 0);
    ck_assert_uint_eq(launch(&b, "sum", 64, SL_CHECK_INIT), 0);
    sl_context_destroy(b.context);
}
END_TEST

START_TEST(the_host_defines_what_it_writes)
{
    static const unsigned char zeros[256];
    struct bench b;

    begin(&b);
    ck_assert_uint_eq(launch(&b, "sum", 64, SL_CHECK_INIT), 1);
    ck_assert_int_eq(sl_buffer_write(b.buffer, 0, zeros, sizeof zeros), SL_OK);
    ck_assert_uint_eq(launch(&b, "sum", 64, SL_CHECK_INIT), 0);
    sl_context_destroy(b.context);
}
END_TEST

/* Only the sync check: bits are followed, but what memory lacks is not its business. */
START_TEST(each_check_reports_its_own)
{
    struct bench b;

    begin(&b);
    ck_assert_uint_eq(launch(&b, "sum", 64, SL_CHECK_SYNC), 0);
    ck_assert_uint_eq(launch(&b, "sum", 64, SL_CHECK_INIT | SL_CHECK_SYNC), 1);
    sl_context_destroy(b.context);
}
END_TEST

SUITE("checkers", {
    TEST(launches_see_what_others_wrote);
    TEST(an_unwatched_launch_may_have_written);
    TEST(the_host_defines_what_it_writes);
    TEST(each_check_reports_its_own);
})
