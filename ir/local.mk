noinst_LTLIBRARIES += libir.la
libir_la_SOURCES = \
	ir/build.c ir/ir.h \
	ir/cfg.c ir/cfg_dot.c \
	ir/fold.c ir/fold.h \
	ir/liveness.c ir/liveness.h \
	ir/matrix.c ir/matrix.h \
	ir/meaning.h \
	ir/ops.c ir/ops.h ir/ops.def ir/ops_only.h ir/rows.h \
	ir/ops_doc.c ir/ops_doc.h \
	ir/parse.c ir/parse_function.c ir/parse_inst.c ir/parser.h \
	ir/print.c ir/print_inst.c ir/printer.h \
	ir/scan.c ir/scan.h \
	ir/slots.c \
	ir/tensor.c ir/tensor.h \
	ir/texture.c ir/texture.h \
	ir/types.c ir/types.h ir/types.def \
	ir/verifier.h ir/verify.c ir/verify_inst.c ir/verify_operand.c \
	ir/words.c ir/words.h
libir_la_LIBADD = libnumeric.la
SIMTLAB_PARTS += libir.la

# The tables of docs/ir.md come from ops.def; a test compares.
noinst_PROGRAMS += ir/ops-table
ir_ops_table_SOURCES = ir/ops_table.c
ir_ops_table_LDADD = libir.la libbase.la
EXTRA_DIST += docs/ir.md docs/adding-an-op.md

.PHONY: docs-ir
docs-ir: ir/ops-table
	awk '/^<!-- operations: end -->/ { skip = 0 } \
	     !skip { print } \
	     /^<!-- operations: begin -->/ { system("ir/ops-table"); skip = 1 }' \
	    $(top_srcdir)/docs/ir.md > ir/ir.md.new
	mv ir/ir.md.new $(top_srcdir)/docs/ir.md

# make fuzz-kir: looks for input that breaks the reader of the text form;
# FUZZ_SECONDS to set how long. Needs clang; findings are left as crash-*.
EXTRA_DIST += tests/fuzz/fuzz_kir.c tests/fuzz/corpus-kir
fuzz_kir_sources = $(libbase_la_SOURCES) $(libir_la_SOURCES) $(libnumeric_la_SOURCES)
.PHONY: fuzz-kir
fuzz-kir:
	clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover $(DEFS) -I. -I$(top_srcdir) \
	    -o $@ $(top_srcdir)/tests/fuzz/fuzz_kir.c \
	    $(addprefix $(top_srcdir)/,$(filter %.c,$(fuzz_kir_sources))) -lm
	$(MKDIR_P) fuzz-kir-corpus
	./$@ -max_total_time=$${FUZZ_SECONDS-600} -max_len=20000 -timeout=10 \
	    fuzz-kir-corpus $(top_srcdir)/tests/fuzz/corpus-kir
CLEANFILES += fuzz-kir

if HAVE_CHECK
check_PROGRAMS += tests/check_ir_cfg tests/check_ir_golden tests/check_ir_ops \
	tests/check_ir_text tests/check_ir_verify
tests_check_ir_cfg_SOURCES = tests/check_ir_cfg.c
tests_check_ir_cfg_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_cfg_LDADD = libir.la libbase.la $(CHECK_LIBS)
tests_check_ir_golden_SOURCES = tests/check_ir_golden.c
tests_check_ir_golden_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_golden_LDADD = libfrontend.la libir.la libbase.la $(CHECK_LIBS)
tests_check_ir_ops_SOURCES = tests/check_ir_ops.c
tests_check_ir_ops_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_ops_LDADD = libir.la libbase.la $(CHECK_LIBS)
tests_check_ir_text_SOURCES = tests/check_ir_text.c
tests_check_ir_text_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_text_LDADD = libir.la libbase.la $(CHECK_LIBS)
tests_check_ir_verify_SOURCES = tests/check_ir_verify.c
tests_check_ir_verify_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ir_verify_LDADD = libir.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_ir_cfg tests/check_ir_golden tests/check_ir_ops tests/check_ir_text \
	tests/check_ir_verify
endif
