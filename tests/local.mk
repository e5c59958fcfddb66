# Shared test support. Each folder's local.mk declares its own test programs:
#     if HAVE_CHECK
#     check_PROGRAMS += tests/check_NAME
#     tests_check_NAME_SOURCES = tests/check_NAME.c
#     tests_check_NAME_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
#     tests_check_NAME_LDADD = libPART.la libbase.la $(CHECK_LIBS)
#     TESTS += tests/check_NAME
#     endif
TESTS += build-aux/check-includes

if HAVE_CHECK
check_PROGRAMS += tests/check_base
tests_check_base_SOURCES = tests/check_base.c tests/suite.h
tests_check_base_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_base_LDADD = libbase.la $(CHECK_LIBS)
TESTS += tests/check_base

check_PROGRAMS += tests/check_argument
tests_check_argument_SOURCES = tests/check_argument.c tests/suite.h
tests_check_argument_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_argument_LDADD = libbase.la $(CHECK_LIBS)
TESTS += tests/check_argument

check_PROGRAMS += tests/check_golden
tests_check_golden_SOURCES = tests/check_golden.c tests/golden.h \
	tests/golden_files.c tests/golden_read.c tests/golden_run.c tests/suite.h
tests_check_golden_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_golden_LDADD = libsimtlab.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_golden

if HAVE_ZSTD
check_PROGRAMS += tests/check_numeric_ptx
tests_check_numeric_ptx_SOURCES = tests/check_numeric_ptx.c tests/vectors.c tests/vectors.h \
	tests/vectors_file.c \
	tests/suite.h
tests_check_numeric_ptx_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(ZSTD_CFLAGS)
tests_check_numeric_ptx_LDADD = libsimtlab.la libbase.la $(CHECK_LIBS) $(ZSTD_LIBS)
TESTS += tests/check_numeric_ptx
endif
endif

dist_check_SCRIPTS += tests/check_accuracy
TESTS += tests/check_accuracy

dist_check_SCRIPTS += tests/check_random
TESTS += tests/check_random
EXTRA_DIST += tests/random

EXTRA_DIST += tests/golden tests/accuracy docs/coverage.md docs/accuracy.md

dist_check_SCRIPTS += tests/check_robust
TESTS += tests/check_robust

# make fuzz-readers: job files, recordings, lists, arguments, arrays, litmus tests and so
# on, FUZZ_SECONDS for each; make fuzz-engine: kernels that are changed word by word, run
# with all checkers, and with FUZZ_BUILD=1 in the environment written again and run too.
# Needs clang; findings are left as crash-* in fuzz-build.
EXTRA_DIST += tests/fuzz/fuzz_readers.c tests/fuzz/fuzz_engine.c tests/fuzz/mutate.c \
	tests/fuzz/mutate.h tests/fuzz/run
.PHONY: fuzz-readers fuzz-engine
fuzz-readers fuzz-engine:
	$(abs_top_srcdir)/tests/fuzz/run $@
