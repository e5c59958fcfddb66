# Linked into libir.la: whoever has the operation table has its meaning.
noinst_LTLIBRARIES += libnumeric.la
libnumeric_la_SOURCES = \
	numeric/approx.h numeric/mufu.h numeric/mufu_tables.h \
	numeric/bits.h numeric/mode.h \
	numeric/convert.c numeric/convert.h \
	numeric/float.c numeric/float.h \
	numeric/half.h \
	numeric/integer.h \
	numeric/order.h \
	numeric/soft.c numeric/soft.h \
	numeric/tensor.c numeric/tensor.h numeric/tensor_block.h \
	numeric/video.c numeric/video.h

EXTRA_DIST += numeric/tables/make-mufu numeric/tables/mufu.txt numeric/tables/mufu_tanh.txt \
	tests/data/golden.idx tests/data/golden.bin.zst
if HAVE_CHECK
check_PROGRAMS += tests/check_numeric_paths
tests_check_numeric_paths_SOURCES = tests/check_numeric_paths.c
tests_check_numeric_paths_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_numeric_paths_LDADD = libnumeric.la $(CHECK_LIBS)
TESTS += tests/check_numeric_paths
if HAVE_ZSTD
check_PROGRAMS += tests/check_numeric
tests_check_numeric_SOURCES = tests/check_numeric.c tests/vectors.c tests/vectors.h \
	tests/vectors_file.c \
	tests/suite.h
tests_check_numeric_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(ZSTD_CFLAGS)
tests_check_numeric_LDADD = libir.la libbase.la $(CHECK_LIBS) $(ZSTD_LIBS)
TESTS += tests/check_numeric
endif
endif
