noinst_LTLIBRARIES += libir.la
libir_la_SOURCES = \
	ir/build.c ir/ir.h \
	ir/meaning.h \
	ir/ops.c ir/ops.h ir/ops.def ir/ops_only.h ir/rows.h \
	ir/types.c ir/types.h ir/types.def
SIMTLAB_PARTS += libir.la
