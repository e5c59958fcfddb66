noinst_LTLIBRARIES += libfrontend.la
libfrontend_la_SOURCES = \
	frontend/ptx/decimal.c frontend/ptx/decimal.h \
	frontend/ptx/lex.c frontend/ptx/lex.h \
	frontend/ptx/parse.c frontend/ptx/parse.h \
	frontend/ptx/parse_constant.c \
	frontend/ptx/parse_debug.c \
	frontend/ptx/parse_function.c \
	frontend/ptx/parse_operand.c \
	frontend/ptx/parse_statement.c \
	frontend/ptx/parse_variable.c \
	frontend/ptx/syntax.h \
	frontend/ptx/words.c frontend/ptx/words.def frontend/ptx/words.h
SIMTLAB_PARTS += libfrontend.la

if HAVE_CHECK
check_PROGRAMS += tests/check_ptx_syntax
tests_check_ptx_syntax_SOURCES = tests/check_ptx_syntax.c
tests_check_ptx_syntax_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_ptx_syntax_LDADD = libfrontend.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_ptx_syntax
endif
