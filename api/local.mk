# libsimtlab: everything below, seen through <simtlab/simtlab.h>.
AM_CPPFLAGS += -I$(top_srcdir)/include
simtlabincludedir = $(includedir)/simtlab
simtlabinclude_HEADERS = include/simtlab/simtlab.h

noinst_LTLIBRARIES += libapi.la
libapi_la_SOURCES = \
	api/argument_shape.c api/argument_shape.h \
	api/argument_parts.h api/argument_struct.c api/argument_variable.c \
	api/arguments.c api/arguments.h \
	api/bind.c \
	api/buffer.c \
	api/capture.c api/capture.h \
	api/checkers.c api/checkers.h \
	api/context.c \
	api/cuda.c api/cuda.h api/cuda_parts.h api/cuda_stream.c api/cuda_texture.c \
	api/demangle.c api/demangle.h api/demangle_expression.c \
	api/demangle_name.c api/demangle_parts.h api/demangle_type.c \
	api/gpu.c api/gpu.h \
	api/tensor_cores.c api/tensor_cores.h \
	api/launch.c \
	api/litmus_gpu.c api/litmus_gpu.h \
	api/module.c \
	api/npy.c api/npy.h \
	api/objects.h \
	api/report.c api/report.h \
	api/report_json.c api/report_json.h api/report_junit.c api/report_sarif.c \
	api/report_text.c api/report_union.c \
	api/second_look.c api/second_look.h \
	api/shadow.c api/shadow.h \
	api/stream.c api/stream.h \
	api/suppress.c api/suppress.h \
	api/texture.c \
	api/usage.c \
	api/variable.c \
	api/writer.c api/writer.h
libapi_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(LIBFFI_CFLAGS)
SIMTLAB_PARTS += libapi.la

# All parts in one archive, so that their order does not matter to the linker.
noinst_LTLIBRARIES += libparts.la
libparts_la_SOURCES =
libparts_la_LIBADD = $(SIMTLAB_PARTS) $(JANSSON_LIBS) $(LIBFFI_LIBS) $(ZSTD_LIBS)

lib_LTLIBRARIES += libsimtlab.la
libsimtlab_la_SOURCES =
libsimtlab_la_LIBADD = libparts.la
libsimtlab_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-export-symbols-regex '^sl_'

if HAVE_CHECK
check_PROGRAMS += tests/check_npy
tests_check_npy_SOURCES = tests/check_npy.c
tests_check_npy_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_npy_LDADD = libapi.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_npy

check_PROGRAMS += tests/check_demangle
tests_check_demangle_SOURCES = tests/check_demangle.c
tests_check_demangle_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_demangle_LDADD = libapi.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_demangle

check_PROGRAMS += tests/check_report
tests_check_report_SOURCES = tests/check_report.c
tests_check_report_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_report_LDADD = libparts.la $(CHECK_LIBS)
TESTS += tests/check_report

check_PROGRAMS += tests/check_api
tests_check_api_SOURCES = tests/check_api.c
tests_check_api_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_api_LDADD = libsimtlab.la $(CHECK_LIBS)
TESTS += tests/check_api

check_PROGRAMS += tests/check_executors
tests_check_executors_SOURCES = tests/check_executors.c
tests_check_executors_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) \
	-DFAKE_CUDA='"$(abs_top_builddir)/tests/.libs/fake_cuda.so"'
tests_check_executors_LDADD = libsimtlab.la $(CHECK_LIBS)
EXTRA_tests_check_executors_DEPENDENCIES = tests/fake_cuda.la
TESTS += tests/check_executors
if HAVE_LIBFFI
check_LTLIBRARIES += tests/host_functions.la
tests_host_functions_la_SOURCES = tests/host_functions.c
tests_host_functions_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -rpath /nowhere
endif
endif

# The public header stands alone, in C11 and in C++.
dist_check_SCRIPTS += tests/check_header
TESTS += tests/check_header
