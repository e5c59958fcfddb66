noinst_LTLIBRARIES += libbase.la
libbase_la_SOURCES = \
	base/arena.c base/arena.h \
	base/argument.c base/argument.h \
	base/decimal.c base/decimal.h \
	base/diag.c base/diag.h \
	base/element.c base/element.h \
	base/file.c base/file.h \
	base/likeness.c base/likeness.h \
	base/map.c base/map.h base/random.h \
	base/sha256.c base/sha256.h \
	base/tensor_map.c base/tensor_map.h \
	base/tensor_text.c base/tensor_text.h \
	base/text.c base/text.h \
	base/texture.c base/texture.h
SIMTLAB_PARTS += libbase.la
