noinst_LTLIBRARIES += libfrontend.la
libfrontend_la_SOURCES = \
	frontend/ptx/contract.c \
	frontend/ptx/exchange.c \
	frontend/ptx/values.c frontend/ptx/values.h \
	frontend/ptx/decimal.c frontend/ptx/decimal.h \
	frontend/ptx/gate.c frontend/ptx/gate.def frontend/ptx/gate.h \
	frontend/ptx/insn.def frontend/ptx/opcodes.def \
	frontend/ptx/lex.c frontend/ptx/lex.h \
	frontend/ptx/lower.c frontend/ptx/lower.h frontend/ptx/lower_ops.h \
	frontend/ptx/lower_arith.c \
	frontend/ptx/lower_async.c \
	frontend/ptx/lower_barrier.c \
	frontend/ptx/lower_convert.c \
	frontend/ptx/lower_emit.c \
	frontend/ptx/lower_flow.c \
	frontend/ptx/lower_function.c \
	frontend/ptx/lower_match.c \
	frontend/ptx/lower_matrix.c frontend/ptx/lower_matrix.h \
	frontend/ptx/lower_memory.c \
	frontend/ptx/lower_operand.c \
	frontend/ptx/lower_scope.c \
	frontend/ptx/lower_statement.c \
	frontend/ptx/lower_texture.c \
	frontend/ptx/lower_type.c \
	frontend/ptx/lower_tensor.c frontend/ptx/lower_variable.c \
	frontend/ptx/lower_video.c \
	frontend/ptx/lower_warp.c \
	frontend/ptx/lower_bulk.c frontend/ptx/lower_wgmma.c frontend/ptx/lower_wmma.c \
	frontend/ptx/parse.c frontend/ptx/parse.h \
	frontend/ptx/parse_constant.c \
	frontend/ptx/parse_debug.c \
	frontend/ptx/parse_function.c \
	frontend/ptx/parse_operand.c \
	frontend/ptx/parse_statement.c \
	frontend/ptx/parse_variable.c \
	frontend/ptx/ptx.h \
	frontend/ptx/syntax.h \
	frontend/ptx/words.c frontend/ptx/words.def frontend/ptx/words.h
SIMTLAB_PARTS += libfrontend.la

if HAVE_CHECK
check_PROGRAMS += tests/check_ptx_syntax
tests_check_ptx_syntax_SOURCES = tests/check_ptx_syntax.c
tests_check_ptx_syntax_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ptx_syntax_LDADD = libfrontend.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_ptx_syntax

check_PROGRAMS += tests/check_ptx
tests_check_ptx_SOURCES = tests/check_ptx.c
tests_check_ptx_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ptx_LDADD = libfrontend.la libir.la libnumeric.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_ptx
endif

if HAVE_CHECK
check_PROGRAMS += tests/check_ptx_errors
tests_check_ptx_errors_SOURCES = tests/check_ptx_errors.c
tests_check_ptx_errors_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ptx_errors_LDADD = libfrontend.la libir.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_ptx_errors
endif

# make fuzz-ptx: looks for input that breaks the reader; FUZZ_SECONDS to set
# how long. Findings are left as crash-* in the build folder.
EXTRA_DIST += tests/fuzz/fuzz_ptx.c tests/fuzz/corpus-ptx tests/ptx-errors
fuzz_ptx_sources = $(libbase_la_SOURCES) $(libir_la_SOURCES) $(libnumeric_la_SOURCES) \
	$(libfrontend_la_SOURCES)
.PHONY: fuzz-ptx
fuzz-ptx:
	clang -g -O1 -std=gnu11 -fno-strict-aliasing -fsanitize=fuzzer,address,undefined \
	    $(DEFS) -I. -I$(top_srcdir) -o $@ $(top_srcdir)/tests/fuzz/fuzz_ptx.c \
	    $(addprefix $(top_srcdir)/,$(filter %.c,$(fuzz_ptx_sources))) -lm
	$(MKDIR_P) fuzz-ptx-corpus
	./$@ -max_total_time=$${FUZZ_SECONDS-600} -max_len=20000 -timeout=10 \
	    fuzz-ptx-corpus $(top_srcdir)/tests/fuzz/corpus-ptx $(top_srcdir)/tests/golden
CLEANFILES += fuzz-ptx
