noinst_LTLIBRARIES += libcheck.la
libcheck_la_SOURCES = \
	check/checker.h \
	check/place.c check/place.h \
	check/sync.c
SIMTLAB_PARTS += libcheck.la
