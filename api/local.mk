# libsimtlab: everything below, seen through <simtlab/simtlab.h>.
AM_CPPFLAGS += -I$(top_srcdir)/include
simtlabincludedir = $(includedir)/simtlab
simtlabinclude_HEADERS = include/simtlab/simtlab.h

noinst_LTLIBRARIES += libapi.la
libapi_la_SOURCES = \
	api/arguments.c api/arguments.h \
	api/bind.c \
	api/buffer.c \
	api/checkers.c api/checkers.h \
	api/context.c \
	api/demangle.c api/demangle.h \
	api/launch.c \
	api/module.c \
	api/npy.c api/npy.h \
	api/objects.h \
	api/report.c api/report.h \
	api/report_json.c api/report_text.c
libapi_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS) $(LIBFFI_CFLAGS)
SIMTLAB_PARTS += libapi.la

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
endif
