# SPDX-License-Identifier: Apache-2.0
# `make bench` measures; nothing here is built or run by `make check`.
EXTRA_PROGRAMS = bench/bench
bench_bench_SOURCES = bench/bench.c bench/check.c bench/oclgrind.c bench/run.c bench/run.h \
	bench/work.c bench/work.h
# fmaf() in the reference stands for every fused operation; nothing else is fused.
bench_bench_CFLAGS = $(AM_CFLAGS) -ffp-contract=off -fno-math-errno
bench_bench_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/include
bench_bench_LDADD = libsimtlab.la -lm
EXTRA_DIST += bench/README.md bench/kernels.cl bench/kernels.cu bench/kernels.ptx \
	bench/approx bench/beside-fma bench/products bench/products.ptx
CLEANFILES += bench/bench

# The second line compares with Oclgrind, for which the large sizes are too much.
BENCH_FLAGS = -s large -r 3
BENCH_SMALL_FLAGS = -s small -r 5 -o $(top_srcdir)/bench/kernels.cl
# Matrix products and approximate instructions beside a plain fma.
.PHONY: bench bench-approx bench-products
bench-approx: simtlab
	$(top_srcdir)/bench/approx ./simtlab
bench-products: simtlab
	$(top_srcdir)/bench/products ./simtlab
bench: bench/bench
	bench/bench $(BENCH_FLAGS) $(top_srcdir)/bench/kernels.ptx
	bench/bench $(BENCH_SMALL_FLAGS) $(top_srcdir)/bench/kernels.ptx
