# The conformance harness: part of the simtlab program, not of the library.
noinst_LTLIBRARIES += libconformance.la
libconformance_la_SOURCES = \
	conformance/align.c conformance/align.h \
	conformance/case.c conformance/case.h \
	conformance/compare.c conformance/compare.h \
	conformance/device.c conformance/device.h \
	conformance/emulate.c conformance/emulate.h \
	conformance/html.c conformance/html.h \
	conformance/known.c conformance/known.h \
	conformance/parting.c conformance/parting.h \
	conformance/probe.c conformance/probe.h conformance/probe_find.c \
	conformance/rebuild.c conformance/rebuild.h \
	conformance/rows.c conformance/rows.h \
	conformance/trace.c conformance/trace.h
libconformance_la_CFLAGS = $(AM_CFLAGS) $(JANSSON_CFLAGS)

dist_check_SCRIPTS += tests/check_conform tests/check_alterations
TESTS += tests/check_conform tests/check_alterations
EXTRA_DIST += docs/conformance.md conformance/tensor/accepted.py

if HAVE_CHECK
check_PROGRAMS += tests/check_copies
tests_check_copies_SOURCES = tests/check_copies.c
tests_check_copies_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_copies_LDADD = libsimtlab.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_copies
endif
EXTRA_DIST += conformance/copies

# Matrix instructions against a GPU; without one it writes the kernels whose
# recorded results are replayed.
check_PROGRAMS += conformance/tensor/simtlab-tensor
conformance_tensor_simtlab_tensor_SOURCES = \
	conformance/tensor/kernel.c conformance/tensor/kernel.h \
	conformance/tensor/movement.c \
	conformance/tensor/tensor.c \
	conformance/tensor/variant.c conformance/tensor/variant.h \
	conformance/tensor/warpgroup.c
conformance_tensor_simtlab_tensor_LDADD = libparts.la

dist_check_SCRIPTS += tests/check_tensor_replay
TESTS += tests/check_tensor_replay

# All recorded arguments of CUDA's functions; the tests replay a sample of them.
.PHONY: check-libdevice
check-libdevice: simtlab
	./simtlab conform $(top_srcdir)/conformance/recordings/h200-libdevice.rec \
	    --sources $(top_srcdir)/conformance/libdevice --max-steps 1000000000
