# Kernel IR to PTX through LLVM: part of the simtlab program, not of the library.
noinst_LTLIBRARIES += libcodegen.la
libcodegen_la_SOURCES = codegen/codegen.h codegen/load.c codegen/plugin.h codegen/words.c
libcodegen_la_CPPFLAGS = $(AM_CPPFLAGS) -DCODEGEN_DIRECTORY='"$(pkglibdir)"'

# What needs LLVM is a module of its own, with its own copy of what it uses.
if HAVE_LLVM
pkglib_LTLIBRARIES = simtlab_codegen.la
simtlab_codegen_la_CFLAGS = $(AM_CFLAGS) $(LLVM_CFLAGS)
simtlab_codegen_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -no-undefined \
	-export-symbols-regex '^simtlab_codegen$$'
simtlab_codegen_la_LIBADD = libir.la libbase.la $(LLVM_LIBS)
simtlab_codegen_la_SOURCES = \
	codegen/assembly.c codegen/assembly.h \
	codegen/async.c codegen/tensor.c \
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
	codegen/texture.c \
	codegen/warp.c codegen/warp.h \
	codegen/warpgroup.c
endif

dist_check_SCRIPTS += tests/check_build
TESTS += tests/check_build
EXTRA_DIST += docs/codegen.md tests/codegen

if HAVE_CHECK
if HAVE_LLVM
check_PROGRAMS += tests/check_codegen
tests_check_codegen_SOURCES = tests/check_codegen.c tests/golden.h \
	tests/golden_files.c tests/golden_read.c tests/golden_run.c tests/suite.h
tests_check_codegen_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(LLVM_CFLAGS)
tests_check_codegen_LDADD = libcodegen.la libparts.la $(CHECK_LIBS) $(LLVM_LIBS)
check_PROGRAMS += tests/check_codegen_ops
tests_check_codegen_ops_SOURCES = tests/check_codegen_ops.c tests/suite.h
tests_check_codegen_ops_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)
tests_check_codegen_ops_LDADD = libcodegen.la libparts.la $(CHECK_LIBS)
TESTS += tests/check_codegen tests/check_codegen_ops
endif
endif
