# The memory-model lab. Needs base and jansson only.
noinst_LTLIBRARIES += libmemmodel.la
libmemmodel_la_SOURCES = \
	memmodel/against.c memmodel/against.h memmodel/against_report.c \
	memmodel/analysis.c memmodel/analysis.h \
	memmodel/axioms.c \
	memmodel/barrier.c memmodel/barrier.h \
	memmodel/candidate.c memmodel/candidate.h \
	memmodel/command.c memmodel/memmodel.h \
	memmodel/comments.c memmodel/comments.h \
	memmodel/condition.c \
	memmodel/cycle.c memmodel/cycle.h \
	memmodel/dat3m.c \
	memmodel/derive.c \
	memmodel/enumerate.c memmodel/enumerate.h \
	memmodel/expression.c memmodel/expression.h \
	memmodel/generate.c \
	memmodel/graph.c memmodel/graph.h \
	memmodel/histogram.c memmodel/histogram.h \
	memmodel/html.c \
	memmodel/kernel.c memmodel/kernel.h \
	memmodel/kernel_code.c memmodel/kernel_code.h \
	memmodel/kernel_dat3m.c \
	memmodel/liveness.c memmodel/liveness.h \
	memmodel/many.c memmodel/many.h \
	memmodel/many_run.c memmodel/many_run.h \
	memmodel/model.c memmodel/model.h \
	memmodel/native.c memmodel/native.h \
	memmodel/native_alu.c \
	memmodel/native_code.c \
	memmodel/outcomes.c memmodel/outcomes.h \
	memmodel/path.c memmodel/path.h \
	memmodel/reader.c memmodel/reader.h \
	memmodel/relation.c memmodel/relation.h \
	memmodel/repair.c memmodel/repair.h \
	memmodel/report.c memmodel/report.h \
	memmodel/report_json.c \
	memmodel/suite.c memmodel/suite.h \
	memmodel/svg.c \
	memmodel/test.h \
	memmodel/words.c memmodel/words.h
libmemmodel_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)
libmemmodel_la_LIBADD = $(JANSSON_LIBS)
SIMTLAB_PARTS += libmemmodel.la

EXTRA_DIST += examples/litmus docs/memory-model.md

if HAVE_CHECK
check_PROGRAMS += tests/check_memmodel
tests_check_memmodel_SOURCES = tests/check_memmodel.c tests/suite.h
tests_check_memmodel_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_memmodel_LDADD = libmemmodel.la libbase.la $(JANSSON_LIBS) $(CHECK_LIBS)
check_PROGRAMS += tests/check_litmus
tests_check_litmus_SOURCES = tests/check_litmus.c tests/suite.h
tests_check_litmus_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(JANSSON_CFLAGS)
tests_check_litmus_LDADD = libmemmodel.la libbase.la $(JANSSON_LIBS) $(CHECK_LIBS)
check_PROGRAMS += tests/check_litmus_page
tests_check_litmus_page_SOURCES = tests/check_litmus_page.c tests/suite.h
tests_check_litmus_page_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_litmus_page_LDADD = libbase.la $(CHECK_LIBS)
TESTS += tests/check_memmodel tests/check_litmus tests/check_litmus_page
dist_check_SCRIPTS += tests/check_litmus_runs
# Every litmus test with 1,000 seeds, with and without weak memory: minutes.
check-litmus-seeds: simtlab$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) LITMUS_SEEDS=1000 $(srcdir)/tests/check_litmus_runs
TESTS += tests/check_litmus_runs
endif
