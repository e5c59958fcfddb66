# The simtlab program. It carries its own copy of the library's parts, so that it
# runs from wherever it is put.
bin_PROGRAMS += simtlab
simtlab_SOURCES = \
	cli/build.c cli/cli.h \
	cli/conform.c \
	cli/devices.c cli/diff.c cli/explore.c cli/explore.h cli/files.c cli/help.c cli/input.c \
	cli/litmus.c cli/litmus.h cli/litmus_emu.c cli/litmus_emu.h cli/main.c \
	cli/options.c cli/options.h \
	cli/output.c cli/run.c cli/show.c cli/values.c
simtlab_LDADD = libconformance.la libcodegen.la libparts.la

dist_man_MANS += docs/simtlab.1
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = cli/completion/simtlab
dist_noinst_SCRIPTS += quickstart

dist_check_SCRIPTS += tests/check_cli tests/check_determinism tests/check_docs
TESTS += tests/check_cli tests/check_determinism tests/check_docs

# The same for every golden kernel without faults: a minute of processor time.
.PHONY: check-determinism
check-determinism: simtlab
	SIMTLAB=$(abs_top_builddir)/simtlab SIMTLAB_TESTS=$(abs_top_srcdir)/tests \
		$(top_srcdir)/tests/check_determinism all
EXTRA_DIST += docs/running.md docs/architecture.md docs/not-supported.md
