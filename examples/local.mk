# SPDX-License-Identifier: Apache-2.0
# Real kernels with their sources, for a first run.
EXTRA_DIST += \
	examples/README.md \
	examples/drift.cu examples/drift.ptx \
	examples/race.cu examples/race.ptx \
	examples/reduce.cu examples/reduce.ptx \
	examples/saxpy.cu examples/saxpy.ptx
dist_noinst_SCRIPTS += examples/compile

# Programs of a user's.
check_PROGRAMS += examples/saxpy examples/streams
examples_saxpy_SOURCES = examples/saxpy.c
examples_saxpy_LDADD = libsimtlab.la
examples_streams_SOURCES = examples/streams.c
examples_streams_LDADD = libsimtlab.la
dist_check_SCRIPTS += tests/check_example
TESTS += tests/check_example
