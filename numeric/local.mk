# Linked into libir.la: whoever has the operation table has its meaning.
noinst_LTLIBRARIES += libnumeric.la
libnumeric_la_SOURCES = \
	numeric/bits.h numeric/mode.h \
	numeric/convert.c numeric/convert.h \
	numeric/float.c numeric/float.h \
	numeric/half.h \
	numeric/integer.h \
	numeric/order.h \
	numeric/soft.c numeric/soft.h \
	numeric/video.c numeric/video.h
