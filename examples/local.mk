# SPDX-License-Identifier: Apache-2.0
# Real kernels with their sources, for a first run.
EXTRA_DIST += \
	examples/README.md \
	examples/drift.cu examples/drift.ptx \
	examples/race.cu examples/race.ptx \
	examples/reduce.cu examples/reduce.ptx \
	examples/saxpy.cu examples/saxpy.ptx
dist_noinst_SCRIPTS += examples/compile
