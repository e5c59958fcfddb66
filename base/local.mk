noinst_LTLIBRARIES += libbase.la
libbase_la_SOURCES = \
	base/arena.c base/arena.h \
	base/diag.c base/diag.h \
	base/map.c base/map.h \
	base/text.c base/text.h
SIMTLAB_PARTS += libbase.la
