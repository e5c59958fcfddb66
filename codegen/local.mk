# Kernel IR to PTX through LLVM: part of the simtlab program, not of the library.
noinst_LTLIBRARIES += libcodegen.la
libcodegen_la_SOURCES = codegen/codegen.h codegen/words.c
libcodegen_la_CFLAGS = $(AM_CFLAGS) $(LLVM_CFLAGS)
libcodegen_la_LIBADD = $(LLVM_LIBS)
if HAVE_LLVM
libcodegen_la_SOURCES += \
	codegen/assembly.c codegen/assembly.h \
	codegen/async.c \
	codegen/call.c \
	codegen/control.c \
	codegen/debug.c \
	codegen/exists.c codegen/exists.h \
	codegen/finish.c \
	codegen/function.c codegen/signature.h \
	codegen/gen.h \
	codegen/globals.c \
	codegen/instruction.c \
	codegen/lane.c codegen/spell.def \
	codegen/memory.c codegen/memory.h \
	codegen/module.c \
	codegen/native.c \
	codegen/need.c codegen/need.h \
	codegen/values.c \
	codegen/video.c codegen/video.h \
	codegen/warp.c
else
libcodegen_la_SOURCES += codegen/absent.c
endif

dist_check_SCRIPTS += tests/check_build
TESTS += tests/check_build
EXTRA_DIST += docs/codegen.md tests/codegen

if HAVE_CHECK
if HAVE_LLVM
check_PROGRAMS += tests/check_codegen
tests_check_codegen_SOURCES = tests/check_codegen.c tests/golden.h \
	tests/golden_read.c tests/golden_run.c tests/suite.h
tests_check_codegen_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LLVM_CFLAGS)
tests_check_codegen_LDADD = libcodegen.la libparts.la $(CHECK_LIBS)
check_PROGRAMS += tests/check_codegen_ops
tests_check_codegen_ops_SOURCES = tests/check_codegen_ops.c tests/suite.h
tests_check_codegen_ops_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_codegen_ops_LDADD = libcodegen.la libparts.la $(CHECK_LIBS)
TESTS += tests/check_codegen tests/check_codegen_ops
endif
endif
