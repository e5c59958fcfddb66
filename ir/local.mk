noinst_LTLIBRARIES += libir.la
libir_la_SOURCES = \
	ir/build.c ir/ir.h \
	ir/cfg.c \
	ir/liveness.c ir/liveness.h \
	ir/meaning.h \
	ir/ops.c ir/ops.h ir/ops.def ir/ops_only.h ir/rows.h \
	ir/slots.c \
	ir/types.c ir/types.h ir/types.def
libir_la_LIBADD = libnumeric.la
SIMTLAB_PARTS += libir.la

if HAVE_CHECK
check_PROGRAMS += tests/check_ir_cfg
tests_check_ir_cfg_SOURCES = tests/check_ir_cfg.c
tests_check_ir_cfg_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_cfg_LDADD = libir.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_ir_cfg
endif
