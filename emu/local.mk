# The lane loops, once for each vector instruction set of the host.
# Words of vectors wrap around, as registers do.
LANE_CFLAGS = $(AM_CFLAGS) -O3 -fwrapv
noinst_LTLIBRARIES += libemu.la liblane_generic.la
liblane_generic_la_SOURCES = emu/lane_generic.c emu/lane_loops.h emu/mufu_loops.h emu/mufu_plain.h emu/mufu_words.h \
	emu/access_generic.c emu/access_loops.h emu/word_loops.h \
	emu/mma_generic.c numeric/tensor_float.h numeric/tensor_loops.h
liblane_generic_la_CFLAGS = $(LANE_CFLAGS)
if HAVE_X86_VECTORS
noinst_LTLIBRARIES += liblane_avx2.la liblane_avx512.la
liblane_avx2_la_SOURCES = emu/lane_avx2.c emu/access_avx2.c emu/mma_avx2.c
liblane_avx2_la_CFLAGS = $(LANE_CFLAGS) -mavx2 -mfma -mf16c $(AVX2_CFLAGS)
liblane_avx512_la_SOURCES = emu/lane_avx512.c emu/access_avx512.c emu/mma_avx512.c
liblane_avx512_la_CFLAGS = $(LANE_CFLAGS) -mavx2 -mfma -mf16c -mavx512f -mavx512bw \
	-mavx512dq -mavx512vl -mprefer-vector-width=512
LANE_VECTOR_LIBS = liblane_avx2.la liblane_avx512.la
else
LANE_VECTOR_LIBS =
endif

libemu_la_SOURCES = \
	emu/access.c emu/access.h emu/access_window.c \
	emu/async.c \
	emu/atomics.c \
	emu/engine.h emu/observe.h emu/state.h \
	emu/barrier.c emu/barrier.h \
	emu/block.c emu/block.h \
	emu/control.c emu/control.h \
	emu/decode.c emu/executable.c \
	emu/interp.c emu/interp.h emu/sreg.c \
	emu/launch.c emu/launch_constants.c emu/launch_constants.h \
	emu/sched.c emu/sched.h \
	emu/warp.c emu/warp.h \
	emu/weak.h \
	emu/finding.c emu/finding.h \
	emu/host.c emu/host.h \
	emu/lane.c emu/lane.h \
	emu/format.c emu/format.h \
	emu/host_call.c \
	emu/image.c \
	emu/load_store.c \
	emu/local.c \
	emu/matrix.c emu/matrix.h \
	emu/mbarrier.c \
	emu/bulk.c emu/store_async.c emu/mma.c emu/team.h emu/wgmma.c \
	emu/memory.c emu/memory.h \
	emu/memory_ops.c emu/memory_ops.h \
	emu/profile.c emu/profile.h emu/profile_describe.c \
	emu/report.c \
	emu/rows.c \
	emu/surface_ops.c \
	emu/tensor.c emu/tensor_box.c emu/tensor_box.h emu/tensor_map_ops.c \
	emu/texture.c emu/texture.h emu/texture_filter.c emu/texture_filter.h emu/texture_ops.c
libemu_la_LIBADD = liblane_generic.la $(LANE_VECTOR_LIBS)
SIMTLAB_PARTS += libemu.la

if HAVE_CHECK
ENGINE_TEST_LIBS = libemu.la libir.la libnumeric.la libbase.la $(CHECK_LIBS)

check_PROGRAMS += tests/check_memory
tests_check_memory_SOURCES = tests/check_memory.c
tests_check_memory_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_memory_LDADD = libemu.la libir.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_memory
check_PROGRAMS += tests/check_lane
tests_check_lane_SOURCES = tests/check_lane.c
tests_check_lane_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_lane_LDADD = libemu.la libir.la libbase.la $(CHECK_LIBS)
TESTS += tests/check_lane

check_PROGRAMS += tests/check_tensor
tests_check_tensor_SOURCES = tests/check_tensor.c
tests_check_tensor_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_tensor_LDADD = $(ENGINE_TEST_LIBS)
TESTS += tests/check_tensor

check_PROGRAMS += tests/check_access
tests_check_access_SOURCES = tests/check_access.c tests/kernel.h
tests_check_access_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_access_LDADD = $(ENGINE_TEST_LIBS)
TESTS += tests/check_access

check_PROGRAMS += tests/check_atomics
tests_check_atomics_SOURCES = tests/check_atomics.c tests/kernel.h
tests_check_atomics_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_atomics_LDADD = $(ENGINE_TEST_LIBS)
TESTS += tests/check_atomics

check_PROGRAMS += tests/check_async
tests_check_async_SOURCES = tests/check_async.c tests/kernel.h
tests_check_async_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_async_LDADD = $(ENGINE_TEST_LIBS)
TESTS += tests/check_async

check_PROGRAMS += tests/check_host_call
tests_check_host_call_SOURCES = tests/check_host_call.c tests/kernel.h
tests_check_host_call_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_host_call_LDADD = $(ENGINE_TEST_LIBS)
TESTS += tests/check_host_call
endif

libemu_la_SOURCES += \
	emu/texture_place.c emu/texture_place.h emu/texture_cube.c \
	emu/texture_gradient.c emu/texture_gradient.h \
	emu/texture_level.c emu/texture_level.h emu/texture_srgb.c

check_PROGRAMS += tests/check_texture
tests_check_texture_SOURCES = tests/check_texture.c
tests_check_texture_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_texture_LDADD = libparts.la $(CHECK_LIBS)
TESTS += tests/check_texture

check_PROGRAMS += tests/check_texture_gradient
tests_check_texture_gradient_SOURCES = tests/check_texture_gradient.c
tests_check_texture_gradient_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_texture_gradient_LDADD = libparts.la $(CHECK_LIBS)
TESTS += tests/check_texture_gradient
