noinst_LTLIBRARIES += libgpu.la
libgpu_la_SOURCES = \
	gpu/attributes.def gpu/driver.def \
	gpu/assemble.c gpu/assemble.h \
	gpu/context.c gpu/device.h \
	gpu/driver.c gpu/driver.h \
	gpu/execute.c gpu/execute.h \
	gpu/job.c gpu/job.h \
	gpu/latency.c gpu/latency.h \
	gpu/launch_lines.c gpu/launch_lines.h \
	gpu/list.c \
	gpu/module.c \
	gpu/pool.c gpu/pool.h \
	gpu/recording.c gpu/recording.h \
	gpu/signature.c gpu/signature.h \
	gpu/tensor_map.c gpu/tensor_map.h \
	gpu/texture.c gpu/texture.h \
	gpu/trial.c gpu/trial.h \
	gpu/worker.c gpu/worker.h
SIMTLAB_PARTS += libgpu.la
EXTRA_DIST += gpu/Makefile.portable conformance/versions conformance/golden-jobs conformance/hardware conformance/kernels conformance/recordings conformance/sweep conformance/libdevice conformance/texture
dist_noinst_SCRIPTS += tests/portable_recorder
dist_check_SCRIPTS += tests/check_cuda

bin_PROGRAMS += simtlab-record
simtlab_record_SOURCES = gpu/record.c
simtlab_record_LDADD = libgpu.la libbase.la

if HAVE_CHECK
# A driver library on the host: what the runtime does with it is tested where
# there is no GPU.
check_LTLIBRARIES += tests/fake_cuda.la
tests_fake_cuda_la_SOURCES = tests/fake_cuda.c tests/fake_cuda.h
tests_fake_cuda_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared -rpath /nowhere

check_PROGRAMS += tests/check_pool tests/check_gpu tests/check_recording
tests_check_pool_SOURCES = tests/check_pool.c tests/suite.h
tests_check_pool_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_pool_LDADD = libgpu.la libbase.la $(CHECK_LIBS)
tests_check_gpu_SOURCES = tests/check_gpu.c tests/fake_cuda.h tests/suite.h
tests_check_gpu_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) \
	-DFAKE_CUDA='"$(abs_top_builddir)/tests/.libs/fake_cuda.so"'
tests_check_gpu_LDADD = libgpu.la libbase.la $(CHECK_LIBS)
EXTRA_tests_check_gpu_DEPENDENCIES = tests/fake_cuda.la
tests_check_recording_SOURCES = tests/check_recording.c tests/fake_cuda.h tests/suite.h
tests_check_recording_CFLAGS = $(tests_check_gpu_CFLAGS)
tests_check_recording_LDADD = libgpu.la libbase.la $(CHECK_LIBS)
EXTRA_tests_check_recording_DEPENDENCIES = tests/fake_cuda.la
TESTS += tests/check_pool tests/check_gpu tests/check_recording tests/portable_recorder \
	tests/check_cuda
endif
