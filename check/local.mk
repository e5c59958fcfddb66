noinst_LTLIBRARIES += libcheck.la
libcheck_la_SOURCES = \
	check/checker.h \
	check/garbage.c check/garbage.h \
	check/init.c check/init.h \
	check/init_matrix.c check/init_memory.c check/init_registers.c check/init_report.c \
	check/init_rules.c check/init_warp.c check/init_wgmma.c \
	check/journal.c check/journal.h \
	check/place.c check/place.h \
	check/precision.c check/precision.h check/precision_memory.c \
	check/precision_state.h check/precision_value.c check/precision_value.h \
	check/race.c check/race.h \
	check/race_access.c check/race_access.h \
	check/race_cell.c \
	check/race_counter.c check/race_counter.h \
	check/race_element.c \
	check/race_exchange.c \
	check/race_fence.c \
	check/race_history.h \
	check/race_lanes.c \
	check/race_log.c \
	check/race_order.c \
	check/race_pattern.c \
	check/race_proxy.c \
	check/race_report.c \
	check/race_row.c \
	check/race_rowwise.c \
	check/race_shadow.c check/race_shadow.h \
	check/race_shape.c \
	check/race_site.c \
	check/race_sync.c \
	check/race_thin.c check/race_thin.h \
	check/race_weak.c \
	check/sync.c \
	check/view.c check/view.h
SIMTLAB_PARTS += libcheck.la

if HAVE_CHECK
check_PROGRAMS += tests/check_checkers
tests_check_checkers_SOURCES = tests/check_checkers.c
tests_check_checkers_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_checkers_LDADD = libsimtlab.la $(CHECK_LIBS)
TESTS += tests/check_checkers

check_PROGRAMS += tests/check_init
tests_check_init_SOURCES = tests/check_init.c
tests_check_init_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_init_LDADD = libcheck.la libemu.la libir.la libnumeric.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_init

check_PROGRAMS += tests/check_race
tests_check_race_SOURCES = tests/check_race.c
tests_check_race_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_race_LDADD = libcheck.la libemu.la libir.la libnumeric.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_race

check_PROGRAMS += tests/check_race_traces
tests_check_race_traces_SOURCES = tests/check_race_traces.c \
	tests/race_oracle.c tests/race_oracle.h tests/race_random.c tests/race_random.h
tests_check_race_traces_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_race_traces_LDADD = libcheck.la libemu.la libfrontend.la libir.la libnumeric.la libbase.la \
	$(CHECK_LIBS)
TESTS += tests/check_race_traces
endif
