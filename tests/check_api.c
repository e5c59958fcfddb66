/* SPDX-License-Identifier: Apache-2.0
 *
 * check_api.c - the library as other programs use it: only <simtlab/simtlab.h>
 * and the shared library's exported functions. */
#include "tests/suite.h"

#include <stdlib.h>
#include <string.h>

#include <simtlab/simtlab.h>

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"

/* y[i] = a * x[i] + y[i] for i < n */
static const char saxpy[] = HEADER
    ".visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %p1; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<6>;\n"
    "    ld.param.u64 %rd1, [y]; ld.param.u64 %rd2, [x];\n"
    "    ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p1, %r5, %r1;\n"
    "    @%p1 ret;\n"
    "    mul.wide.u32 %rd3, %r5, 4;\n"
    "    add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
    "    ld.global.f32 %f2, [%rd5]; ld.global.f32 %f3, [%rd4];\n"
    "    fma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "    st.global.f32 [%rd4], %f4;\n"
    "    ret;\n"
    "}\n";

static const uint32_t one[3] = {1, 1, 1}, four[3] = {4, 1, 1}, eight[3] = {8, 1, 1};

static sl_module *load(sl_context *context, const char *text)
{
    sl_module *module;

    ck_assert_msg(sl_module_load(context, SL_FORMAT_PTX, "t.ptx", text, strlen(text), &module) ==
                      SL_OK, "%s", sl_context_error(context));
    return module;
}

static sl_context *context_new(void)
{
    sl_context *context;

    ck_assert_int_eq(sl_context_create(NULL, &context), SL_OK);
    return context;
}

/* --- NULL where there must be data -------------------------------------------------------- */

START_TEST(null_data)
{
    sl_context *context = context_new();
    sl_module *module = load(context, saxpy), *none;
    sl_kernel *kernel;
    sl_buffer *buffer;
    sl_report *report;

    ck_assert_int_eq(sl_module_find(module, NULL, &kernel), SL_OK);
    ck_assert_int_eq(sl_buffer_create(context, 64, NULL, &buffer), SL_OK);
    ck_assert_int_eq(sl_buffer_read(buffer, 0, NULL, 4), SL_INVALID);
    ck_assert_int_eq(sl_buffer_write(buffer, 0, NULL, 4), SL_INVALID);
    ck_assert_int_eq(sl_buffer_read(buffer, 64, NULL, 0), SL_OK);
    ck_assert_int_eq(sl_module_load(context, SL_FORMAT_PTX, NULL, saxpy, 4, &none), SL_INVALID);
    ck_assert_int_eq(sl_module_load(context, SL_FORMAT_PTX, "t.ptx", NULL, 4, &none), SL_INVALID);
    ck_assert_int_eq(sl_launch(kernel, NULL, one, 0, NULL, 0, &report), SL_INVALID);
    ck_assert_int_eq(sl_launch(kernel, one, NULL, 0, NULL, 0, &report), SL_INVALID);
    ck_assert_int_eq(sl_launch(kernel, one, one, 0, NULL, 4, &report), SL_INVALID);
    ck_assert_int_eq(sl_launch_shape(kernel, NULL, NULL, 0, &report), SL_INVALID);
    ck_assert_ptr_null(report);
    ck_assert_str_eq(sl_context_error(context), "a launch needs a shape, not NULL\n");
    sl_context_destroy(context);
}
END_TEST

/* --- the order of a first program -------------------------------------------------------- */

START_TEST(first_program)
{
    sl_context *context = context_new();
    sl_module *module = load(context, saxpy);
    float x[10], y[10], a = 2;
    uint32_t n = 10;
    sl_kernel *kernel;
    sl_buffer *bx, *by;
    sl_report *report;

    for (int i = 0; i < 10; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    ck_assert_uint_eq(sl_module_kernel_count(module), 1);
    ck_assert_int_eq(sl_module_find(module, "saxpy", &kernel), SL_OK);
    ck_assert_ptr_eq(kernel, sl_module_kernel(module, 0));
    ck_assert_str_eq(sl_kernel_name(kernel), "saxpy");
    ck_assert_str_eq(sl_kernel_demangled(kernel), "saxpy");
    ck_assert_uint_eq(sl_kernel_parameter_count(kernel), 4);
    ck_assert_str_eq(sl_kernel_parameter_name(kernel, 0), "y");
    ck_assert_str_eq(sl_kernel_parameter_type(kernel, 2), "f32");
    ck_assert_uint_eq(sl_kernel_parameter_size(kernel, 0), 8);
    ck_assert_ptr_null(sl_kernel_parameter_name(kernel, 4));
    ck_assert_uint_eq(sl_kernel_static_shared(kernel), 0);
    ck_assert_str_eq(sl_module_warnings(module), "");
    ck_assert_int_eq(sl_buffer_create(context, sizeof x, x, &bx), SL_OK);
    ck_assert_int_eq(sl_buffer_create(context, sizeof y, y, &by), SL_OK);
    uint64_t ax = sl_buffer_address(bx), ay = sl_buffer_address(by);
    const void *arguments[] = {&ay, &ax, &a, &n};
    ck_assert_int_eq(sl_launch(kernel, four, four, 0, arguments, 4, &report), SL_OK);
    ck_assert_uint_eq(sl_report_problems(report), 0);
    ck_assert_uint_eq(sl_report_finding_count(report), 0);
    ck_assert(sl_report_completed(report));
    ck_assert(sl_report_warp_instructions(report) > 0);
    ck_assert(sl_report_thread_instructions(report) >= sl_report_warp_instructions(report));
    ck_assert_ptr_nonnull(strstr(sl_report_text(report), "no findings"));
    ck_assert_ptr_nonnull(strstr(sl_report_json(report), "\"verdict\": \"clean\""));
    sl_report_destroy(report);
    ck_assert_int_eq(sl_buffer_read(by, 0, y, sizeof y), SL_OK);
    for (int i = 0; i < 10; i++)
        ck_assert(y[i] == 2 * (float)i + 1);
    sl_context_destroy(context);
}
END_TEST

START_TEST(variables_of_a_module)
{
    static const char text[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                               ".const .align 4 .u32 _ZN2ns5tableE[2];\n"
                               ".global .align 4 .u32 sum = 5;\n"
                               ".visible .entry k() { .reg .b32 %a, %b;\n"
                               "ld.const.u32 %a, [_ZN2ns5tableE+4]; ld.global.u32 %b, [sum];\n"
                               "add.u32 %a, %a, %b; st.global.u32 [sum], %a; ret; }\n";
    const uint32_t one[3] = {1, 1, 1}, table[2] = {7, 30};
    sl_context *context;
    sl_module *module;
    sl_kernel *kernel;
    sl_buffer *buffer, *again;
    sl_report *report;
    uint32_t sum = 0;

    ck_assert_int_eq(sl_context_create(NULL, &context), SL_OK);
    ck_assert_int_eq(sl_module_load(context, SL_FORMAT_PTX, "k.ptx", text, sizeof text - 1, &module),
                     SL_OK);
    ck_assert_int_eq(sl_module_find(module, "k", &kernel), SL_OK);
    ck_assert_int_eq(sl_module_variable(module, "ns::table", &buffer), SL_OK);
    ck_assert_uint_eq(sl_buffer_size(buffer), sizeof table);
    ck_assert_int_eq(sl_buffer_write(buffer, 0, table, sizeof table), SL_OK);
    ck_assert_int_eq(sl_buffer_write(buffer, 4, table, sizeof table), SL_INVALID);
    ck_assert_int_eq(sl_module_variable(module, "_ZN2ns5tableE", &again), SL_OK);
    ck_assert_ptr_eq(again, buffer);
    ck_assert_int_eq(sl_module_variable(module, "table", &again), SL_NOT_FOUND);
    ck_assert_int_eq(sl_launch(kernel, one, one, 0, NULL, 0, &report), SL_OK);
    sl_report_destroy(report);
    ck_assert_int_eq(sl_module_variable(module, "sum", &buffer), SL_OK);
    ck_assert_int_eq(sl_buffer_read(buffer, 0, &sum, sizeof sum), SL_OK);
    ck_assert_uint_eq(sum, 35);
    sl_buffer_destroy(buffer); /* the variable stays */
    ck_assert_int_eq(sl_launch(kernel, one, one, 0, NULL, 0, &report), SL_OK);
    sl_report_destroy(report);
    ck_assert_int_eq(sl_module_variable(module, "sum", &buffer), SL_OK);
    ck_assert_int_eq(sl_buffer_read(buffer, 0, &sum, sizeof sum), SL_OK);
    ck_assert_uint_eq(sum, 65);
    sl_module_destroy(module);
    sl_context_destroy(context);
}
END_TEST

START_TEST(findings_are_data)
{
    sl_context *context = context_new();
    sl_module *module = load(context, saxpy);
    sl_kernel *kernel = sl_module_kernel(module, 0);
    float x[8] = {0}, a = 1;
    uint32_t n = 8;
    sl_buffer *bx, *by;
    sl_report *report;

    ck_assert_int_eq(sl_buffer_create(context, sizeof x, x, &bx), SL_OK);
    ck_assert_int_eq(sl_buffer_create(context, 20, NULL, &by), SL_OK);
    sl_buffer_set_name(by, "the result");
    uint64_t ax = sl_buffer_address(bx), ay = sl_buffer_address(by);
    const void *arguments[] = {&ay, &ax, &a, &n};
    ck_assert_int_eq(sl_launch(kernel, one, eight, 0, arguments, 4, &report), SL_OK);
    /* The report stands alone. */
    sl_context_destroy(context);
    ck_assert_uint_eq(sl_report_problems(report), 2);
    ck_assert_uint_eq(sl_report_finding_count(report), 2);
    ck_assert_str_eq(sl_report_finding_text(report, 1, SL_FINDING_CATEGORY), "memory");
    ck_assert_str_eq(sl_report_finding_text(report, 1, SL_FINDING_KIND), "out-of-bounds");
    ck_assert_str_eq(sl_report_finding_text(report, 1, SL_FINDING_SEVERITY), "error");
    ck_assert_str_eq(sl_report_finding_text(report, 1, SL_FINDING_SPACE), "global");
    ck_assert_ptr_nonnull(
        strstr(sl_report_finding_text(report, 1, SL_FINDING_ALLOCATION), "the result, 20 bytes"));
    ck_assert_ptr_nonnull(
        strstr(sl_report_finding_text(report, 1, SL_FINDING_MESSAGE), "the result"));
    ck_assert_uint_eq(sl_report_finding_number(report, 1, SL_FINDING_COUNT), 3);
    ck_assert_uint_eq(sl_report_finding_number(report, 1, SL_FINDING_HAS_ADDRESS), 1);
    ck_assert_uint_eq(sl_report_finding_number(report, 1, SL_FINDING_ADDRESS), ay + 20);
    ck_assert_uint_eq(sl_report_finding_number(report, 1, SL_FINDING_SIZE), 4);
    ck_assert_uint_eq(sl_report_finding_number(report, 1, SL_FINDING_PLACES), 1);
    ck_assert_str_eq(sl_report_place_text(report, 1, 0, SL_PLACE_ACCESS), "write");
    ck_assert_str_eq(sl_report_place_text(report, 1, 0, SL_PLACE_FILE), "");
    ck_assert_str_eq(sl_report_place_text(report, 1, 0, SL_PLACE_INSTRUCTION),
                     "st.global.f32 [%rd4], %f4");
    ck_assert_uint_eq(sl_report_place_number(report, 1, 0, SL_PLACE_LINE), 0);
    ck_assert_uint_eq(sl_report_place_number(report, 1, 0, SL_PLACE_PTX_LINE), 17);
    ck_assert_uint_eq(sl_report_place_number(report, 1, 0, SL_PLACE_BLOCK_X), 0);
    ck_assert_uint_eq(sl_report_place_number(report, 1, 0, SL_PLACE_THREAD_X), 5);
    ck_assert_str_eq(sl_report_finding_text(report, 2, SL_FINDING_MESSAGE), "");
    ck_assert_uint_eq(sl_report_place_number(report, 1, 1, SL_PLACE_PTX_LINE), 0);
    ck_assert_ptr_nonnull(strstr(sl_report_json(report), "\"verdict\": \"findings\""));
    sl_report_destroy(report);
}
END_TEST

/* --- failures ------------------------------------------------------------------------------- */

START_TEST(refusals)
{
    sl_context *context;
    sl_module *module = NULL;
    sl_kernel *kernel;
    sl_report *report;
    sl_buffer *buffer;
    uint64_t zero = 0;

    ck_assert_int_eq(sl_context_create("sm_1", &context), SL_NOT_FOUND);
    ck_assert_ptr_null(context);
    ck_assert_int_eq(sl_context_create("sm_80", &context), SL_OK);
    ck_assert_str_eq(sl_context_error(context), "");
    ck_assert_int_eq(sl_module_load(context, SL_FORMAT_PTX, "bad.ptx", "frob", 4, &module),
                     SL_MALFORMED);
    ck_assert_ptr_null(module);
    ck_assert_ptr_nonnull(strstr(sl_context_error(context), "bad.ptx:1:1: error:"));
    static const char newer[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
    ck_assert_int_eq(sl_module_load(context, SL_FORMAT_PTX, "n.ptx", newer, sizeof newer - 1,
                                    &module), SL_UNSUPPORTED);
    module = load(context, saxpy);
    ck_assert_int_eq(sl_module_find(module, "nosuch", &kernel), SL_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(sl_context_error(context), "saxpy"));
    kernel = sl_module_kernel(module, 0);
    const void *arguments[] = {&zero, &zero, &zero, NULL};
    ck_assert_int_eq(sl_launch(kernel, one, one, 0, arguments, 3, &report), SL_INVALID);
    ck_assert_int_eq(sl_launch(kernel, one, one, 0, arguments, 4, &report), SL_INVALID);
    arguments[3] = &zero;
    static const uint32_t wide[3] = {1025, 1, 1}, none[3] = {0, 1, 1};
    ck_assert_int_eq(sl_launch(kernel, one, wide, 0, arguments, 4, &report), SL_INVALID);
    ck_assert_int_eq(sl_launch(kernel, none, one, 0, arguments, 4, &report), SL_INVALID);
    ck_assert_int_eq(sl_launch(kernel, one, one, 1u << 30, arguments, 4, &report), SL_INVALID);
    ck_assert_ptr_null(report);
    ck_assert_int_eq(sl_buffer_create(context, 0, NULL, &buffer), SL_INVALID);
    ck_assert_int_eq(sl_buffer_create(context, UINT64_MAX, NULL, &buffer), SL_OUT_OF_MEMORY);
    ck_assert_int_eq(sl_buffer_create(context, 8, NULL, &buffer), SL_OK);
    ck_assert_int_eq(sl_buffer_read(buffer, 4, &zero, 5), SL_INVALID);
    ck_assert_int_eq(sl_buffer_write(buffer, 9, &zero, 0), SL_INVALID);
    ck_assert_int_eq(sl_buffer_write(buffer, 0, &zero, 8), SL_OK);
    ck_assert_uint_eq(sl_buffer_size(buffer), 8);
    ck_assert_int_eq(sl_context_set(context, SL_OPTION_CHECKS, 1u << 20), SL_UNSUPPORTED);
    ck_assert_int_eq(sl_context_set(context, SL_OPTION_THREADS, 0), SL_INVALID);
    ck_assert_int_eq(sl_context_set(context, SL_OPTION_STACK_SIZE, 1 << 30), SL_INVALID);
    ck_assert_int_eq(sl_bind_function(module, "nosuch", NULL, NULL), SL_NOT_FOUND);
    ck_assert_int_eq(sl_bind_library(module, "/nonexistent.so", NULL), SL_NOT_FOUND);
    ck_assert(sl_available_checks() & SL_CHECK_MEMORY);
    sl_buffer_destroy(buffer);
    sl_buffer_destroy(NULL);
    sl_module_destroy(module);
    sl_module_destroy(NULL);
    sl_report_destroy(NULL);
    sl_context_destroy(context);
    sl_context_destroy(NULL);
}
END_TEST

START_TEST(freed_buffers_are_found)
{
    sl_context *context = context_new();
    sl_kernel *kernel = sl_module_kernel(load(context, saxpy), 0);
    float one_float = 1;
    uint32_t n = 1;
    sl_buffer *b;
    sl_report *report;

    ck_assert_int_eq(sl_buffer_create(context, 4, &one_float, &b), SL_OK);
    uint64_t address = sl_buffer_address(b);
    sl_buffer_destroy(b);
    const void *arguments[] = {&address, &address, &one_float, &n};
    ck_assert_int_eq(sl_launch(kernel, one, one, 0, arguments, 4, &report), SL_OK);
    ck_assert(sl_report_problems(report) > 0);
    ck_assert_ptr_nonnull(strstr(sl_report_text(report), "freed"));
    sl_report_destroy(report);
    sl_context_destroy(context);
}
END_TEST

/* --- devices --------------------------------------------------------------------------------- */

START_TEST(devices)
{
    size_t found = 0;

    for (size_t i = 0; i < sl_device_count(); i++)
        if (!strcmp(sl_device_name(i), "sm_90")) {
            found++;
            ck_assert_str_eq(sl_device_product(i), "H200");
            ck_assert_uint_eq(sl_device_attribute(i, SL_ATTRIBUTE_NUMBER), 90);
            ck_assert_uint_eq(sl_device_attribute(i, SL_ATTRIBUTE_WARP_SIZE), 32);
            ck_assert_uint_eq(sl_device_attribute(i, SL_ATTRIBUTE_MULTIPROCESSORS), 132);
            ck_assert_uint_eq(sl_device_attribute(i, SL_ATTRIBUTE_SHARED_PER_BLOCK), 227 * 1024);
            ck_assert_uint_eq(sl_device_attribute(i, SL_ATTRIBUTE_L2_CACHE), 62914560);
            ck_assert_str_eq(sl_device_attribute_source(i, SL_ATTRIBUTE_L2_CACHE), "measured");
            ck_assert_str_eq(sl_device_attribute_source(i, SL_ATTRIBUTE_MAX_CLUSTER),
                             "documented");
        }
    ck_assert_uint_eq(found, 1);
    ck_assert_ptr_null(sl_device_name(sl_device_count()));
    ck_assert_ptr_null(sl_device_product(sl_device_count()));
    ck_assert_uint_eq(sl_device_attribute(sl_device_count(), SL_ATTRIBUTE_NUMBER), 0);
    ck_assert_str_eq(sl_version(), "0.1.0");
}
END_TEST

/* --- one call ------------------------------------------------------------------------------------ */

START_TEST(one_call)
{
    float x[4] = {1, 2, 3, 4}, y[4] = {10, 20, 30, 40}, a = 0.5f;
    uint32_t n = 4;
    char error[200];
    sl_report *report;
    sl_argument arguments[] = {{y, sizeof y, SL_INOUT},
                               {x, sizeof x, SL_IN},
                               {&a, sizeof a, SL_VALUE},
                               {&n, sizeof n, SL_VALUE}};

    ck_assert_int_eq(sl_run_ptx(saxpy, sizeof saxpy - 1, NULL, one, four, 0, arguments, 4,
                                &report, error, sizeof error), SL_OK);
    ck_assert_uint_eq(sl_report_problems(report), 0);
    sl_report_destroy(report);
    ck_assert(y[0] == 10.5f && y[1] == 21 && y[2] == 31.5f && y[3] == 42);
    ck_assert(x[0] == 1);

    arguments[2].size = 8;
    ck_assert_int_eq(sl_run_ptx(saxpy, sizeof saxpy - 1, "saxpy", one, four, 0, arguments, 4,
                                &report, error, sizeof error), SL_INVALID);
    ck_assert_str_eq(error, "argument 2 of saxpy has 4 bytes, 8 given\n");
    ck_assert_ptr_null(report);
    arguments[2].size = 4;
    ck_assert_int_eq(sl_run_ptx(saxpy, sizeof saxpy - 1, "saxpy", one, four, 0, arguments, 3,
                                &report, NULL, 0), SL_INVALID);
    ck_assert_int_eq(sl_run_ptx("nonsense", 8, NULL, one, one, 0, NULL, 0, &report, error, 8),
                     SL_MALFORMED);
    ck_assert_uint_eq(strlen(error), 7);
    /* A null pointer, and results although there are findings. */
    arguments[1] = (sl_argument){NULL, 0, SL_IN};
    ck_assert_int_eq(sl_run_ptx(saxpy, sizeof saxpy - 1, "saxpy", one, four, 0, arguments, 4,
                                &report, error, sizeof error), SL_OK);
    ck_assert_uint_eq(sl_report_problems(report), 1);
    ck_assert_str_eq(sl_report_finding_text(report, 0, SL_FINDING_KIND), "null");
    sl_report_destroy(report);
}
END_TEST

/* --- host functions --------------------------------------------------------------------------------- */

static const char calls[] = HEADER
    ".extern .func (.param .b64 r) host_mix(.param .b32 a, .param .b32 b, .param .b64 c,\n"
    "    .param .b64 d);\n"
    ".extern .func (.param .b32 r) _Z9host_castfj(.param .b32 a, .param .b32 b);\n"
    ".visible .entry k(.param .u64 out)\n"
    "{\n"
    "    .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
    "    ld.param.u64 %rd1, [out];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    mul.wide.u32 %rd2, %r1, 16; add.s64 %rd1, %rd1, %rd2;\n"
    "    cvt.u64.u32 %rd3, %r1;\n"
    "    {\n"
    "    .param .b32 p0; .param .b32 p1; .param .b64 p2; .param .b64 p3; .param .b64 r0;\n"
    "    st.param.b32 [p0], %r1; st.param.b32 [p1], 0x3f000000;\n"         /* 0.5 */
    "    st.param.b64 [p2], 0x3fd0000000000000; st.param.b64 [p3], %rd3;\n" /* 0.25 */
    "    call.uni (r0), host_mix, (p0, p1, p2, p3);\n"
    "    ld.param.b64 %rd4, [r0];\n"
    "    }\n"
    "    st.global.b64 [%rd1], %rd4;\n"
    "    {\n"
    "    .param .b32 p0; .param .b32 p1; .param .b32 r0;\n"
    "    st.param.b32 [p0], 0x40200000; st.param.b32 [p1], %r1;\n"          /* 2.5 */
    "    call.uni (r0), _Z9host_castfj, (p0, p1);\n"
    "    ld.param.b32 %r2, [r0];\n"
    "    }\n"
    "    st.global.b32 [%rd1+8], %r2;\n"
    "    ret;\n"
    "}\n";

struct pair {
    double mix;
    uint32_t cast, pad;
};

static void run_calls(sl_context *context, sl_module *module, struct pair *pairs)
{
    static const uint32_t forty[3] = {40, 1, 1};
    sl_buffer *buffer;
    sl_report *report;

    ck_assert_int_eq(sl_buffer_create(context, 40 * sizeof *pairs, NULL, &buffer), SL_OK);
    uint64_t address = sl_buffer_address(buffer);
    const void *arguments[] = {&address};
    ck_assert_msg(sl_launch(sl_module_kernel(module, 0), one, forty, 0, arguments, 1, &report) ==
                      SL_OK, "%s", sl_context_error(context));
    ck_assert_msg(sl_report_problems(report) == 0, "%s", sl_report_text(report));
    sl_report_destroy(report);
    ck_assert_int_eq(sl_buffer_read(buffer, 0, pairs, 40 * sizeof *pairs), SL_OK);
}

START_TEST(library_functions)
{
    sl_context *context = context_new();
    sl_module *module = load(context, calls);
    struct pair pairs[40];
    size_t bound;
    const char *path = getenv("SIMTLAB_HOST_FUNCTIONS");

    ck_assert_ptr_nonnull(path);
    ck_assert_msg(sl_bind_library(module, path, &bound) == SL_OK, "%s",
                  sl_context_error(context));
    ck_assert_uint_eq(bound, 2);
    run_calls(context, module, pairs);
    for (int i = 0; i < 40; i++) {
        ck_assert(pairs[i].mix == i + 10 * 0.5 + 100 * 0.25 + 1000.0 * i);
        ck_assert_uint_eq(pairs[i].cast, 5 + (uint32_t)i);
    }
    sl_context_destroy(context);
}
END_TEST

/* self counts the calls. */
static void count_mix(void *self, const unsigned char *arguments, unsigned char *results)
{
    int32_t a;
    double value;

    ++*(int *)self;
    memcpy(&a, arguments, 4);
    value = -a;
    memcpy(results, &value, 8);
}

static void give_seven(void *self, const unsigned char *arguments, unsigned char *results)
{
    uint32_t b;

    memcpy(&b, arguments + 4, 4);
    b += 7;
    memcpy(results, &b, 4);
}

START_TEST(bound_functions)
{
    sl_context *context = context_new();
    sl_module *module = load(context, calls);
    struct pair pairs[40];
    int count = 0;

    ck_assert_int_eq(sl_bind_function(module, "host_mix", count_mix, &count), SL_OK);
    ck_assert_int_eq(sl_bind_function(module, "_Z9host_castfj", give_seven, NULL), SL_OK);
    run_calls(context, module, pairs);
    ck_assert_int_eq(count, 40);
    for (int i = 0; i < 40; i++) {
        ck_assert(pairs[i].mix == -i);
        ck_assert_uint_eq(pairs[i].cast, 7 + (uint32_t)i);
    }
    sl_context_destroy(context);
}
END_TEST

/* Without a body the kernel is refused, by the function's name. */
START_TEST(unbound_functions)
{
    sl_context *context = context_new();
    sl_module *module = load(context, calls);
    uint64_t address = 0;
    const void *arguments[] = {&address};
    sl_report *report;

    ck_assert_int_ne(sl_launch(sl_module_kernel(module, 0), one, one, 0, arguments, 1, &report),
                     SL_OK);
    ck_assert_ptr_nonnull(strstr(sl_context_error(context), "host_mix"));
    sl_context_destroy(context);
}
END_TEST

/* --- printing ---------------------------------------------------------------------------------------- */

static void keep(void *self, const char *data, size_t size)
{
    char *text = self;

    strncat(text, data, size < 100 ? size : 100);
}

START_TEST(kernel_prints)
{
    static const char text[] = HEADER
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 format[4] = {104, 105, 10, 0};\n"
        ".visible .entry k()\n"
        "{\n"
        "    .reg .b64 %rd<3>; .reg .b32 %r<2>;\n"
        "    mov.u64 %rd1, format; cvta.global.u64 %rd2, %rd1;\n"
        "    {\n"
        "    .param .b64 p0; .param .b64 p1; .param .b32 r0;\n"
        "    st.param.b64 [p0], %rd2; st.param.b64 [p1], 0;\n"
        "    call.uni (r0), vprintf, (p0, p1);\n"
        "    }\n"
        "    ret;\n"
        "}\n";
    sl_context *context = context_new();
    sl_module *module = load(context, text);
    char printed[300] = "";
    sl_report *report;
    static const uint32_t two[3] = {2, 1, 1};

    sl_context_set_print(context, keep, printed);
    ck_assert_msg(sl_launch(sl_module_kernel(module, 0), one, two, 0, NULL, 0, &report) == SL_OK,
                  "%s", sl_context_error(context));
    ck_assert_str_eq(printed, "hi\nhi\n");
    sl_report_destroy(report);
    sl_context_destroy(context);
}
END_TEST

/* --- textures ------------------------------------------------------------------------------ */

START_TEST(textures)
{
    static const char text[] = HEADER
        ".global .texref named;\n"
        ".visible .entry k(.param .u64 t, .param .u64 s)\n"
        "{\n"
        "    .reg .b64 %t, %s; .reg .f32 %f<9>; .reg .b32 %x;\n"
        "    ld.param.u64 %t, [t]; ld.param.u64 %s, [s];\n"
        "    mov.f32 %f0, 0f3fc00000;\n" /* 1.5: the middle of texel 1 */
        "    tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%t, {%f0}];\n"
        "    tex.1d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [named, {%f0}];\n"
        "    add.f32 %f1, %f1, %f5;\n"
        "    mov.u32 %x, 4;\n"
        "    sust.b.1d.b32.trap [%s, {%x}], {%f1};\n"
        "    ret;\n"
        "}\n";
    static const float texels[] = {1, 2, 3, 4};
    sl_context *context = context_new();
    sl_module *module = load(context, text);
    sl_texture *read, *named, *surface, *none;
    sl_report *report;
    float out[2] = {0};

    ck_assert_int_eq(sl_texture_create(context, "tex1d:f64[4]", NULL, &none), SL_INVALID);
    ck_assert_int_eq(sl_texture_create(context, "f32[4]", NULL, &none), SL_INVALID);
    ck_assert_int_eq(sl_texture_create(context, "tex1d:f32[4],linear", texels, &read), SL_OK);
    ck_assert_int_eq(sl_texture_create(context, "tex1d:f32[4]=5", NULL, &named), SL_OK);
    ck_assert_int_eq(sl_texture_create(context, "surf1d:f32[2]=0", NULL, &surface), SL_OK);
    ck_assert_uint_eq(sl_buffer_size(sl_texture_buffer(read)), sizeof texels);
    ck_assert_uint_ne(sl_texture_handle(read), sl_texture_handle(surface));
    ck_assert_int_eq(sl_texture_bind(module, "other", named), SL_NOT_FOUND);

    uint64_t handles[2] = {sl_texture_handle(read), sl_texture_handle(surface)};
    const void *arguments[] = {&handles[0], &handles[1]};
    sl_kernel *kernel = sl_module_kernel(module, 0);
    ck_assert_int_eq(sl_texture_bind(module, "named", named), SL_OK);
    ck_assert_msg(sl_launch(kernel, one, one, 0, arguments, 2, &report) == SL_OK, "%s",
                  sl_context_error(context));
    ck_assert_uint_eq(sl_report_finding_count(report), 0);
    sl_report_destroy(report);
    ck_assert_int_eq(sl_buffer_read(sl_texture_buffer(surface), 0, out, sizeof out), SL_OK);
    ck_assert(out[0] == 0 && out[1] == 2 + 5);

    /* A handle of nothing. */
    sl_texture_destroy(read);
    ck_assert_msg(sl_launch(kernel, one, one, 0, arguments, 2, &report) == SL_OK, "%s",
                  sl_context_error(context));
    ck_assert_uint_eq(sl_report_finding_count(report), 1);
    sl_report_destroy(report);
    sl_context_destroy(context);
}
END_TEST

SUITE("api", {
    TEST(first_program);
    TEST(null_data);
    TEST(variables_of_a_module);
    TEST(findings_are_data);
    TEST(refusals);
    TEST(freed_buffers_are_found);
    TEST(devices);
    TEST(one_call);
    TEST(library_functions);
    TEST(bound_functions);
    TEST(unbound_functions);
    TEST(kernel_prints);
    TEST(textures);
})
