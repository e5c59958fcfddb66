noinst_LTLIBRARIES += libir.la
libir_la_SOURCES = \
	ir/build.c ir/ir.h \
	ir/cfg.c ir/cfg_dot.c \
	ir/liveness.c ir/liveness.h \
	ir/meaning.h \
	ir/ops.c ir/ops.h ir/ops.def ir/ops_only.h ir/rows.h \
	ir/parse.c ir/parse_function.c ir/parse_inst.c ir/parser.h \
	ir/print.c ir/print_inst.c ir/printer.h \
	ir/scan.c ir/scan.h \
	ir/slots.c \
	ir/types.c ir/types.h ir/types.def \
	ir/verifier.h ir/verify.c ir/verify_inst.c ir/verify_operand.c \
	ir/words.c ir/words.h
libir_la_LIBADD = libnumeric.la
SIMTLAB_PARTS += libir.la

if HAVE_CHECK
check_PROGRAMS += tests/check_ir_cfg tests/check_ir_text tests/check_ir_verify
tests_check_ir_cfg_SOURCES = tests/check_ir_cfg.c
tests_check_ir_cfg_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_cfg_LDADD = libir.la libbase.la $(CHECK_LIBS)
tests_check_ir_text_SOURCES = tests/check_ir_text.c
tests_check_ir_text_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_text_LDADD = libir.la libbase.la $(CHECK_LIBS)
tests_check_ir_verify_SOURCES = tests/check_ir_verify.c
tests_check_ir_verify_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_verify_LDADD = libir.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_ir_cfg tests/check_ir_text tests/check_ir_verify
endif
